#include "worker/collective/frame_header.h"

#include <cstring>

namespace octet {
namespace {

constexpr uint8_t kVersion = 1;

template <typename T>
void Put(char* at, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) {
    at[i] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * i) & 0xff);
  }
}

template <typename T>
T Get(const char* at) {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<uint64_t>(static_cast<uint8_t>(at[i])) << (8 * i);
  }
  return static_cast<T>(value);
}

}  // namespace

std::string_view OperationName(OperationType type) {
  switch (type) {
    case OperationType::kJoin:
      return "join";
    case OperationType::kBarrier:
      return "barrier";
    case OperationType::kSumFloat32:
      return "sum of float32";
    case OperationType::kBroadcastSize:
      return "size of a broadcast";
    case OperationType::kBroadcast:
      return "broadcast";
  }
  return "unknown";
}

std::array<char, kFrameHeaderBytes> EncodeFrameHeader(const FrameHeader& header) {
  std::array<char, kFrameHeaderBytes> bytes{};
  bytes[0] = 'O';
  bytes[1] = 'C';
  Put(&bytes[2], kVersion);
  Put(&bytes[3], static_cast<uint8_t>(header.kind));
  Put(&bytes[4], header.source);
  Put(&bytes[6], header.plan_hash);
  Put(&bytes[8], static_cast<uint64_t>(header.fence));
  Put(&bytes[16], header.operation);
  Put(&bytes[20], header.chunk);
  Put(&bytes[24], header.elements | static_cast<uint64_t>(header.type) << 56);
  return bytes;
}

std::optional<FrameHeader> DecodeFrameHeader(std::string_view bytes) {
  if (bytes.size() != kFrameHeaderBytes || bytes[0] != 'O' || bytes[1] != 'C') return std::nullopt;
  if (Get<uint8_t>(&bytes[2]) != kVersion) return std::nullopt;
  const uint8_t kind = Get<uint8_t>(&bytes[3]);
  const uint64_t content = Get<uint64_t>(&bytes[24]);
  const uint64_t type = content >> 56;
  if (kind < static_cast<uint8_t>(FrameKind::kContribution) ||
      kind > static_cast<uint8_t>(FrameKind::kAbort)) {
    return std::nullopt;
  }
  if (type < static_cast<uint64_t>(OperationType::kJoin) ||
      type > static_cast<uint64_t>(OperationType::kBroadcast)) {
    return std::nullopt;
  }
  return FrameHeader{.kind = static_cast<FrameKind>(kind),
                     .source = Get<uint16_t>(&bytes[4]),
                     .plan_hash = Get<uint16_t>(&bytes[6]),
                     .fence = Get<int64_t>(&bytes[8]),
                     .operation = Get<uint32_t>(&bytes[16]),
                     .chunk = Get<uint32_t>(&bytes[20]),
                     .type = static_cast<OperationType>(type),
                     .elements = content & kElementsMax};
}

}  // namespace octet
