// What every Store promises, run against each implementation.
#include "coordinator/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "shared/base/limits.h"
#include "shared/base/thread.h"
#include "shared/objects/json.h"

namespace octet {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using testing::ElementsAre;

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = testing::TempDir() + "octet-store-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

struct StoreKind {
  std::string name;
  std::function<std::unique_ptr<Store>(const TempFolder&)> make;
};

class StoreContract : public testing::TestWithParam<StoreKind> {
 protected:
  TempFolder folder_;
  std::unique_ptr<Store> store_ = GetParam().make(folder_);
};

INSTANTIATE_TEST_SUITE_P(
    Each, StoreContract,
    testing::Values(StoreKind{"Memory", [](const TempFolder&) { return MakeMemoryStore(); }},
                    StoreKind{"Sqlite",
                              [](const TempFolder& folder) {
                                return OpenSqliteStore(folder.File("octet.db")).value();
                              }}),
    [](const auto& made) { return std::string(made.param.name); });

Object Job(const std::string& name, int64_t priority = 100, const std::string& ns = "default") {
  Object object{.kind = Kind::kTrainingJob, .meta = {}, .spec = Value::MakeMap(), .status = {}};
  object.meta.name = name;
  object.meta.ns = ns;
  object.meta.uid = "uid-" + ns + "-" + name;
  object.spec.Set("priority", priority);
  return object;
}

Object Quota(const std::string& name) {
  Object object{.kind = Kind::kUserQuota, .meta = {}, .spec = Value::MakeMap(), .status = {}};
  object.meta.name = name;
  object.meta.uid = "uid-quota-" + name;
  return object;
}

Object Create(Store& store, const Object& object) {
  return store.Commit({CreateObject{object}}).value().front();
}

std::vector<std::string> Names(const std::vector<Object>& objects) {
  std::vector<std::string> names;
  for (const Object& object : objects) names.push_back(object.meta.ns + "/" + object.meta.name);
  return names;
}

TEST_P(StoreContract, WhatWasCreatedIsReadBack) {
  Object job = Job("digits");
  job.meta.labels = {{"course", "ml"}};
  job.meta.annotations = {{"note", "first\nsecond"}};
  job.meta.finalizers = {"octet.dev/boards"};
  job.meta.created = TimePoint(1'800'000'000'123ms);
  job.status.Set("phase", "Queued");
  const Object made = Create(*store_, job);
  EXPECT_EQ(made.meta.generation, 1);
  EXPECT_GT(made.meta.resource_version, 0);
  const Object read = store_->Get(KeyOf(job)).value();
  EXPECT_EQ(WriteCanonicalJson(EncodeObject(read)), WriteCanonicalJson(EncodeObject(made)));
  EXPECT_EQ(read.meta.labels, job.meta.labels);
  EXPECT_EQ(read.meta.annotations, job.meta.annotations);
  EXPECT_EQ(read.meta.finalizers, job.meta.finalizers);
  EXPECT_EQ(read.meta.created, job.meta.created);
}

TEST_P(StoreContract, CreatingAnExistingNameIsRefused) {
  Create(*store_, Job("digits"));
  Object other = Job("digits");
  other.meta.uid = "another";
  EXPECT_EQ(store_->Commit({CreateObject{other}}).status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(store_->Get(KeyOf(other))->meta.uid, "uid-default-digits");
}

TEST_P(StoreContract, TheSameNameInAnotherNamespaceOrKindIsAnotherObject) {
  Create(*store_, Job("x", 1, "default"));
  Create(*store_, Job("x", 2, "other"));
  Create(*store_, Quota("x"));
  EXPECT_EQ(store_->All()->objects.size(), 3u);
}

TEST_P(StoreContract, WhatIsNotThereIsNotFound) {
  EXPECT_EQ(store_->Get(KeyOf(Job("no"))).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(store_->Commit({UpdateObject{Job("no")}}).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(store_->Commit({DeleteObject{.key = KeyOf(Job("no")), .uid = {}}}).status().code(),
            StatusCode::kNotFound);
}

TEST_P(StoreContract, AnUpdateOfTheVersionThatWasReadSucceeds) {
  Object job = Create(*store_, Job("digits"));
  const int64_t before = job.meta.resource_version;
  job.spec.Set("priority", 200);
  const Object updated = store_->Commit({UpdateObject{job, before}}).value().front();
  EXPECT_GT(updated.meta.resource_version, before);
  EXPECT_EQ(updated.meta.generation, 2);
  EXPECT_EQ(store_->Get(KeyOf(job))->spec.FindPath("priority")->AsInt(), 200);
}

TEST_P(StoreContract, AnUpdateOfAStaleVersionIsAbortedAndChangesNothing) {
  Object job = Create(*store_, Job("digits"));
  const int64_t stale = job.meta.resource_version;
  job.spec.Set("priority", 200);
  ASSERT_TRUE(store_->Commit({UpdateObject{job, stale}}).ok());
  job.spec.Set("priority", 300);
  EXPECT_EQ(store_->Commit({UpdateObject{job, stale}}).status().code(), StatusCode::kAborted);
  EXPECT_EQ(store_->Get(KeyOf(job))->spec.FindPath("priority")->AsInt(), 200);
}

TEST_P(StoreContract, AnUpdateOfAnotherIncarnationIsAborted) {
  Object job = Create(*store_, Job("digits"));
  job.meta.uid = "of-an-earlier-life";
  EXPECT_EQ(store_->Commit({UpdateObject{job}}).status().code(), StatusCode::kAborted);
}

TEST_P(StoreContract, AStatusAloneDoesNotRaiseTheGeneration) {
  Object job = Create(*store_, Job("digits"));
  job.status.Set("phase", "Running");
  const Object updated = store_->Commit({UpdateObject{job}}).value().front();
  EXPECT_EQ(updated.meta.generation, 1);
  EXPECT_GT(updated.meta.resource_version, job.meta.resource_version);
}

TEST_P(StoreContract, AnUpdateThatChangesNothingMakesNoVersion) {
  const Object job = Create(*store_, Job("digits"));
  const Object same =
      store_->Commit({UpdateObject{job, job.meta.resource_version}}).value().front();
  EXPECT_EQ(same.meta.resource_version, job.meta.resource_version);
  EXPECT_EQ(store_->All()->resource_version, job.meta.resource_version);
  EXPECT_TRUE(store_->ChangesSince(job.meta.resource_version)->empty());
}

TEST_P(StoreContract, AnUpdateCannotMoveTheTimeOfCreation) {
  Object job = Job("digits");
  job.meta.created = TimePoint(5s);
  job = Create(*store_, job);
  job.meta.created = TimePoint(9s);
  job.spec.Set("priority", 1);
  EXPECT_EQ(store_->Commit({UpdateObject{job}})->front().meta.created, TimePoint(5s));
}

TEST_P(StoreContract, ADeletionGivesTheLastStateWithANewVersion) {
  const Object job = Create(*store_, Job("digits", 7));
  const Object last = store_->Commit({DeleteObject{.key = KeyOf(job), .uid = {}}})->front();
  EXPECT_EQ(last.spec.FindPath("priority")->AsInt(), 7);
  EXPECT_GT(last.meta.resource_version, job.meta.resource_version);
  EXPECT_EQ(store_->Get(KeyOf(job)).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(store_->All()->resource_version, last.meta.resource_version);
}

TEST_P(StoreContract, ADeletionOfAnotherUidOrVersionIsAborted) {
  const Object job = Create(*store_, Job("digits"));
  EXPECT_EQ(store_->Commit({DeleteObject{.key = KeyOf(job), .uid = "another"}}).status().code(),
            StatusCode::kAborted);
  EXPECT_EQ(store_
                ->Commit({DeleteObject{.key = KeyOf(job),
                                       .uid = job.meta.uid,
                                       .expected_version = job.meta.resource_version + 1}})
                .status()
                .code(),
            StatusCode::kAborted);
  EXPECT_TRUE(store_->Get(KeyOf(job)).ok());
}

TEST_P(StoreContract, ATransactionWithOneBadWriteDoesNothing) {
  const Object job = Create(*store_, Job("first"));
  const int64_t version = store_->All()->resource_version;
  Object changed = job;
  changed.spec.Set("priority", 1);
  const auto outcome =
      store_->Commit({CreateObject{Job("second")}, UpdateObject{changed},
                      DeleteObject{.key = KeyOf(job), .uid = {}}, CreateObject{Job("second")}});
  EXPECT_EQ(outcome.status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(store_->All()->resource_version, version);
  EXPECT_THAT(Names(store_->All()->objects), ElementsAre("default/first"));
  EXPECT_EQ(store_->Get(KeyOf(job))->spec.FindPath("priority")->AsInt(), 100);
  EXPECT_TRUE(store_->ChangesSince(version)->empty());
}

TEST_P(StoreContract, LaterWritesOfATransactionSeeEarlierOnes) {
  const Object job = Create(*store_, Job("digits", 1));
  Object again = Job("digits", 2);
  again.meta.uid = "second-life";
  Object third = again;
  third.spec.Set("priority", 3);
  const std::vector<Object> done = store_
                                       ->Commit({DeleteObject{.key = KeyOf(job), .uid = {}},
                                                 CreateObject{again}, UpdateObject{third}})
                                       .value();
  ASSERT_EQ(done.size(), 3u);
  EXPECT_EQ(done[2].meta.generation, 2);
  EXPECT_EQ(store_->Get(KeyOf(job))->meta.uid, "second-life");
  EXPECT_EQ(store_->Get(KeyOf(job))->spec.FindPath("priority")->AsInt(), 3);
}

TEST_P(StoreContract, AnEmptyTransactionIsOkAndMakesNoVersion) {
  EXPECT_TRUE(store_->Commit({})->empty());
  EXPECT_EQ(store_->All()->resource_version, 0);
}

TEST_P(StoreContract, ListsAreOfOneKindAndNamespaceInOrder) {
  for (const char* name : {"b", "a", "c"}) Create(*store_, Job(name, 1, "two"));
  Create(*store_, Job("z", 1, "one"));
  Create(*store_, Job("a", 1, "two-and-more"));
  Create(*store_, Quota("alice"));
  EXPECT_THAT(Names(store_->List(Kind::kTrainingJob, "two")->objects),
              ElementsAre("two/a", "two/b", "two/c"));
  EXPECT_THAT(Names(store_->List(Kind::kTrainingJob, "")->objects),
              ElementsAre("one/z", "two/a", "two/b", "two/c", "two-and-more/a"));
  EXPECT_THAT(Names(store_->List(Kind::kUserQuota, "")->objects), ElementsAre("/alice"));
  EXPECT_TRUE(store_->List(Kind::kBoard, "")->objects.empty());
}

TEST_P(StoreContract, ChangesComeInTheirOrderWithTheirVersions) {
  Object job = Create(*store_, Job("digits"));
  const int64_t start = job.meta.resource_version;
  job.spec.Set("priority", 5);
  ASSERT_TRUE(store_->Commit({UpdateObject{job}, CreateObject{Job("iris")}}).ok());
  ASSERT_TRUE(store_->Commit({DeleteObject{.key = KeyOf(job), .uid = {}}}).ok());
  const std::vector<Change> changes = store_->ChangesSince(start).value();
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].type, ChangeType::kModified);
  EXPECT_EQ(changes[1].type, ChangeType::kAdded);
  EXPECT_EQ(changes[2].type, ChangeType::kDeleted);
  EXPECT_EQ(changes[2].object->spec.FindPath("priority")->AsInt(), 5);
  int64_t last = start;
  for (const Change& change : changes) {
    EXPECT_GT(change.version(), last);
    last = change.version();
  }
  EXPECT_EQ(last, store_->All()->resource_version);
  EXPECT_EQ(changes[0].previous->spec.FindPath("priority")->AsInt(), 100);
  EXPECT_EQ(changes[1].previous, nullptr);
  EXPECT_EQ(changes[2].previous->meta.resource_version, changes[0].version());
  // A watcher may stop between any two.
  EXPECT_EQ(store_->ChangesSince(changes[0].version())->size(), 2u);
  EXPECT_TRUE(store_->ChangesSince(last)->empty());
}

TEST_P(StoreContract, AListAsItWasHasNeitherLaterNorLostObjects) {
  Object job = Create(*store_, Job("digits"));
  Create(*store_, Job("iris"));
  const int64_t then = store_->All()->resource_version;
  job.spec.Set("priority", 5);
  ASSERT_TRUE(store_->Commit({UpdateObject{job}, CreateObject{Job("late")}}).ok());
  ASSERT_TRUE(store_
                  ->Commit({DeleteObject{.key = KeyOf(Job("iris")), .uid = {}},
                            DeleteObject{.key = KeyOf(Job("late")), .uid = {}}})
                  .ok());
  const Snapshot list = store_->ListAt(Kind::kTrainingJob, "", then).value();
  EXPECT_EQ(list.resource_version, then);
  EXPECT_THAT(Names(list.objects), ElementsAre("default/digits", "default/iris"));
  EXPECT_EQ(list.objects[0].spec.FindPath("priority")->AsInt(), 100);
  EXPECT_TRUE(store_->ListAt(Kind::kTrainingJob, "other", then)->objects.empty());
  EXPECT_THAT(Names(store_->ListAt(Kind::kTrainingJob, "", then - 1)->objects),
              ElementsAre("default/digits"));
  EXPECT_EQ(store_->ListAt(Kind::kTrainingJob, "", 1000).status().code(), StatusCode::kOutOfRange);
}

TEST_P(StoreContract, ChangesOfTheFutureAreOutOfRange) {
  EXPECT_EQ(store_->ChangesSince(1).status().code(), StatusCode::kOutOfRange);
}

TEST_P(StoreContract, AWaiterIsWokenByACommitOfAnotherThread) {
  const int64_t version = store_->All()->resource_version;
  Thread writer("writer", [&] { Create(*store_, Job("digits")); });
  EXPECT_GT(store_->WaitForChange(version, 60s), version);
  writer.Join();
}

TEST_P(StoreContract, AWaitWithoutAChangeEndsWithTheVersionNow) {
  const int64_t version = Create(*store_, Job("digits")).meta.resource_version;
  EXPECT_EQ(store_->WaitForChange(version, 1ms), version);
  EXPECT_EQ(store_->WaitForChange(version - 1, 60s), version);
}

TEST_P(StoreContract, ConcurrentWritersLoseNoUpdate) {
  const Object job = Create(*store_, Job("counter", 0));
  constexpr int kWriters = 4, kEach = 25;
  std::vector<Thread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back("writer", [&] {
      for (int done = 0; done < kEach;) {
        Object now = store_->Get(KeyOf(job)).value();
        now.spec.Set("priority", now.spec.Find("priority")->AsInt() + 1);
        const auto outcome = store_->Commit({UpdateObject{now, now.meta.resource_version}});
        if (outcome.ok()) ++done;
      }
    });
  }
  for (Thread& writer : writers) writer.Join();
  EXPECT_EQ(store_->Get(KeyOf(job))->spec.Find("priority")->AsInt(), kWriters * kEach);
}

TEST(MemoryStore, ChangesTooFarBackAreOutOfRange) {
  const std::unique_ptr<Store> store = MakeMemoryStore();
  Object job = Create(*store, Job("digits"));
  const int64_t start = job.meta.resource_version;
  for (size_t i = 0; i <= limits::kWatchHistoryMax; ++i) {
    job.spec.Set("priority", static_cast<int64_t>(1000 + i));
    ASSERT_TRUE(store->Commit({UpdateObject{job}}).ok());
  }
  EXPECT_EQ(store->ChangesSince(start).status().code(), StatusCode::kOutOfRange);
  EXPECT_EQ(store->ChangesSince(start + 1)->size(), limits::kWatchHistoryMax);
}

TEST(SqliteStore, EverythingIsThereAfterReopening) {
  const TempFolder folder;
  const std::string path = folder.File("octet.db");
  std::string before;
  int64_t version = 0;
  {
    const std::unique_ptr<Store> store = OpenSqliteStore(path).value();
    Object job = Job("digits");
    job.meta.deleted = TimePoint(7s);
    job.status.Set("loss", 0.25);
    Create(*store, job);
    Create(*store, Quota("alice"));
    for (const Object& object : store->All().value().objects) {
      before += WriteCanonicalJson(EncodeObject(object)) + "\n";
    }
    version = store->All()->resource_version;
  }
  const std::unique_ptr<Store> store = OpenSqliteStore(path).value();
  std::string after;
  for (const Object& object : store->All().value().objects) {
    after += WriteCanonicalJson(EncodeObject(object)) + "\n";
  }
  EXPECT_EQ(after, before);
  EXPECT_EQ(store->All()->resource_version, version);
  EXPECT_TRUE(store->ChangesSince(version)->empty());
}

std::string Words(const std::vector<Change>& changes) {
  std::string words;
  for (const Change& change : changes) {
    words += std::to_string(change.version()) + " " +
             std::to_string(static_cast<int>(change.type)) + " " +
             WriteCanonicalJson(EncodeObject(*change.object)) + " was " +
             (change.previous == nullptr ? "nothing"
                                         : WriteCanonicalJson(EncodeObject(*change.previous))) +
             "\n";
  }
  return words;
}

TEST(SqliteStore, TheLastChangesAreKnownAfterReopening) {
  const TempFolder folder;
  const std::string path = folder.File("octet.db");
  std::string before;
  int64_t version = 0;
  {
    const std::unique_ptr<Store> store = OpenSqliteStore(path).value();
    Object job = Create(*store, Job("digits"));
    job.spec.Set("priority", 5);
    ASSERT_TRUE(store->Commit({UpdateObject{job}, CreateObject{Job("iris")}}).ok());
    ASSERT_TRUE(store->Commit({DeleteObject{.key = KeyOf(job), .uid = {}}}).ok());
    before = Words(store->ChangesSince(0).value());
    version = store->All()->resource_version;
  }
  const std::unique_ptr<Store> store = OpenSqliteStore(path).value();
  EXPECT_EQ(store->OldestVersion(), 0);
  EXPECT_EQ(Words(store->ChangesSince(0).value()), before);
  EXPECT_THAT(Names(store->ListAt(Kind::kTrainingJob, "", 1)->objects),
              ElementsAre("default/digits"));
  Create(*store, Job("late"));
  EXPECT_EQ(store->ChangesSince(version)->size(), 1U);
}

TEST(SqliteStore, ChangesBeyondTheLimitAreDroppedFromTheFileToo) {
  const TempFolder folder;
  const std::string path = folder.File("octet.db");
  constexpr int64_t kBeyond = 50;
  {
    const std::unique_ptr<Store> store = OpenSqliteStore(path).value();
    Object job = Create(*store, Job("digits"));
    std::vector<Write> writes;
    for (int64_t i = 1; i < static_cast<int64_t>(limits::kWatchHistoryMax) + kBeyond; ++i) {
      job.spec.Set("priority", 1000 + i);
      writes.push_back(UpdateObject{job});
    }
    ASSERT_TRUE(store->Commit(writes).ok());
  }
  const std::unique_ptr<Store> store = OpenSqliteStore(path).value();
  EXPECT_EQ(store->OldestVersion(), kBeyond);
  EXPECT_EQ(store->ChangesSince(kBeyond - 1).status().code(), StatusCode::kOutOfRange);
  EXPECT_EQ(store->ChangesSince(kBeyond)->size(), limits::kWatchHistoryMax);
}

TEST(SqliteStore, AVersionIsNeverGivenTwiceEvenAfterTheNewestObjectWasDeleted) {
  const TempFolder folder;
  const std::string path = folder.File("octet.db");
  int64_t deleted_at = 0;
  {
    const std::unique_ptr<Store> store = OpenSqliteStore(path).value();
    const Object job = Create(*store, Job("digits"));
    deleted_at =
        store->Commit({DeleteObject{.key = KeyOf(job), .uid = {}}})->front().meta.resource_version;
  }
  const std::unique_ptr<Store> store = OpenSqliteStore(path).value();
  EXPECT_EQ(store->All()->resource_version, deleted_at);
  EXPECT_GT(Create(*store, Job("iris")).meta.resource_version, deleted_at);
}

}  // namespace
}  // namespace octet
