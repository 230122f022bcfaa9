#include "worker/checkpoint/checkpoint_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared/base/sha256.h"

namespace octet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kFolder[] = "/home/checkpoints/job";

Checkpoint StateAt(int64_t step) {
  const auto value = static_cast<float>(step);
  return {.job_uid = "job",
          .step = step,
          .epoch = step / 10,
          .epoch_examples = step % 10 * 32,
          .seed = 0xffffffffffffffffULL,
          .shuffle_seed = 9,
          .logical_shards = 32,
          .epoch_sums = {.examples = 64, .loss = 0.1 + 0.2, .correct = 63},
          .last_epoch = {.examples = 320, .loss = 1.0 / 3, .correct = 300},
          .validation = {.examples = 30, .loss = 1e-300, .correct = 29},
          .versions = {{"engine", "dnnl 2.6.3"}, {"instructionSet", "avx512"}},
          .weights = {{.name = "w", .shape = {2, 2}, .values = {value, 1, -0.0F, 1e-40F}}},
          .optimizer = {{.name = "m/w", .shape = {2, 2}, .values = {4, 3, 2, value}}}};
}

// The step of the newest checkpoint that can be read, or -1.
int64_t NewestStep(FileSystem& files) {
  std::vector<std::string> warnings;
  const auto loaded = CheckpointStore(files, kFolder, 3).LoadNewest(warnings);
  if (!loaded.ok() || !loaded->has_value()) return -1;
  EXPECT_EQ((*loaded)->checkpoint, StateAt((*loaded)->checkpoint.step));
  return (*loaded)->checkpoint.step;
}

std::vector<std::string> Names(const FileSystem& files) {
  const auto names = files.List(kFolder);
  return names.ok() ? *names : std::vector<std::string>();
}

TEST(CheckpointStore, ReadsBackWhatWasSaved) {
  MemoryFileSystem files;
  CheckpointStore store(files, kFolder, 3);
  const auto saved = store.Save(StateAt(20));
  ASSERT_TRUE(saved.ok()) << saved.status().ToString();
  EXPECT_EQ(saved->path, "/home/checkpoints/job/step-0000000020");
  EXPECT_EQ(saved->sha256, Sha256Hex(*files.Read(saved->path + "/manifest.json")));
  std::vector<std::string> warnings;
  const auto loaded = store.LoadNewest(warnings);
  ASSERT_TRUE(loaded.ok() && loaded->has_value());
  EXPECT_EQ((*loaded)->checkpoint, StateAt(20));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(CheckpointStore, AnEmptyOrMissingFolderHasNone) {
  MemoryFileSystem files;
  std::vector<std::string> warnings;
  const auto loaded = CheckpointStore(files, kFolder, 3).LoadNewest(warnings);
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_FALSE(loaded->has_value());
}

TEST(CheckpointStore, KeepsTheNewestOnes) {
  MemoryFileSystem files;
  CheckpointStore store(files, kFolder, 2);
  for (const int64_t step : {10, 20, 30, 40}) ASSERT_TRUE(store.Save(StateAt(step)).ok());
  EXPECT_THAT(Names(files), ElementsAre("step-0000000030", "step-0000000040"));
}

TEST(CheckpointStore, SavingAStepAgainKeepsTheOneThatIsThere) {
  MemoryFileSystem files;
  CheckpointStore store(files, kFolder, 2);
  const auto first = store.Save(StateAt(10));
  const auto again = store.Save(StateAt(10));
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(first->sha256, again->sha256);
  EXPECT_THAT(Names(files), ElementsAre("step-0000000010"));
}

// Any one byte of any file flipped: the checkpoint before it is used and the damage is told.
TEST(CheckpointStore, AFlippedBitAnywhereIsNoticed) {
  for (const char* name : {"manifest.json", "weights.safetensors", "optimizer.safetensors"}) {
    MemoryFileSystem files;
    CheckpointStore store(files, kFolder, 3);
    ASSERT_TRUE(store.Save(StateAt(10)).ok());
    const auto saved = store.Save(StateAt(20));
    ASSERT_TRUE(saved.ok());
    const std::string path = saved->path + "/" + name;
    const std::string whole = *files.Read(path);
    for (size_t i = 0; i < whole.size(); ++i) {
      std::string flipped = whole;
      flipped[i] = static_cast<char>(flipped[i] ^ 1);
      ASSERT_TRUE(files.Write(path, flipped).ok());
      std::vector<std::string> warnings;
      const auto loaded = store.LoadNewest(warnings);
      ASSERT_TRUE(loaded.ok() && loaded->has_value());
      // White space of the manifest's text carries nothing.
      if ((*loaded)->checkpoint.step == 20 && (*loaded)->checkpoint == StateAt(20)) {
        ASSERT_EQ(std::string(name), "manifest.json");
        continue;
      }
      ASSERT_EQ((*loaded)->checkpoint.step, 10) << name << " byte " << i;
      ASSERT_EQ(warnings.size(), 1U);
      EXPECT_THAT(warnings[0], HasSubstr("step-0000000020 is damaged and is skipped"));
    }
  }
}

TEST(CheckpointStore, ATornFileOfAnyLengthIsNoticed) {
  MemoryFileSystem files;
  CheckpointStore store(files, kFolder, 3);
  const auto saved = store.Save(StateAt(20));
  ASSERT_TRUE(saved.ok());
  for (const char* name : {"manifest.json", "weights.safetensors", "optimizer.safetensors"}) {
    const std::string path = saved->path + "/" + name;
    const std::string whole = *files.Read(path);
    // The manifest's last byte is the end of its line.
    for (size_t size = 0; size + 1 < whole.size(); ++size) {
      ASSERT_TRUE(files.Write(path, whole.substr(0, size)).ok());
      ASSERT_EQ(NewestStep(files), -1) << name << " " << size;
    }
    ASSERT_TRUE(files.Write(path, whole).ok());
    ASSERT_EQ(NewestStep(files), 20);
  }
}

TEST(CheckpointStore, ADamagedOneIsReplacedAndDoesNotOutliveItsRepair) {
  MemoryFileSystem files;
  CheckpointStore store(files, kFolder, 1);
  ASSERT_TRUE(store.Save(StateAt(10)).ok());
  ASSERT_TRUE(files.CreateDirectories(std::string(kFolder) + "/step-0000000030").ok());
  ASSERT_TRUE(files.Write(std::string(kFolder) + "/step-0000000030/manifest.json", "{").ok());
  EXPECT_EQ(NewestStep(files), 10);
  ASSERT_TRUE(store.Save(StateAt(20)).ok());
  EXPECT_EQ(NewestStep(files), 20);
  EXPECT_THAT(Names(files), ElementsAre("step-0000000020"));
}

TEST(CheckpointStore, AFileSystemThatRefusesIsAnErrorAndNoReasonToStartAnew) {
  class Refusing final : public FileSystem {
   public:
    explicit Refusing(MemoryFileSystem& base) : base_(base) {}
    Result<std::string> Read(const std::string&) const override { return Unavailable("no answer"); }
    Status Write(const std::string& p, std::string_view b) override { return base_.Write(p, b); }
    Status Append(const std::string& p, std::string_view b) override { return base_.Append(p, b); }
    Status Sync(const std::string& p) override { return base_.Sync(p); }
    Status Rename(const std::string& a, const std::string& b) override {
      return base_.Rename(a, b);
    }
    Status Remove(const std::string& p) override { return base_.Remove(p); }
    Status RemoveAll(const std::string& p) override { return base_.RemoveAll(p); }
    Status CreateDirectories(const std::string& p) override { return base_.CreateDirectories(p); }
    Result<std::vector<std::string>> List(const std::string& p) const override {
      return base_.List(p);
    }
    bool Exists(const std::string& p) const override { return base_.Exists(p); }

   private:
    MemoryFileSystem& base_;
  };
  MemoryFileSystem files;
  ASSERT_TRUE(CheckpointStore(files, kFolder, 3).Save(StateAt(10)).ok());
  Refusing refusing(files);
  std::vector<std::string> warnings;
  EXPECT_EQ(CheckpointStore(refusing, kFolder, 3).LoadNewest(warnings).status().code(),
            StatusCode::kUnavailable);
}

// The disk fills up, or the power is cut, at every call that writes: the newest checkpoint whose
// Save returned Ok is the one that is read, or a newer whole one.
TEST(CheckpointStore, TheNewestAcknowledgedOneSurvivesFaultsAndPowerCutsAtEveryCall) {
  constexpr int kEnough = 400;
  bool all_saved = false;
  for (int fault = 0; fault < kEnough && !all_saved; ++fault) {
    for (const bool power_cut : {false, true}) {
      SCOPED_TRACE("fault at call " + std::to_string(fault) + (power_cut ? ", power cut" : ""));
      MemoryFileSystem memory;
      FaultFileSystem files(memory);
      CheckpointStore store(files, kFolder, 2);
      files.FailFrom(fault, ResourceExhausted("the disk is full"));
      int64_t acknowledged = -1;
      all_saved = true;
      for (const int64_t step : {10, 20, 30, 40}) {
        if (store.Save(StateAt(step)).ok()) {
          acknowledged = step;
        } else {
          all_saved = false;
          break;
        }
      }
      if (power_cut) memory.PowerCut();
      files.Heal();
      EXPECT_GE(NewestStep(files), acknowledged);
      // And it goes on from there.
      EXPECT_TRUE(store.Save(StateAt(50)).ok());
      if (power_cut) memory.PowerCut();
      EXPECT_EQ(NewestStep(files), 50);
      for (const std::string& name : Names(files)) EXPECT_TRUE(name.starts_with("step-")) << name;
    }
  }
  EXPECT_TRUE(all_saved) << "more calls than the test looks at";
}

TEST(Manifest, OfANewerFormatIsNotRead) {
  std::string text = EncodeManifest(StateAt(1), {});
  text.replace(text.find("checkpoint/v1"), 13, "checkpoint/v2");
  EXPECT_EQ(DecodeManifest(text).status().code(), StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace octet
