// What every FileSystem does, run on the real one (in a temporary folder), the one in memory and
// the fault-injecting one while it injects nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <memory>
#include <string>
#include <vector>

#include "shared/base/file_system.h"
#include "shared/base/thread.h"

namespace octet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// One file system and an empty folder of it.
class World {
 public:
  virtual ~World() = default;
  virtual FileSystem& files() = 0;
  virtual std::string root() const = 0;
};

class PosixWorld final : public World {
 public:
  PosixWorld() {
    std::string pattern = JoinPath(testing::TempDir(), "octet-files-XXXXXX");
    root_ = mkdtemp(pattern.data());
  }
  ~PosixWorld() override { (void)files_.RemoveAll(root_); }
  FileSystem& files() override { return files_; }
  std::string root() const override { return root_; }

 private:
  PosixFileSystem files_;
  std::string root_;
};

class MemoryWorld final : public World {
 public:
  MemoryWorld() { EXPECT_TRUE(files_.CreateDirectories("/root").ok()); }
  FileSystem& files() override { return files_; }
  std::string root() const override { return "/root"; }

 private:
  MemoryFileSystem files_;
};

class FaultWorld final : public World {
 public:
  FileSystem& files() override { return files_; }
  std::string root() const override { return base_.root(); }

 private:
  MemoryWorld base_;
  FaultFileSystem files_{base_.files()};
};

template <typename WorldType>
class FileSystemContract : public testing::Test {
 protected:
  std::string In(const std::string& name) const { return JoinPath(world_.root(), name); }
  std::string Bytes(const std::string& name) {
    const Result<std::string> bytes = files_.Read(In(name));
    return bytes.ok() ? *bytes : bytes.status().ToString();
  }

  WorldType world_;
  FileSystem& files_ = world_.files();
};

struct WorldNames {
  template <typename WorldType>
  static std::string GetName(int) {
    if (std::is_same_v<WorldType, PosixWorld>) return "Posix";
    return std::is_same_v<WorldType, MemoryWorld> ? "Memory" : "FaultWithoutFaults";
  }
};

using Worlds = testing::Types<PosixWorld, MemoryWorld, FaultWorld>;
TYPED_TEST_SUITE(FileSystemContract, Worlds, WorldNames);

TYPED_TEST(FileSystemContract, ReadsWhatWasWritten) {
  const std::string bytes("a\0b\n\xFF", 5);
  ASSERT_TRUE(this->files_.Write(this->In("f"), bytes).ok());
  EXPECT_EQ(this->Bytes("f"), bytes);
}

TYPED_TEST(FileSystemContract, KeepsMoreThanOneBuffer) {
  std::string bytes;
  for (int i = 0; i < 300'000; ++i) bytes += static_cast<char>(i * 7);
  ASSERT_TRUE(this->files_.Write(this->In("f"), bytes).ok());
  EXPECT_TRUE(this->Bytes("f") == bytes);
}

TYPED_TEST(FileSystemContract, WritingReplacesEvenWithLess) {
  ASSERT_TRUE(this->files_.Write(this->In("f"), "long text").ok());
  ASSERT_TRUE(this->files_.Write(this->In("f"), "").ok());
  EXPECT_EQ(this->Bytes("f"), "");
  EXPECT_TRUE(this->files_.Exists(this->In("f")));
}

TYPED_TEST(FileSystemContract, AppendingCreatesAndExtends) {
  ASSERT_TRUE(this->files_.Append(this->In("f"), "one ").ok());
  ASSERT_TRUE(this->files_.Append(this->In("f"), "two").ok());
  EXPECT_EQ(this->Bytes("f"), "one two");
}

TYPED_TEST(FileSystemContract, AppendsFromSeveralThreadsAreAllThere) {
  std::vector<Thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back("append", [this] {
      for (int i = 0; i < 100; ++i) EXPECT_TRUE(this->files_.Append(this->In("f"), "x").ok());
    });
  }
  for (Thread& thread : threads) thread.Join();
  EXPECT_EQ(this->Bytes("f"), std::string(400, 'x'));
}

TYPED_TEST(FileSystemContract, WhatIsAbsentIsNotFoundAndNamed) {
  const std::string absent = this->In("absent");
  EXPECT_FALSE(this->files_.Exists(absent));
  EXPECT_EQ(this->files_.Read(absent).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(this->files_.List(absent).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(this->files_.Remove(absent).code(), StatusCode::kNotFound);
  EXPECT_EQ(this->files_.Sync(absent).code(), StatusCode::kNotFound);
  EXPECT_EQ(this->files_.Rename(absent, this->In("f")).code(), StatusCode::kNotFound);
  EXPECT_THAT(this->files_.Read(absent).status().message(), HasSubstr(absent));
}

TYPED_TEST(FileSystemContract, AFileNeedsItsFolder) {
  EXPECT_EQ(this->files_.Write(this->In("absent/f"), "x").code(), StatusCode::kNotFound);
  EXPECT_EQ(this->files_.Append(this->In("absent/f"), "x").code(), StatusCode::kNotFound);
  EXPECT_FALSE(this->files_.Exists(this->In("absent")));
}

TYPED_TEST(FileSystemContract, RemovingAFileLeavesTheOthers) {
  ASSERT_TRUE(this->files_.Write(this->In("f"), "x").ok());
  ASSERT_TRUE(this->files_.Write(this->In("g"), "y").ok());
  ASSERT_TRUE(this->files_.Remove(this->In("f")).ok());
  EXPECT_FALSE(this->files_.Exists(this->In("f")));
  EXPECT_EQ(this->Bytes("g"), "y");
}

TYPED_TEST(FileSystemContract, RenamingReplacesTheTarget) {
  ASSERT_TRUE(this->files_.Write(this->In("f"), "new").ok());
  ASSERT_TRUE(this->files_.Write(this->In("g"), "old").ok());
  ASSERT_TRUE(this->files_.Rename(this->In("f"), this->In("g")).ok());
  EXPECT_FALSE(this->files_.Exists(this->In("f")));
  EXPECT_EQ(this->Bytes("g"), "new");
}

TYPED_TEST(FileSystemContract, RenamingToItsOwnNameChangesNothing) {
  ASSERT_TRUE(this->files_.Write(this->In("f"), "x").ok());
  ASSERT_TRUE(this->files_.Rename(this->In("f"), this->In("f")).ok());
  EXPECT_EQ(this->Bytes("f"), "x");
}

TYPED_TEST(FileSystemContract, RenamingIntoAnAbsentFolderIsNotFound) {
  ASSERT_TRUE(this->files_.Write(this->In("f"), "x").ok());
  EXPECT_EQ(this->files_.Rename(this->In("f"), this->In("absent/f")).code(), StatusCode::kNotFound);
  EXPECT_EQ(this->Bytes("f"), "x");
}

TYPED_TEST(FileSystemContract, AFolderMovesWithWhatIsInIt) {
  ASSERT_TRUE(this->files_.CreateDirectories(this->In("a/deep")).ok());
  ASSERT_TRUE(this->files_.Write(this->In("a/deep/f"), "x").ok());
  ASSERT_TRUE(this->files_.Rename(this->In("a"), this->In("b")).ok());
  EXPECT_EQ(this->Bytes("b/deep/f"), "x");
  EXPECT_FALSE(this->files_.Exists(this->In("a")));
}

TYPED_TEST(FileSystemContract, AFolderDoesNotMoveOntoOneThatHoldsSomething) {
  ASSERT_TRUE(this->files_.CreateDirectories(this->In("a")).ok());
  ASSERT_TRUE(this->files_.CreateDirectories(this->In("b/deep")).ok());
  EXPECT_EQ(this->files_.Rename(this->In("a"), this->In("b")).code(), StatusCode::kAlreadyExists);
  EXPECT_TRUE(this->files_.Exists(this->In("a")));
}

TYPED_TEST(FileSystemContract, AFolderDoesNotMoveIntoItself) {
  ASSERT_TRUE(this->files_.CreateDirectories(this->In("a/b")).ok());
  EXPECT_FALSE(this->files_.Rename(this->In("a"), this->In("a/b/c")).ok());
  EXPECT_TRUE(this->files_.Exists(this->In("a/b")));
}

TYPED_TEST(FileSystemContract, CreatesFoldersWithTheirParentsAndTwice) {
  ASSERT_TRUE(this->files_.CreateDirectories(this->In("a/b/c")).ok());
  EXPECT_TRUE(this->files_.CreateDirectories(this->In("a/b/c")).ok());
  EXPECT_TRUE(this->files_.CreateDirectories(this->In("a/b/c/")).ok());
  EXPECT_TRUE(this->files_.Exists(this->In("a/b/c")));
}

TYPED_TEST(FileSystemContract, AFileInTheWayOfAFolderAlreadyExists) {
  ASSERT_TRUE(this->files_.Write(this->In("f"), "x").ok());
  EXPECT_EQ(this->files_.CreateDirectories(this->In("f")).code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(this->files_.CreateDirectories(this->In("f/deep")).code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(this->Bytes("f"), "x");
}

TYPED_TEST(FileSystemContract, AFolderIsNoFile) {
  ASSERT_TRUE(this->files_.CreateDirectories(this->In("d")).ok());
  EXPECT_EQ(this->files_.Read(this->In("d")).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(this->files_.Write(this->In("d"), "x").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(this->files_.Append(this->In("d"), "x").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(this->files_.Remove(this->In("d")).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(this->files_.Write(this->In("f"), "x").ok());
  EXPECT_EQ(this->files_.Rename(this->In("f"), this->In("d")).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(this->Bytes("f"), "x");
}

TYPED_TEST(FileSystemContract, AFileIsNoFolder) {
  ASSERT_TRUE(this->files_.Write(this->In("f"), "x").ok());
  EXPECT_EQ(this->files_.List(this->In("f")).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(this->files_.Write(this->In("f/g"), "x").code(), StatusCode::kNotFound);
}

TYPED_TEST(FileSystemContract, RemovesATreeAndAnAbsentOneIsFine) {
  ASSERT_TRUE(this->files_.CreateDirectories(this->In("a/b")).ok());
  ASSERT_TRUE(this->files_.Write(this->In("a/b/f"), "x").ok());
  ASSERT_TRUE(this->files_.Write(this->In("ab"), "y").ok());
  ASSERT_TRUE(this->files_.RemoveAll(this->In("a")).ok());
  EXPECT_TRUE(this->files_.RemoveAll(this->In("a")).ok());
  EXPECT_FALSE(this->files_.Exists(this->In("a")));
  EXPECT_EQ(this->Bytes("ab"), "y");
}

TYPED_TEST(FileSystemContract, ListsNamesSortedAndNotDeeper) {
  ASSERT_TRUE(this->files_.CreateDirectories(this->In("b/deep")).ok());
  for (const char* name : {"c", "a", "b2", "B"}) {
    ASSERT_TRUE(this->files_.Write(this->In(name), "x").ok());
  }
  EXPECT_THAT(*this->files_.List(this->world_.root()), ElementsAre("B", "a", "b", "b2", "c"));
  EXPECT_THAT(*this->files_.List(this->In("b/")), ElementsAre("deep"));
}

TYPED_TEST(FileSystemContract, SyncsFilesAndFolders) {
  ASSERT_TRUE(this->files_.Write(this->In("f"), "x").ok());
  EXPECT_TRUE(this->files_.Sync(this->In("f")).ok());
  EXPECT_TRUE(this->files_.Sync(this->world_.root()).ok());
  EXPECT_EQ(this->Bytes("f"), "x");
}

TYPED_TEST(FileSystemContract, AnAtomicWriteLeavesOnlyTheFile) {
  ASSERT_TRUE(WriteFileAtomically(this->files_, this->In("f"), "old").ok());
  ASSERT_TRUE(WriteFileAtomically(this->files_, this->In("f"), "new").ok());
  EXPECT_EQ(this->Bytes("f"), "new");
  EXPECT_THAT(*this->files_.List(this->world_.root()), ElementsAre("f"));
}

}  // namespace
}  // namespace octet
