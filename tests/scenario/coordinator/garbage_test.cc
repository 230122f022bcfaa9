// The garbage collector through the control loop. What is expected is what Kubernetes documents of
// owners, deletion policies and namespaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared/objects/holds.h"
#include "tests/scenario/coordinator/simulated_cluster.h"

namespace octet {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class GarbageTest : public testing::Test {
 protected:
  // A ConfigMap whose uid is its name, owned by those named.
  void Make(const std::string& name, const std::vector<std::string>& owners = {},
            const std::string& ns = "default") {
    Object object{.kind = Kind::kConfigMap, .meta = {}, .spec = Value::MakeMap(), .status = {}};
    object.meta.name = name;
    object.meta.ns = ns;
    object.meta.uid = name;
    for (const std::string& owner : owners) {
      object.meta.owners.push_back({.api_version = "v1",
                                    .kind = "ConfigMap",
                                    .name = owner,
                                    .uid = owner,
                                    .controller = false,
                                    .block_owner_deletion = true});
    }
    ASSERT_TRUE(cluster.store->Commit({CreateObject{object}}).ok());
  }

  Result<Object> Get(const std::string& name, const std::string& ns = "default") const {
    return cluster.store->Get({.kind = Kind::kConfigMap, .ns = ns, .name = name});
  }

  std::vector<std::string> Names(const std::string& ns = "default") const {
    std::vector<std::string> names;
    const Snapshot all = cluster.store->List(Kind::kConfigMap, ns).value();
    for (const Object& object : all.objects) names.push_back(object.meta.name);
    return names;
  }

  // As the API does it where something holds the object.
  void AskToDelete(const std::string& name, const char* finalizer) {
    Object object = Get(name).value();
    object.meta.deleted = cluster.clock.Now();
    object.meta.finalizers.push_back(finalizer);
    ASSERT_TRUE(cluster.store->Commit({UpdateObject{.object = object}}).ok());
  }

  void Remove(const std::string& name) {
    ASSERT_TRUE(cluster.store->Commit({DeleteObject{.key = KeyOf(Get(name).value())}}).ok());
  }

  void MakeNamespace(const std::string& name) {
    Object object{.kind = Kind::kNamespace, .meta = {}, .spec = Value::MakeMap(), .status = {}};
    object.meta.name = name;
    object.meta.uid = "namespace-" + name;
    object.status = Value::MakeMap();
    ASSERT_TRUE(cluster.store->Commit({CreateObject{object}}).ok());
  }

  void DeleteNamespace(const std::string& name) {
    Object object = cluster.store->Get({.kind = Kind::kNamespace, .name = name}).value();
    object.meta.deleted = cluster.clock.Now();
    ASSERT_TRUE(cluster.store->Commit({UpdateObject{.object = object}}).ok());
  }

  bool HasNamespace(const std::string& name) const {
    return cluster.store->Get({.kind = Kind::kNamespace, .name = name}).ok();
  }

  SimulatedCluster cluster{1};
};

TEST_F(GarbageTest, WhatLosesItsLastOwnerGoesAndSoDoWhatItOwns) {
  Make("a");
  Make("b", {"a"});
  Make("c", {"b"});
  Make("other");
  cluster.Step(seconds(1));
  EXPECT_THAT(Names(), ElementsAre("a", "b", "c", "other"));
  Remove("a");
  cluster.Step(seconds(1));
  EXPECT_THAT(Names(), ElementsAre("other"));
}

TEST_F(GarbageTest, AnOwnerThatIsLeftKeepsItAndTheOtherIsForgotten) {
  Make("a");
  Make("b");
  Make("both", {"a", "b"});
  cluster.Step(seconds(1));
  Remove("a");
  cluster.Step(seconds(1));
  ASSERT_TRUE(Get("both").ok());
  ASSERT_EQ(Get("both")->meta.owners.size(), 1u);
  EXPECT_EQ(Get("both")->meta.owners[0].name, "b");
}

TEST_F(GarbageTest, AnOwnerThatNeverWasIsAnOwnerThatHasGone) {
  Make("b", {"nobody"});
  cluster.Step(seconds(1));
  EXPECT_THAT(Names(), IsEmpty());
}

// A reference does not reach into another namespace.
TEST_F(GarbageTest, AnOwnerOfAnotherNamespaceIsNone) {
  MakeNamespace("team-a");
  Make("a");
  Make("b", {"a"}, "team-a");
  cluster.Step(seconds(1));
  EXPECT_THAT(Names("team-a"), IsEmpty());
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(GarbageTest, AForegroundDeletionWaitsForEveryDependent) {
  Make("a");
  Make("b", {"a"});
  Make("c", {"b"});
  // Somebody else holds the last of them.
  Object held = Get("c").value();
  held.meta.finalizers = {"example.com/wait"};
  ASSERT_TRUE(cluster.store->Commit({UpdateObject{.object = held}}).ok());
  cluster.Step(seconds(1));
  AskToDelete("a", kForegroundFinalizer);
  cluster.Step(seconds(2));
  EXPECT_THAT(Names(), ElementsAre("a", "b", "c"));
  EXPECT_TRUE(Get("b")->meta.deleted);
  EXPECT_TRUE(Get("c")->meta.deleted);
  // It lets go, and the API removes what nothing holds any more.
  Remove("c");
  cluster.Step(seconds(1));
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(GarbageTest, AnOrphaningDeletionLeavesTheDependentsWithoutTheOwner) {
  Make("a");
  Make("b", {"a"});
  cluster.Step(seconds(1));
  AskToDelete("a", kOrphanFinalizer);
  cluster.Step(seconds(1));
  EXPECT_THAT(Names(), ElementsAre("b"));
  EXPECT_THAT(Get("b")->meta.owners, IsEmpty());
}

TEST_F(GarbageTest, AFullDiskOnlyDelaysIt) {
  Make("a");
  Make("b", {"a"});
  cluster.Step(seconds(1));
  Remove("a");
  cluster.store->broken = true;
  cluster.Step(seconds(1));
  EXPECT_THAT(Names(), ElementsAre("b"));
  cluster.store->broken = false;
  cluster.Step(seconds(1));
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(GarbageTest, ACrashOnlyDelaysIt) {
  Make("a");
  Make("b", {"a"});
  cluster.CrashCoordinator();
  Remove("a");
  cluster.StartCoordinator();
  cluster.Step(seconds(1));
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(GarbageTest, ANamespaceTakesWithItWhatLiesInIt) {
  MakeNamespace("team-a");
  for (int i = 0; i < 500; ++i) Make("c" + std::to_string(i), {}, "team-a");
  Make("mine");
  cluster.Step(seconds(1));
  DeleteNamespace("team-a");
  cluster.Step(seconds(2));
  EXPECT_THAT(Names("team-a"), IsEmpty());
  EXPECT_FALSE(HasNamespace("team-a"));
  EXPECT_THAT(Names(), ElementsAre("mine"));
}

// A deletion must not give the hours back.
TEST_F(GarbageTest, SessionsStayWhenTheirNamespaceGoes) {
  cluster.total_steps = 10'000;
  cluster.Submit("digits");
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kRunning));
  DeleteNamespace("default");
  ASSERT_TRUE(cluster.Until([&] { return !HasNamespace("default"); }));
  EXPECT_FALSE(cluster.JobExists("digits"));
  ASSERT_EQ(cluster.Sessions().size(), 1u);
  EXPECT_TRUE(cluster.Sessions()[0].ended);
  cluster.Step(seconds(5));
  EXPECT_EQ(cluster.BoardsIn(BoardState::kReady), 1u);
}

TEST_F(GarbageTest, TheDefaultNamespaceAndThoseInUseExistFromTheStart) {
  EXPECT_TRUE(HasNamespace("default"));
  Make("old", {}, "of-an-older-version");
  cluster.CrashCoordinator();
  cluster.StartCoordinator();
  EXPECT_TRUE(HasNamespace("of-an-older-version"));
  EXPECT_FALSE(HasNamespace("another"));
}

TEST_F(GarbageTest, AnEvictedJobGoesOnFromItsCheckpoint) {
  cluster.total_steps = 100;
  cluster.Submit("digits");
  ASSERT_TRUE(cluster.Until([&] { return cluster.checkpoints[JobUid("job-digits-1")] >= 5; }));
  const std::string session = cluster.Job("digits").status.session->uid.str();
  Object job = cluster.JobObject("digits");
  job.meta.annotations[kEvictAnnotation] = session;
  ASSERT_TRUE(cluster.store->Commit({UpdateObject{.object = job}}).ok());
  ASSERT_TRUE(cluster.Until([&] {
    const auto& now = cluster.Job("digits").status.session;
    return now && now->uid.str() != session;
  }));
  EXPECT_THAT(cluster.Sessions()[0].end_reason, ::testing::Not(IsEmpty()));
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kSucceeded));
  EXPECT_EQ(cluster.Sessions().size(), 2u);
}

}  // namespace
}  // namespace octet
