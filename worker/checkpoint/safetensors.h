// The safetensors format: named float32 tensors in one file that other tools read too.
//
// Source: the format's description in the repository huggingface/safetensors. A file is a
// little-endian 64-bit length, a JSON header of that length ({"name": {"dtype": "F32", "shape": [2,
// 3], "data_offsets": [begin, end]}, "__metadata__": {…}}), and the bytes of the tensors without
// gaps. Pure; only F32.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/status.h"

namespace octet {

struct NamedTensor {
  std::string name;
  std::vector<int64_t> shape;  // Empty: a single number.
  std::vector<float> values;   // Row-major; as many as the shape says.
  bool operator==(const NamedTensor&) const = default;
};

// The file's bytes, tensors in the order given; equal tensors give equal bytes. Names are distinct
// and not
// "__metadata__".
std::string WriteSafetensors(const std::vector<NamedTensor>& tensors);

// kDataLoss where the bytes are no whole file; kUnimplemented for another dtype. Tensors in the
// order of their data.
Result<std::vector<NamedTensor>> ReadSafetensors(std::string_view bytes);

}  // namespace octet
