#include "shared/base/file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace octet {
namespace {

using testing::ElementsAre;

TEST(JoinPath, PutsOneSlashBetween) {
  EXPECT_EQ(JoinPath("a/b", "c"), "a/b/c");
  EXPECT_EQ(JoinPath("a/b/", "c"), "a/b/c");
  EXPECT_EQ(JoinPath("/", "c"), "/c");
  EXPECT_EQ(JoinPath("", "c"), "c");
}

TEST(JoinPath, AnAbsoluteNameStandsForItself) { EXPECT_EQ(JoinPath("a/b", "/c"), "/c"); }

TEST(ParentPath, DropsTheLastName) {
  EXPECT_EQ(ParentPath("/a/b"), "/a");
  EXPECT_EQ(ParentPath("/a/b/"), "/a");
  EXPECT_EQ(ParentPath("/a"), "/");
  EXPECT_EQ(ParentPath("/"), "/");
  EXPECT_EQ(ParentPath("a/b"), "a");
  EXPECT_EQ(ParentPath("a"), ".");
}

// A folder that survives a power cut.
class PowerCut : public testing::Test {
 protected:
  PowerCut() {
    EXPECT_TRUE(files_.CreateDirectories("/d").ok());
    EXPECT_TRUE(files_.Sync("/").ok());
  }
  void Durable(const std::string& path, std::string_view bytes) {
    ASSERT_TRUE(files_.Write(path, bytes).ok());
    ASSERT_TRUE(files_.Sync(path).ok());
    ASSERT_TRUE(files_.Sync(ParentPath(path)).ok());
  }
  MemoryFileSystem files_;
};

TEST_F(PowerCut, LosesAFileWhoseFolderWasNotSynced) {
  ASSERT_TRUE(files_.Write("/d/f", "new").ok());
  ASSERT_TRUE(files_.Sync("/d/f").ok());
  files_.PowerCut();
  EXPECT_FALSE(files_.Exists("/d/f"));
  EXPECT_TRUE(files_.Exists("/d"));
}

TEST_F(PowerCut, EmptiesAFileOfWhichOnlyTheFolderWasSynced) {
  ASSERT_TRUE(files_.Write("/d/f", "new").ok());
  ASSERT_TRUE(files_.Sync("/d").ok());
  files_.PowerCut();
  EXPECT_EQ(*files_.Read("/d/f"), "");
}

TEST_F(PowerCut, KeepsWhatWasSynced) {
  Durable("/d/f", "old");
  files_.PowerCut();
  EXPECT_EQ(*files_.Read("/d/f"), "old");
}

TEST_F(PowerCut, TakesBackBytesSinceTheLastSync) {
  Durable("/d/f", "old");
  ASSERT_TRUE(files_.Append("/d/f", " and new").ok());
  files_.PowerCut();
  EXPECT_EQ(*files_.Read("/d/f"), "old");
}

TEST_F(PowerCut, TakesBackARemovalThatWasNotSynced) {
  Durable("/d/f", "old");
  ASSERT_TRUE(files_.Remove("/d/f").ok());
  files_.PowerCut();
  EXPECT_EQ(*files_.Read("/d/f"), "old");
}

TEST_F(PowerCut, TakesBackARenameThatWasNotSynced) {
  Durable("/d/f", "old");
  Durable("/d/f.tmp", "new");
  ASSERT_TRUE(files_.Rename("/d/f.tmp", "/d/f").ok());
  files_.PowerCut();
  EXPECT_EQ(*files_.Read("/d/f"), "old");
  EXPECT_EQ(*files_.Read("/d/f.tmp"), "new");
}

TEST_F(PowerCut, ARenameCarriesTheSyncedBytesAlong) {
  Durable("/d/f.tmp", "new");
  ASSERT_TRUE(files_.Rename("/d/f.tmp", "/d/f").ok());
  ASSERT_TRUE(files_.Sync("/d").ok());
  files_.PowerCut();
  EXPECT_EQ(*files_.Read("/d/f"), "new");
  EXPECT_FALSE(files_.Exists("/d/f.tmp"));
}

TEST_F(PowerCut, AMovedFolderKeepsWhatItHeldDurably) {
  ASSERT_TRUE(files_.CreateDirectories("/d/step.tmp").ok());
  Durable("/d/step.tmp/weights", "bits");
  ASSERT_TRUE(files_.Rename("/d/step.tmp", "/d/step").ok());
  ASSERT_TRUE(files_.Sync("/d").ok());
  files_.PowerCut();
  EXPECT_EQ(*files_.Read("/d/step/weights"), "bits");
  EXPECT_THAT(*files_.List("/d"), ElementsAre("step"));
}

TEST_F(PowerCut, AFolderMadeAgainDoesNotGetBackWhatItsNamesakeHeld) {
  ASSERT_TRUE(files_.CreateDirectories("/d/e").ok());
  Durable("/d/e/f", "old");
  ASSERT_TRUE(files_.Sync("/d").ok());
  ASSERT_TRUE(files_.RemoveAll("/d/e").ok());
  ASSERT_TRUE(files_.CreateDirectories("/d/e").ok());
  ASSERT_TRUE(files_.Sync("/d").ok());
  files_.PowerCut();
  EXPECT_TRUE(files_.Exists("/d/e"));
  EXPECT_FALSE(files_.Exists("/d/e/f"));
}

TEST_F(PowerCut, ASyncedRemovalOfATreeIsFinal) {
  ASSERT_TRUE(files_.CreateDirectories("/d/e/deep").ok());
  Durable("/d/e/deep/f", "old");
  ASSERT_TRUE(files_.RemoveAll("/d/e").ok());
  ASSERT_TRUE(files_.Sync("/d").ok());
  files_.PowerCut();
  EXPECT_FALSE(files_.Exists("/d/e/deep"));
  EXPECT_THAT(*files_.List("/d"), ElementsAre());
}

TEST_F(PowerCut, AFileThatIsLeftUnderTwoNamesIsTwoFilesAfterwards) {
  Durable("/d/a", "x");
  ASSERT_TRUE(files_.CreateDirectories("/e").ok());
  ASSERT_TRUE(files_.Sync("/").ok());
  ASSERT_TRUE(files_.Rename("/d/a", "/e/a").ok());
  ASSERT_TRUE(files_.Sync("/e").ok());
  files_.PowerCut();
  ASSERT_TRUE(files_.Write("/e/a", "y").ok());
  EXPECT_EQ(*files_.Read("/d/a"), "x");
}

TEST_F(PowerCut, AnAtomicWriteThatReturnedIsDurable) {
  Durable("/d/f", "old");
  ASSERT_TRUE(WriteFileAtomically(files_, "/d/f", "new").ok());
  files_.PowerCut();
  EXPECT_EQ(*files_.Read("/d/f"), "new");
}

// The disk stops answering at the n-th call, then the power goes: for each n the file is whole.
TEST(WriteFileAtomically, LeavesTheOldOrTheNewBytesWhereverItStops) {
  for (int n = 0; n < 5; ++n) {
    MemoryFileSystem memory;
    FaultFileSystem files(memory);
    ASSERT_TRUE(memory.CreateDirectories("/d").ok() && memory.Sync("/").ok());
    ASSERT_TRUE(WriteFileAtomically(files, "/d/f", "old").ok());
    files.FailFrom(n, Unavailable("stopped"));
    const Status status = WriteFileAtomically(files, "/d/f", "brand new");
    EXPECT_EQ(status.ok(), n == 4) << n;
    EXPECT_EQ(*memory.Read("/d/f"), n < 3 ? "old" : "brand new") << n;
    memory.PowerCut();
    EXPECT_EQ(*memory.Read("/d/f"), n < 4 ? "old" : "brand new") << n;
  }
}

TEST(FaultFileSystem, AFullDiskTakesHalfOfTheBytes) {
  MemoryFileSystem memory;
  FaultFileSystem files(memory);
  files.FailFrom(0, ResourceExhausted("disk full"));
  EXPECT_EQ(files.Write("/f", "12345678"), ResourceExhausted("disk full"));
  EXPECT_EQ(*memory.Read("/f"), "1234");
  EXPECT_EQ(files.Append("/f", "abcd"), ResourceExhausted("disk full"));
  EXPECT_EQ(*memory.Read("/f"), "1234ab");
}

TEST(FaultFileSystem, AnAtomicWriteToAFullDiskLeavesTheOldBytes) {
  MemoryFileSystem memory;
  FaultFileSystem files(memory);
  ASSERT_TRUE(WriteFileAtomically(files, "/f", "old").ok());
  files.FailFrom(0, ResourceExhausted("disk full"));
  EXPECT_EQ(WriteFileAtomically(files, "/f", "new").code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(*files.Read("/f"), "old");
}

TEST(FaultFileSystem, FailsFromTheChosenCallUntilHealed) {
  MemoryFileSystem memory;
  FaultFileSystem files(memory);
  EXPECT_TRUE(files.CreateDirectories("/d").ok());
  files.FailFrom(1, DataLoss("bad sector"));
  EXPECT_TRUE(files.Write("/d/f", "x").ok());
  EXPECT_EQ(files.Sync("/d/f"), DataLoss("bad sector"));
  EXPECT_EQ(files.Rename("/d/f", "/d/g"), DataLoss("bad sector"));
  EXPECT_EQ(files.Remove("/d/f"), DataLoss("bad sector"));
  EXPECT_EQ(files.RemoveAll("/d"), DataLoss("bad sector"));
  EXPECT_EQ(files.CreateDirectories("/e"), DataLoss("bad sector"));
  EXPECT_EQ(files.calls(), 7);
  EXPECT_EQ(*files.Read("/d/f"), "x");
  files.Heal();
  EXPECT_TRUE(files.Remove("/d/f").ok());
}

TEST(FaultFileSystem, ReadingIsNotCounted) {
  MemoryFileSystem memory;
  FaultFileSystem files(memory);
  EXPECT_FALSE(files.Read("/f").ok());
  EXPECT_TRUE(files.List("/").ok());
  EXPECT_FALSE(files.Exists("/f"));
  EXPECT_EQ(files.calls(), 0);
}

}  // namespace
}  // namespace octet
