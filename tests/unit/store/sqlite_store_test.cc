// The SQLite store where a map in memory cannot stand in for it: files, disks, crashes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "coordinator/store/sqlite_faults.h"
#include "coordinator/store/store.h"
#include "shared/base/random.h"
#include "shared/objects/json.h"

namespace octet {
namespace {

using testing::HasSubstr;

class SqliteStoreTest : public testing::Test {
 protected:
  SqliteStoreTest() {
    std::string pattern = testing::TempDir() + "octet-store-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ + "/octet.db";
  }
  ~SqliteStoreTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Store> Open() const { return OpenSqliteStore(path_).value(); }

  void Sql(const std::string& statement) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }

  std::string ReadFile() const {
    std::ostringstream bytes;
    bytes << std::ifstream(path_, std::ios::binary).rdbuf();
    return bytes.str();
  }
  void WriteFile(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }

  std::string folder_;
  std::string path_;
};

Object Job(const std::string& name, int64_t priority = 100) {
  Object object{.kind = Kind::kTrainingJob, .meta = {}, .spec = Value::MakeMap(), .status = {}};
  object.meta.name = name;
  object.meta.ns = "default";
  object.meta.uid = "uid-" + name;
  object.spec.Set("priority", priority);
  return object;
}

// Everything in the store, as text.
std::string Dump(const Store& store) {
  const Snapshot all = store.All().value();
  std::string text = std::to_string(all.resource_version);
  for (const Object& object : all.objects) text += "\n" + WriteCanonicalJson(EncodeObject(object));
  return text;
}

TEST_F(SqliteStoreTest, ADatabaseThatIsOpenCannotBeOpenedAgain) {
  const std::unique_ptr<Store> first = Open();
  const Status refused = OpenSqliteStore(path_).status();
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(refused.message(), HasSubstr("in use by another process"));
  EXPECT_THAT(refused.message(), HasSubstr(path_));
  EXPECT_TRUE(first->Commit({CreateObject{Job("digits")}}).ok());
}

TEST_F(SqliteStoreTest, AnotherProcessCannotOpenItEither) {
  const std::unique_ptr<Store> first = Open();
  ASSERT_TRUE(first->Commit({CreateObject{Job("digits")}}).ok());
  // An exec'ed process, since a forked copy of this one would inherit SQLite's state.
  const std::string script =
      "import sqlite3,sys\n"
      "try: sqlite3.connect(sys.argv[1], timeout=0).execute('select * from objects').fetchall()\n"
      "except sqlite3.OperationalError as error: sys.exit(42 if 'locked' in str(error) else 1)\n";
  const std::string command = "python3 -c \"" + script + "\" " + path_;
  const int outcome = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(outcome), 42);
}

TEST_F(SqliteStoreTest, ADatabaseOfANewerVersionIsLeftAlone) {
  Open();
  Sql("PRAGMA user_version = 3");
  const Status refused = OpenSqliteStore(path_).status();
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(refused.message(), HasSubstr("newer version"));
}

// Version 1 had no table of changes: its objects are kept, and changes are known from now on.
TEST_F(SqliteStoreTest, ADatabaseOfVersionOneIsBroughtUpToDate) {
  ASSERT_TRUE(Open()->Commit({CreateObject{Job("digits")}}).ok());
  Sql("DROP TABLE changes; PRAGMA user_version = 1");
  {
    const std::unique_ptr<Store> store = Open();
    EXPECT_EQ(store->All()->objects.size(), 1U);
    EXPECT_EQ(store->OldestVersion(), 1);
    ASSERT_TRUE(store->Commit({CreateObject{Job("iris")}}).ok());
  }
  EXPECT_EQ(Open()->ChangesSince(1)->size(), 1U);
}

TEST_F(SqliteStoreTest, ADatabaseOfAnotherProgramIsLeftAlone) {
  Sql("CREATE TABLE bookmarks(url TEXT)");
  const std::string before = ReadFile();
  const Status refused = OpenSqliteStore(path_).status();
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(refused.message(), HasSubstr("another program"));
  EXPECT_EQ(ReadFile(), before);
}

TEST_F(SqliteStoreTest, AFileThatIsNoDatabaseIsDamagedAndKept) {
  const std::string text(10'000, 'x');
  WriteFile(text);
  const Status refused = OpenSqliteStore(path_).status();
  EXPECT_EQ(refused.code(), StatusCode::kDataLoss);
  EXPECT_THAT(refused.message(), HasSubstr(path_));
  EXPECT_THAT(refused.message(), HasSubstr("Move it away"));
  EXPECT_EQ(ReadFile(), text);
}

TEST_F(SqliteStoreTest, ADatabaseWithOverwrittenPagesIsDamaged) {
  {
    const std::unique_ptr<Store> store = Open();
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(store->Commit({CreateObject{Job("job-" + std::to_string(i))}}).ok());
    }
  }
  std::string bytes = ReadFile();
  ASSERT_GT(bytes.size(), 16'384u);
  bytes.replace(8192, 4096, std::string(4096, '\x5a'));
  WriteFile(bytes);
  EXPECT_EQ(OpenSqliteStore(path_).status().code(), StatusCode::kDataLoss);
}

TEST_F(SqliteStoreTest, ARowThatIsNoObjectIsDamagedAndNamed) {
  ASSERT_TRUE(Open()->Commit({CreateObject{Job("digits")}}).ok());
  Sql("UPDATE objects SET json = '{\"kind\":1}'");
  const Status refused = OpenSqliteStore(path_).status();
  EXPECT_EQ(refused.code(), StatusCode::kDataLoss);
  EXPECT_THAT(refused.message(), HasSubstr("TrainingJob default/digits"));
}

TEST_F(SqliteStoreTest, AnEmptyFileBecomesADatabase) {
  WriteFile("");
  EXPECT_TRUE(Open()->Commit({CreateObject{Job("digits")}}).ok());
}

TEST_F(SqliteStoreTest, AMissingFolderIsNamed) {
  const Status refused = OpenSqliteStore(folder_ + "/no/octet.db").status();
  EXPECT_EQ(refused.code(), StatusCode::kUnavailable);
  EXPECT_THAT(refused.message(), HasSubstr(folder_ + "/no/octet.db"));
}

TEST_F(SqliteStoreTest, AFullDiskChangesNothingAndPasses) {
  SqliteFaults disk;
  std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->Commit({CreateObject{Job("first", 1)}}).ok());
  const std::string before = Dump(*store);
  // Wherever in the transaction the disk runs full.
  for (int n = 0; n < 6; ++n) {
    disk.FillDiskFrom(n);
    Object big = Job("big");
    big.spec.Set("text", std::string(20'000, 'x'));
    const auto refused = store->Commit(
        {UpdateObject{Job("first", 2)}, CreateObject{Job("second")}, CreateObject{big}});
    ASSERT_EQ(refused.status().code(), StatusCode::kResourceExhausted) << "write " << n;
    EXPECT_EQ(Dump(*store), before);
    disk.Heal();
  }
  store.reset();
  store = Open();
  EXPECT_EQ(Dump(*store), before);
  EXPECT_TRUE(store->Commit({CreateObject{Job("second")}}).ok());
}

TEST_F(SqliteStoreTest, AfterAFailedSyncNothingIsWrittenUntilTheFileIsOpenedAgain) {
  SqliteFaults disk;
  std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->Commit({CreateObject{Job("first")}}).ok());
  const std::string before = Dump(*store);
  disk.FailSyncs();
  EXPECT_EQ(store->Commit({CreateObject{Job("second")}}).status().code(), StatusCode::kUnavailable);
  disk.Heal();
  EXPECT_EQ(store->Commit({CreateObject{Job("third")}}).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(Dump(*store), before);
  store.reset();
  EXPECT_TRUE(Open()->Commit({CreateObject{Job("third")}}).ok());
}

TEST_F(SqliteStoreTest, WhatWasAcknowledgedSurvivesAPowerCut) {
  SqliteFaults disk;
  std::string before;
  for (int round = 0; round < 10; ++round) {
    std::unique_ptr<Store> store = Open();
    if (round > 0) {
      EXPECT_EQ(Dump(*store), before) << "round " << round;
    }
    for (int i = 0; i < round; ++i) {
      const std::string name = "job-" + std::to_string(round) + "-" + std::to_string(i);
      ASSERT_TRUE(store->Commit({CreateObject{Job(name)}}).ok());
    }
    before = Dump(*store);
    disk.CutPower();
    EXPECT_FALSE(store->Commit({CreateObject{Job("unacknowledged")}}).ok());
    store.reset();
    disk.RestorePower();
  }
}

// Creates job-1, job-2, … and a counter in one transaction each, and writes each number to `pipe`
// once it is acknowledged. Never returns.
[[noreturn]] void CommitForEver(const std::string& path, int pipe) {
  const Result<std::unique_ptr<Store>> store = OpenSqliteStore(path);
  if (!store.ok()) _exit(3);
  const Result<Object> counter = (*store)->Get(KeyOf(Job("counter")));
  int64_t number = counter.ok() ? counter->spec.Find("priority")->AsInt() : 0;
  while (true) {
    ++number;
    const Object next = Job("counter", number);
    const Write count = number == 1 ? Write(CreateObject{next}) : Write(UpdateObject{next});
    if (!(*store)->Commit({CreateObject{Job("job-" + std::to_string(number))}, count}).ok())
      _exit(4);
    if (write(pipe, &number, sizeof(number)) != sizeof(number)) _exit(5);
  }
}

// Starts a child, reads `acknowledgements` of its messages, kills it and reads what else it had
// sent. Gives the last number that it acknowledged.
int64_t RunAndKill(const std::string& path, uint64_t acknowledgements, uint64_t spins) {
  int pipe_ends[2];
  EXPECT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(pipe_ends[0]);
    CommitForEver(path, pipe_ends[1]);
  }
  close(pipe_ends[1]);
  int64_t last = 0;
  for (uint64_t i = 0; i < acknowledgements; ++i) {
    EXPECT_EQ(read(pipe_ends[0], &last, sizeof(last)), static_cast<ssize_t>(sizeof(last)));
  }
  // Some microseconds more, so that the kill falls anywhere in a transaction.
  volatile uint64_t spun = 0;
  for (uint64_t i = 0; i < spins; ++i) spun = spun + i;
  kill(child, SIGKILL);
  int how = 0;
  EXPECT_EQ(waitpid(child, &how, 0), child);
  EXPECT_TRUE(WIFSIGNALED(how)) << "the child ended by itself: " << WEXITSTATUS(how);
  while (read(pipe_ends[0], &last, sizeof(last)) == static_cast<ssize_t>(sizeof(last))) {
  }
  close(pipe_ends[0]);
  return last;
}

TEST_F(SqliteStoreTest, NothingAcknowledgedIsLostWhenTheProcessIsKilled) {
  const uint64_t seed = SystemRandom64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int round = 0; round < 30; ++round) {
    const int64_t acknowledged = RunAndKill(path_, 1 + random.Below(20), random.Below(2'000'000));
    const std::unique_ptr<Store> store = Open();
    const int64_t counted =
        store->Get(KeyOf(Job("counter"))).value().spec.Find("priority")->AsInt();
    // One more may have been committed and not yet acknowledged.
    EXPECT_GE(counted, acknowledged);
    EXPECT_LE(counted, acknowledged + 1);
    const Snapshot all = store->All().value();
    EXPECT_EQ(all.objects.size(), static_cast<size_t>(counted) + 1) << "a transaction was torn";
    EXPECT_EQ(all.resource_version, 2 * counted);
    EXPECT_TRUE(store->Get(KeyOf(Job("job-" + std::to_string(counted)))).ok());
  }
}

}  // namespace
}  // namespace octet
