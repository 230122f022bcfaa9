// Writes when somebody else writes at the same time, and when the disk is full or broken.
#include <cstdlib>
#include <filesystem>

#include "coordinator/store/sqlite_faults.h"
#include "shared/base/limits.h"
#include "shared/base/thread.h"
#include "tests/unit/api/api_fixture.h"

namespace octet {
namespace {

using ::testing::HasSubstr;

const std::string kLocal = std::string(kPools) + "/local";

class TroubleTest : public ApiTest {
 protected:
  TroubleTest() {
    std::string pattern = testing::TempDir() + "octet-api-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~TroubleTest() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

ApiRequest PatchRequest(ApiRequest request) {
  request.headers["content-type"] = kMergeMediaType;
  return request;
}

TEST_F(TroubleTest, PatchesOfTwoClientsAtOnceAreBothThere) {
  ASSERT_EQ(Send("POST", kPools, kPoolBody).code, 201);
  constexpr int kEach = 100;
  const auto label_all = [&](const std::string& client) {
    ApiHandler handler(*store_, clock_, {});
    for (int i = 0; i < kEach;) {
      const std::string label = "\"" + client + std::to_string(i) + "\": \"x\"";
      const ApiResponse patched = handler.Handle(PatchRequest(
          MakeRequest("PATCH", kLocal, "{\"metadata\": {\"labels\": {" + label + "}}}")));
      if (patched.code == 200) ++i;
      if (patched.code != 200) {
        EXPECT_EQ(FailureOf(patched), "409 Conflict");
      }
    }
  };
  Thread other("other", [&] { label_all("a"); });
  label_all("b");
  other.Join();
  const Value pool = BodyOf(Send("GET", kLocal));
  EXPECT_EQ(pool.FindPath("metadata.labels")->AsMap().size(), 2U * kEach);
}

// Of those that replace what they have read, one wins each time.
TEST_F(TroubleTest, ReplacementsOfTwoClientsAtOnceAreCountedOnce) {
  ASSERT_EQ(Send("POST", kPools, kPoolBody).code, 201);
  constexpr int kEach = 50;
  const auto count_up = [&] {
    ApiHandler handler(*store_, clock_, {});
    for (int done = 0; done < kEach;) {
      Value pool = BodyOf(handler.Handle(MakeRequest("GET", kLocal)));
      Value* replicas = pool.Find("spec")->Find("replicas");
      *replicas = Value(replicas->AsInt() + 1);
      const int code = handler.Handle(MakeRequest("PUT", kLocal, WriteJson(pool))).code;
      EXPECT_TRUE(code == 200 || code == 409) << code;
      if (code == 200) ++done;
    }
  };
  Thread other("other", count_up);
  count_up();
  other.Join();
  EXPECT_EQ(TextAt(BodyOf(Send("GET", kLocal)), "spec.replicas"), std::to_string(2 + 2 * kEach));
}

// A clock whose every look lets somebody else write first: a deletion asks for the time between
// reading the object and writing it.
class MeddlingClock final : public Clock {
 public:
  MeddlingClock(TimePoint now, std::function<void()> meddle)
      : now_(now), meddle_(std::move(meddle)) {}
  TimePoint Now() const override {
    meddle_();
    return now_;
  }
  MonotonicTime Monotonic() const override { return {}; }

 private:
  TimePoint now_;
  std::function<void()> meddle_;
};

TEST_F(TroubleTest, ADeletionIsRepeatedWhenSomebodyElseWroteFirst) {
  ASSERT_EQ(Send("POST", kJobs, kJobBody).code, 201);
  Change(Kind::kTrainingJob, "digits", [](Object& job) { job.meta.finalizers = {"f"}; });
  int meddled = 0;
  size_t times = 2;
  const MeddlingClock clock(clock_.Now(), [&] {
    if (static_cast<size_t>(meddled) == times) return;
    ++meddled;
    SetJobPhase("digits", meddled % 2 == 0 ? "Running" : "Starting");
  });
  ApiHandler handler(*store_, clock, {});
  const std::string target = std::string(kJobs) + "/digits";
  const ApiResponse deleted = handler.Handle(MakeRequest("DELETE", target));
  EXPECT_EQ(deleted.code, 200) << deleted.body;
  EXPECT_EQ(meddled, 2);
  EXPECT_EQ(TextAt(BodyOf(deleted), "status.phase"), "Running") << "what was written is kept";
  EXPECT_NE(TextAt(BodyOf(Send("GET", target)), "metadata.deletionTimestamp"), "<absent>");
}

TEST_F(TroubleTest, ADeletionThatNeverComesFirstIsAConflict) {
  ASSERT_EQ(Send("POST", kJobs, kJobBody).code, 201);
  Change(Kind::kTrainingJob, "digits", [](Object& job) { job.meta.finalizers = {"f"}; });
  int meddled = 0;
  const MeddlingClock clock(clock_.Now(), [&] {
    ++meddled;
    SetJobPhase("digits", meddled % 2 == 0 ? "Running" : "Starting");
  });
  ApiHandler handler(*store_, clock, {});
  const ApiResponse deleted = handler.Handle(MakeRequest("DELETE", std::string(kJobs) + "/digits"));
  EXPECT_EQ(FailureOf(deleted), "409 Conflict");
  EXPECT_EQ(meddled, limits::kCommitAttemptsMax);
}

// Passes calls on; before each commit somebody else writes.
class BusyStore final : public Store {
 public:
  BusyStore(Store& base, std::function<void()> meddle) : base_(base), meddle_(std::move(meddle)) {}
  Result<Object> Get(const ObjectKey& key) const override { return base_.Get(key); }
  Result<Snapshot> List(Kind kind, const std::string& ns) const override {
    return base_.List(kind, ns);
  }
  Result<Snapshot> ListAt(Kind kind, const std::string& ns, int64_t version) const override {
    return base_.ListAt(kind, ns, version);
  }
  Result<Snapshot> All() const override { return base_.All(); }
  Result<std::vector<Object>> Commit(const std::vector<Write>& writes) override {
    meddle_();
    return base_.Commit(writes);
  }
  int64_t OldestVersion() const override { return base_.OldestVersion(); }
  Result<std::vector<Change>> ChangesSince(int64_t version) const override {
    return base_.ChangesSince(version);
  }
  int64_t WaitForChange(int64_t version, Duration wait) const override {
    return base_.WaitForChange(version, wait);
  }

 private:
  Store& base_;
  std::function<void()> meddle_;
};

TEST_F(TroubleTest, APatchIsMadeAnewUntilNobodyElseIsFirst) {
  ASSERT_EQ(Send("POST", kPools, kPoolBody).code, 201);
  int commits = 0;
  int busy_for = limits::kCommitAttemptsMax - 1;
  BusyStore store(*store_, [&] {
    if (++commits > busy_for) return;
    Change(Kind::kSlicePool, "local", [&](Object& pool) {
      pool.status = Value::MakeMap();
      pool.status.Set("boards", commits);
    });
  });
  ApiHandler handler(store, clock_, {});
  const ApiRequest patch =
      PatchRequest(MakeRequest("PATCH", kLocal, R"({"spec": {"replicas": 9}})"));
  const ApiResponse patched = handler.Handle(patch);
  EXPECT_EQ(patched.code, 200) << patched.body;
  EXPECT_EQ(TextAt(BodyOf(patched), "spec.replicas"), "9");
  EXPECT_EQ(TextAt(BodyOf(patched), "status.boards"), std::to_string(busy_for));

  commits = 0;
  busy_for = 1000;
  ApiRequest again = patch;
  again.body = R"({"spec": {"replicas": 10}})";
  EXPECT_EQ(FailureOf(handler.Handle(again)), "409 Conflict");
  EXPECT_EQ(commits, limits::kCommitAttemptsMax);
  EXPECT_EQ(TextAt(BodyOf(Send("GET", kLocal)), "spec.replicas"), "9");
}

// A replacement means the version that was read, so that it must not be tried again.
TEST_F(TroubleTest, AReplacementThatLosesTheRaceIsAConflict) {
  ASSERT_EQ(Send("POST", kPools, kPoolBody).code, 201);
  Value pool = BodyOf(Send("GET", kLocal));
  pool.Find("spec")->Set("replicas", 9);
  int commits = 0;
  BusyStore store(*store_, [&] {
    ++commits;
    Change(Kind::kSlicePool, "local", [](Object& live) { live.spec.Set("replicas", 3); });
  });
  ApiHandler handler(store, clock_, {});
  EXPECT_EQ(FailureOf(handler.Handle(MakeRequest("PUT", kLocal, WriteJson(pool)))), "409 Conflict");
  EXPECT_EQ(commits, 1);
  EXPECT_EQ(TextAt(BodyOf(Send("GET", kLocal)), "spec.replicas"), "3");
}

TEST_F(TroubleTest, ANameThatSomebodyElseTookMeanwhileExists) {
  BusyStore store(*store_, [&] { EXPECT_EQ(Send("POST", kPools, kPoolBody).code, 201); });
  ApiHandler handler(store, clock_, {});
  EXPECT_EQ(FailureOf(handler.Handle(MakeRequest("POST", kPools, kPoolBody))), "409 AlreadyExists");
}

TEST_F(TroubleTest, AFullDiskIsSaidAndNothingIsChanged) {
  SqliteFaults disk;
  const std::unique_ptr<Store> store = OpenSqliteStore(folder_ + "/octet.db").value();
  ApiHandler handler(*store, clock_, {});
  ASSERT_EQ(handler.Handle(MakeRequest("POST", kPools, kPoolBody)).code, 201);
  disk.FillDiskFrom(0);
  const ApiResponse refused =
      handler.Handle(PatchRequest(MakeRequest("PATCH", kLocal, R"({"spec": {"replicas": 9}})")));
  EXPECT_EQ(FailureOf(refused), "507 InsufficientStorage");
  EXPECT_THAT(TextAt(BodyOf(refused), "message"), HasSubstr("disk is full"));
  EXPECT_EQ(FailureOf(handler.Handle(MakeRequest("DELETE", kLocal))), "507 InsufficientStorage");
  const Value pool = BodyOf(handler.Handle(MakeRequest("GET", kLocal)));
  EXPECT_EQ(TextAt(pool, "spec.replicas"), "2") << "it can still be read";
  disk.Heal();
  EXPECT_EQ(
      handler.Handle(PatchRequest(MakeRequest("PATCH", kLocal, R"({"spec": {"replicas": 9}})")))
          .code,
      200);
}

TEST_F(TroubleTest, ABrokenDiskIsUnavailable) {
  SqliteFaults disk;
  const std::unique_ptr<Store> store = OpenSqliteStore(folder_ + "/octet.db").value();
  ApiHandler handler(*store, clock_, {});
  disk.FailSyncs();
  EXPECT_EQ(FailureOf(handler.Handle(MakeRequest("POST", kPools, kPoolBody))),
            "503 ServiceUnavailable");
  EXPECT_EQ(handler.Handle(MakeRequest("GET", kLocal)).code, 404);
}

// The fixture answers at most 1,000 bytes at a time.
TEST_F(TroubleTest, ALongLogEndsWithItsLastPart) {
  ASSERT_EQ(Send("POST", kJobs, kJobBody).code, 201);
  JobLogs(files_, "/logs").Append(JobUid("uid-1"), {std::string(1499, 'x')});
  SetJobPhase("digits", "Succeeded");
  const std::string log = std::string(kJobs) + "/digits/log";
  const ApiResponse first = Send("GET", log);
  EXPECT_EQ(first.body.size(), 1000U);
  EXPECT_EQ(first.headers.at("Octet-Log-End"), "false");
  const ApiResponse last = Send("GET", log + "?offset=1000");
  EXPECT_EQ(last.body.size(), 500U);
  EXPECT_EQ(last.headers.at("Octet-Log-End"), "true");
}

TEST_F(TroubleTest, ALogThatCannotBeReadIsNoEmptyLog) {
  ASSERT_EQ(Send("POST", kJobs, kJobBody).code, 201);
  ApiOptions options;
  options.read_log = [](const JobUid&, int64_t) -> Result<JobLogPart> {
    return Unavailable("the disk does not answer");
  };
  ApiHandler handler(*store_, clock_, std::move(options));
  EXPECT_EQ(FailureOf(handler.Handle(MakeRequest("GET", std::string(kJobs) + "/digits/log"))),
            "503 ServiceUnavailable");
}

}  // namespace
}  // namespace octet
