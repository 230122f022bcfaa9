#include "worker/checkpoint/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace octet {
namespace {

std::string File(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

TEST(Safetensors, WritesTheFormatByteForByte) {
  std::string header = R"({"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const std::string data("\x00\x00\x80\x3f\x00\x00\x00\xc0", 8);  // 1, -2.
  EXPECT_EQ(WriteSafetensors({{.name = "w", .shape = {1, 2}, .values = {1, -2}}}),
            File(header, data));
}

TEST(Safetensors, ReadsBackEveryBit) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<NamedTensor> tensors = {
      {.name = "dense/kernel", .shape = {2, 3}, .values = {0, -0.0F, 1e-45F, 3, 1e38F, -5}},
      {.name = "scalar", .shape = {}, .values = {7}},
      {.name = "none", .shape = {0, 4}, .values = {}},
      {.name = "n", .shape = {1}, .values = {nan}}};
  const auto read = ReadSafetensors(WriteSafetensors(tensors));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  ASSERT_EQ(read->size(), 4U);
  EXPECT_EQ((*read)[0].name, "dense/kernel");
  EXPECT_EQ(std::memcmp((*read)[0].values.data(), tensors[0].values.data(), 24), 0);
  EXPECT_EQ(WriteSafetensors(*read), WriteSafetensors(tensors));
}

TEST(Safetensors, EveryShorterFileIsRefused) {
  const std::string bytes = WriteSafetensors({{.name = "w", .shape = {2}, .values = {1, 2}}});
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(ReadSafetensors(std::string_view(bytes).substr(0, size)).status().code(),
              StatusCode::kDataLoss)
        << size;
  }
  EXPECT_EQ(ReadSafetensors(bytes + "x").status().code(), StatusCode::kDataLoss);
}

TEST(Safetensors, RefusesHeadersThatLie) {
  const std::string data(8, '\0');
  for (const char* header : {
           "[]",
           "{",
           R"({"w":1})",
           R"({"w":{"dtype":"F32","shape":[2]}})",
           R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})",
           R"({"w":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})",
           R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})",
           R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}})",
           R"({"w":{"dtype":"F32","shape":[4611686018427387904,8],"data_offsets":[0,8]}})",
           R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
           R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
           R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
       }) {
    EXPECT_EQ(ReadSafetensors(File(header, data)).status().code(), StatusCode::kDataLoss) << header;
  }
}

TEST(Safetensors, SkipsMetadataAndNamesAnotherType) {
  const std::string data(8, '\0');
  const auto read = ReadSafetensors(File(
      R"({"__metadata__":{"a":"b"},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", data));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->size(), 1U);
  const auto half =
      ReadSafetensors(File(R"({"w":{"dtype":"F16","shape":[4],"data_offsets":[0,8]}})", data));
  EXPECT_EQ(half.status().code(), StatusCode::kUnimplemented);
  EXPECT_THAT(half.status().message(), ::testing::HasSubstr("F16"));
}

}  // namespace
}  // namespace octet
