// The header of every frame between boards: 32 bytes, little-endian. Pure.
//
//   offset  0  2 bytes  'O' 'C'
//           2  1        version, 1
//           3  1        kind
//           4  2        rank of the sender
//           6  2        what the sender and the receiver must agree on besides (PlanHash): shards,
//                       boards, chunks
//           8  8        fence of the assignment
//          16  4        number of the operation, from 0 (the join)
//          20  4        chunk
//          24  8        element count of the operation in the lower 56 bits, its type in the upper
//          8
//
// The payload is a second frame; it may be empty.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace octet {

inline constexpr size_t kFrameHeaderBytes = 32;
inline constexpr uint64_t kElementsMax = (uint64_t{1} << 56) - 1;

enum class FrameKind : uint8_t {
  kContribution = 1,  // To the owner of a chunk.
  kResult = 2,        // From the owner of a chunk.
  kAbort = 3,         // The gang is over; payload: EncodeAbort.
};

enum class OperationType : uint8_t {
  kJoin = 1,
  kBarrier = 2,
  kSumFloat32 = 3,
  kBroadcastSize = 4,
  kBroadcast = 5,
};
// "join", "sum of float32", …
std::string_view OperationName(OperationType type);

struct FrameHeader {
  FrameKind kind = FrameKind::kContribution;
  uint16_t source = 0;
  uint16_t plan_hash = 0;
  int64_t fence = 0;
  uint32_t operation = 0;
  uint32_t chunk = 0;
  OperationType type = OperationType::kJoin;
  uint64_t elements = 0;

  bool operator==(const FrameHeader&) const = default;
};

std::array<char, kFrameHeaderBytes> EncodeFrameHeader(const FrameHeader& header);
// Nothing for another length, magic, version, or an unknown kind or type.
std::optional<FrameHeader> DecodeFrameHeader(std::string_view bytes);

}  // namespace octet
