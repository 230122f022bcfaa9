#include "cli/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace octet::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kJob[] = R"(apiVersion: octet.dev/v1
kind: TrainingJob
metadata: {name: NAME}
spec:
  model: {layers: [{dense: {units: 3, activation: softmax}}]}
  data: {train: {format: csv, files: [data/iris.csv], target: species}}
  training: {batchSize: 16, epochs: 1, loss: sparse_categorical_crossentropy}
)";

std::string Job(const std::string& name) {
  std::string text = kJob;
  return text.replace(text.find("NAME"), 4, name);
}

class ManifestTest : public ::testing::Test {
 protected:
  ManifestTest() { CHECK(files_.CreateDirectories("/jobs").ok()); }

  void Write(const std::string& path, const std::string& text) {
    ASSERT_TRUE(files_.Write(path, text).ok());
  }
  Result<std::vector<Manifest>> Read(const std::vector<std::string>& paths) {
    return ReadManifests(files_, paths, "/home/alice", "team");
  }

  MemoryFileSystem files_;
};

TEST_F(ManifestTest, DocumentsKeepTheirOrderAcrossFiles) {
  Write("/jobs/a.yaml", Job("one") + "---\n" + Job("two"));
  Write("/jobs/b.yaml", Job("three"));
  const auto manifests = Read({"/jobs/b.yaml", "/jobs/a.yaml"});
  ASSERT_TRUE(manifests.ok()) << manifests.status().ToString();
  ASSERT_EQ(manifests->size(), 3u);
  EXPECT_EQ((*manifests)[0].object.meta.name, "three");
  EXPECT_EQ((*manifests)[2].object.meta.name, "two");
  EXPECT_EQ((*manifests)[2].object.meta.ns, "team");
}

TEST_F(ManifestTest, DataFilesAreTakenFromTheManifestsFolder) {
  Write("/jobs/a.yaml", Job("one"));
  const auto manifests = Read({"/jobs/a.yaml"});
  ASSERT_TRUE(manifests.ok()) << manifests.status().ToString();
  const Value* names = (*manifests)[0].object.spec.FindPath("data.train.files");
  ASSERT_NE(names, nullptr);
  EXPECT_EQ(names->AsList()[0].AsString(), "/jobs/data/iris.csv");
}

TEST_F(ManifestTest, AFolderStandsForItsManifests) {
  Write("/jobs/a.yaml", Job("one"));
  Write("/jobs/b.yml", Job("two"));
  Write("/jobs/notes.txt", "not a manifest");
  const auto manifests = Read({"/jobs"});
  ASSERT_TRUE(manifests.ok()) << manifests.status().ToString();
  EXPECT_EQ(manifests->size(), 2u);
}

TEST_F(ManifestTest, FaultsOfAllFilesComeInOneAnswerWithTheirPlaces) {
  Write("/jobs/a.yaml", Job("one") + "  trainning: {}\n");
  Write("/jobs/b.yaml", "apiVersion: octet.dev/v1\nkind: TraningJob\nmetadata: {name: x}\n");
  const auto manifests = Read({"/jobs/a.yaml", "/jobs/b.yaml"});
  ASSERT_FALSE(manifests.ok());
  EXPECT_THAT(manifests.status().message(),
              AllOf(HasSubstr("/jobs/a.yaml:8:3: spec.trainning"), HasSubstr("training"),
                    HasSubstr("/jobs/b.yaml:2:"), HasSubstr("TrainingJob")));
}

TEST_F(ManifestTest, OneObjectTwiceIsRefused) {
  Write("/jobs/a.yaml", Job("one") + "---\n" + Job("one"));
  EXPECT_THAT(Read({"/jobs/a.yaml"}).status().message(), HasSubstr("twice"));
}

TEST_F(ManifestTest, AnEmptyFileIsRefused) {
  Write("/jobs/a.yaml", "# nothing\n");
  EXPECT_THAT(Read({"/jobs/a.yaml"}).status().message(), HasSubstr("no document"));
}

TEST_F(ManifestTest, AMissingFileIsNamed) {
  const Status status = Read({"/jobs/none.yaml"}).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("/jobs/none.yaml"));
}

TEST_F(ManifestTest, AKeyGivenTwiceDoesNotHideTheOtherFaults) {
  Write("/jobs/a.yaml",
        "apiVersion: octet.dev/v1\nkind: SlicePool\nmetadata: {name: p}\n"
        "spec:\n  replicas: 1\n  replicas: 2\n  acceleratorType: v3-16\n");
  const std::string message = Read({"/jobs/a.yaml"}).status().message();
  EXPECT_THAT(message, HasSubstr("/jobs/a.yaml:6:3: spec.replicas: is given twice"));
  EXPECT_THAT(message, HasSubstr("/jobs/a.yaml:7:20: spec.acceleratorType"));
}

TEST_F(ManifestTest, AnUnreadableDocumentGivesNoFaultsThatAreNotThere) {
  Write("/jobs/a.yaml", "apiVersion: octet.dev/v1\nkind: \"TrainingJob\nmetadata: {name: x}\n");
  EXPECT_THAT(Read({"/jobs/a.yaml"}).status().message(), Not(HasSubstr("spec")));
}

}  // namespace
}  // namespace octet::cli
