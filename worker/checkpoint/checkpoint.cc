#include "worker/checkpoint/checkpoint.h"

#include <charconv>
#include <utility>

#include "shared/base/sha256.h"
#include "shared/objects/json.h"

namespace octet {
namespace {

constexpr char kFormat[] = "octet.dev/checkpoint/v1";

Value EncodeSums(const EpochSums& sums) {
  Value value = Value::MakeMap();
  value.Set("examples", sums.examples);
  value.Set("loss", sums.loss);
  value.Set("correct", sums.correct);
  return value;
}

// Reads members of a JSON object; the first fault is kept.
class Members {
 public:
  explicit Members(const Value& value) : value_(value) {}

  int64_t Int(std::string_view key) {
    const Value* member = value_.Find(key);
    if (member != nullptr && member->is_int()) return member->AsInt();
    Miss(key);
    return 0;
  }
  // Seeds use all 64 bits, which JSON numbers of other tools do not hold: they are written as text.
  uint64_t Seed(std::string_view key) {
    const std::string text = Text(key);
    uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc() || end != text.data() + text.size()) Miss(key);
    return seed;
  }
  std::string Text(std::string_view key) {
    const Value* member = value_.Find(key);
    if (member != nullptr && member->is_string()) return member->AsString();
    Miss(key);
    return {};
  }
  double Number(std::string_view key) {
    const Value* member = value_.Find(key);
    if (member != nullptr && member->is_number()) return member->AsDouble();
    Miss(key);
    return 0;
  }
  const Value& Map(std::string_view key) {
    static const Value kEmpty = Value::MakeMap();
    const Value* member = value_.Find(key);
    if (member != nullptr && member->is_map()) return *member;
    Miss(key);
    return kEmpty;
  }
  EpochSums Sums(std::string_view key) {
    Members members(Map(key));
    const EpochSums sums{.examples = members.Int("examples"),
                         .loss = members.Number("loss"),
                         .correct = members.Number("correct")};
    if (!members.status().ok()) Miss(key);
    return sums;
  }
  const Status& status() const { return status_; }

 private:
  void Miss(std::string_view key) {
    if (status_.ok()) status_ = DataLoss("the manifest has no usable \"" + std::string(key) + "\"");
  }
  const Value& value_;
  Status status_;
};

}  // namespace

std::string EncodeManifest(const Checkpoint& checkpoint, const FileHashes& files) {
  Value value = Value::MakeMap();
  value.Set("format", kFormat);
  value.Set("job", checkpoint.job_uid);
  value.Set("step", checkpoint.step);
  value.Set("epoch", checkpoint.epoch);
  value.Set("epochExamples", checkpoint.epoch_examples);
  value.Set("seed", std::to_string(checkpoint.seed));
  value.Set("shuffleSeed", std::to_string(checkpoint.shuffle_seed));
  value.Set("logicalShards", checkpoint.logical_shards);
  value.Set("epochSums", EncodeSums(checkpoint.epoch_sums));
  value.Set("lastEpoch", EncodeSums(checkpoint.last_epoch));
  value.Set("validation", EncodeSums(checkpoint.validation));
  Value& versions = value.Set("versions", Value::MakeMap());
  for (const auto& [name, version] : checkpoint.versions) versions.Set(name, version);
  Value& hashes = value.Set("files", Value::MakeMap());
  for (const auto& [name, hash] : files) {
    Value entry = Value::MakeMap();
    entry.Set("bytes", hash.bytes);
    entry.Set("sha256", hash.sha256);
    hashes.Set(name, std::move(entry));
  }
  std::string hash = Sha256Hex(WriteCanonicalJson(value));
  value.Set("sha256", std::move(hash));
  return WritePrettyJson(value) + "\n";
}

Result<Manifest> DecodeManifest(std::string_view text) {
  auto value = ReadJson(text);
  if (!value.ok()) return DataLoss("the manifest is no JSON: " + value.status().message());
  Members members(*value);
  const std::string format = members.Text("format");
  const std::string sha256 = members.Text("sha256");
  OCTET_RETURN_IF_ERROR(members.status());
  if (format != kFormat) {
    return Unimplemented("the manifest's format is " + format + "; this version reads " + kFormat);
  }
  Value content = *value;
  content.Erase("sha256");
  if (Sha256Hex(WriteCanonicalJson(content)) != sha256) {
    return DataLoss("the manifest does not have the hash that it states");
  }
  Manifest manifest;
  Checkpoint& checkpoint = manifest.checkpoint;
  checkpoint.job_uid = members.Text("job");
  checkpoint.step = members.Int("step");
  checkpoint.epoch = members.Int("epoch");
  checkpoint.epoch_examples = members.Int("epochExamples");
  checkpoint.seed = members.Seed("seed");
  checkpoint.shuffle_seed = members.Seed("shuffleSeed");
  checkpoint.logical_shards = members.Int("logicalShards");
  checkpoint.epoch_sums = members.Sums("epochSums");
  checkpoint.last_epoch = members.Sums("lastEpoch");
  checkpoint.validation = members.Sums("validation");
  for (const Value::Member& version : members.Map("versions").AsMap()) {
    if (version.value.is_string()) checkpoint.versions[version.key] = version.value.AsString();
  }
  for (const Value::Member& file : members.Map("files").AsMap()) {
    Members hash(file.value);
    manifest.files[file.key] = {.bytes = hash.Int("bytes"), .sha256 = hash.Text("sha256")};
    OCTET_RETURN_IF_ERROR(hash.status());
  }
  OCTET_RETURN_IF_ERROR(members.status());
  return manifest;
}

}  // namespace octet
