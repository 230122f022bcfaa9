#include "worker/checkpoint/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "shared/base/check.h"
#include "shared/base/units.h"
#include "shared/objects/json.h"

namespace octet {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

// The reference implementation refuses longer headers.
constexpr uint64_t kHeaderBytesMax = 100'000'000;
constexpr size_t kLengthBytes = 8;
constexpr char kMetadata[] = "__metadata__";

struct Entry {
  NamedTensor tensor;
  uint64_t begin = 0;
  uint64_t end = 0;
};

Result<Entry> DecodeEntry(const std::string& name, const Value& value, uint64_t data_bytes) {
  const Value* dtype = value.Find("dtype");
  const Value* shape = value.Find("shape");
  const Value* offsets = value.Find("data_offsets");
  if (dtype == nullptr || !dtype->is_string() || shape == nullptr || !shape->is_list() ||
      offsets == nullptr || !offsets->is_list() || offsets->AsList().size() != 2) {
    return DataLoss("tensor " + name + " has no dtype, shape or data_offsets");
  }
  if (dtype->AsString() != "F32") {
    return Unimplemented("tensor " + name + " is " + dtype->AsString() + "; only F32 can be read");
  }
  Entry entry;
  entry.tensor.name = name;
  int64_t count = 1;
  for (const Value& size : shape->AsList()) {
    if (!size.is_int() || size.AsInt() < 0) return DataLoss("tensor " + name + " has a bad shape");
    entry.tensor.shape.push_back(size.AsInt());
    count = SaturatingMultiply(count, size.AsInt());
  }
  for (const Value& offset : offsets->AsList()) {
    if (!offset.is_int() || offset.AsInt() < 0)
      return DataLoss("tensor " + name + " has bad offsets");
  }
  entry.begin = static_cast<uint64_t>(offsets->AsList()[0].AsInt());
  entry.end = static_cast<uint64_t>(offsets->AsList()[1].AsInt());
  const auto bytes = static_cast<uint64_t>(SaturatingMultiply(count, sizeof(float)));
  if (entry.end > data_bytes || entry.begin > entry.end || entry.end - entry.begin != bytes) {
    return DataLoss("the data of tensor " + name + " does not fit its shape or the file");
  }
  return entry;
}

}  // namespace

std::string WriteSafetensors(const std::vector<NamedTensor>& tensors) {
  Value header = Value::MakeMap();
  uint64_t offset = 0;
  for (const NamedTensor& tensor : tensors) {
    CHECK(tensor.name != kMetadata && header.Find(tensor.name) == nullptr) << tensor.name;
    Value::List shape;
    int64_t count = 1;
    for (const int64_t size : tensor.shape) {
      shape.emplace_back(size);
      count *= size;
    }
    CHECK(count == static_cast<int64_t>(tensor.values.size())) << tensor.name;
    const uint64_t end = offset + tensor.values.size() * sizeof(float);
    Value entry = Value::MakeMap();
    entry.Set("dtype", "F32");
    entry.Set("shape", Value::MakeList(std::move(shape)));
    entry.Set("data_offsets", Value::MakeList({Value(static_cast<int64_t>(offset)),
                                               Value(static_cast<int64_t>(end))}));
    header.Set(tensor.name, std::move(entry));
    offset = end;
  }
  std::string text = WriteJson(header);
  // Blanks after the header align the data, as the reference writer does.
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  std::string bytes;
  bytes.reserve(kLengthBytes + text.size() + offset);
  const uint64_t length = text.size();
  bytes.append(reinterpret_cast<const char*>(&length), sizeof(length));
  bytes += text;
  for (const NamedTensor& tensor : tensors) {
    bytes.append(reinterpret_cast<const char*>(tensor.values.data()),
                 tensor.values.size() * sizeof(float));
  }
  return bytes;
}

Result<std::vector<NamedTensor>> ReadSafetensors(std::string_view bytes) {
  uint64_t length = 0;
  if (bytes.size() < kLengthBytes) return DataLoss("shorter than the length of a header");
  std::memcpy(&length, bytes.data(), sizeof(length));
  if (length > kHeaderBytesMax || length > bytes.size() - kLengthBytes) {
    return DataLoss("the header is longer than the file");
  }
  const auto header = ReadJson(bytes.substr(kLengthBytes, length));
  if (!header.ok()) return DataLoss("the header is no JSON: " + header.status().message());
  if (!header->is_map()) return DataLoss("the header is no JSON object");
  const std::string_view data = bytes.substr(kLengthBytes + length);
  std::vector<Entry> entries;
  for (const Value::Member& member : header->AsMap()) {
    if (member.key == kMetadata) continue;
    OCTET_ASSIGN_OR_RETURN(Entry entry, DecodeEntry(member.key, member.value, data.size()));
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t next = 0;
  std::vector<NamedTensor> tensors;
  for (Entry& entry : entries) {
    if (entry.begin != next)
      return DataLoss("there is a gap or an overlap before " + entry.tensor.name);
    next = entry.end;
    entry.tensor.values.resize((entry.end - entry.begin) / sizeof(float));
    std::memcpy(entry.tensor.values.data(), data.data() + entry.begin, entry.end - entry.begin);
    tensors.push_back(std::move(entry.tensor));
  }
  if (next != data.size()) return DataLoss("there are bytes that belong to no tensor");
  return tensors;
}

}  // namespace octet
