#include "worker/engine/blocked_product.h"

#include <algorithm>

#include "worker/engine/vector_code.h"

namespace octet {
namespace {

constexpr int kLane = 8;         // Floats of a vector; the compiler halves it where it has to.
constexpr int kPanel = 16;       // Columns of C computed at once: two vectors.
constexpr int64_t kDepth = 256;  // Rows of B packed at once: 16 KiB of stack, half of an L1 cache.

typedef float Vector __attribute__((vector_size(kLane * sizeof(float))));
// The same in memory: any alignment, may alias floats.
typedef float MemoryVector
    __attribute__((vector_size(kLane * sizeof(float)), aligned(alignof(float)), may_alias));

// The element (i, p) of A, transposed or not, is a[i * row + p * step].
struct LeftOperand {
  const float* data;
  int64_t row;
  int64_t step;
};

// Adds `depth` products to a block of kRows x (kVectors * 8) sums. The sums begin as `start` (rows
// `start_row` apart; nullptr: zeros) and end in `c`.
template <int kRows, int kVectors>
OCTET_ALWAYS_INLINE void Tile(int64_t depth, const LeftOperand& a, const float* b, int64_t b_step,
                              const float* start, int64_t start_row, float* c, int64_t c_row) {
  Vector sums[kRows][kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      sums[i][v] =
          start == nullptr
              ? Vector{}
              : Vector(*reinterpret_cast<const MemoryVector*>(start + i * start_row + v * kLane));
    }
  }
  for (int64_t p = 0; p < depth; ++p) {
    Vector row[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      row[v] = *reinterpret_cast<const MemoryVector*>(b + p * b_step + v * kLane);
    }
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const float x = a.data[i * a.row + p * a.step];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sums[i][v] += x * row[v];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      *reinterpret_cast<MemoryVector*>(c + i * c_row + v * kLane) = sums[i][v];
    }
  }
}

// A column block of C and what goes into it: `width` columns from `c` on.
struct Panel {
  int64_t depth;
  const float* b;
  int64_t b_step;
  const float* start;
  int64_t start_row;
  float* c;
  int64_t c_row;
  int width;
};

template <int kRows, int kVectors>
OCTET_ALWAYS_INLINE void Rows(int64_t first, const LeftOperand& left, const Panel& panel) {
  const LeftOperand a{left.data + first * left.row, left.row, left.step};
  const float* start = panel.start == nullptr ? nullptr : panel.start + first * panel.start_row;
  float* c = panel.c + first * panel.c_row;
  if (panel.width == kVectors * kLane) {
    Tile<kRows, kVectors>(panel.depth, a, panel.b, panel.b_step, start, panel.start_row, c,
                          panel.c_row);
    return;
  }
  // A narrow block is computed whole beside C, so as not to touch what lies right of it.
  float edge[kRows][kVectors * kLane] = {};
  if (start != nullptr) {
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < panel.width; ++j) edge[i][j] = start[i * panel.start_row + j];
    }
  }
  Tile<kRows, kVectors>(panel.depth, a, panel.b, panel.b_step, edge[0], kVectors * kLane, edge[0],
                        kVectors * kLane);
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < panel.width; ++j) c[i * panel.c_row + j] = edge[i][j];
  }
}

template <int kVectors>
OCTET_ALWAYS_INLINE void AllRows(int64_t m, const LeftOperand& a, const Panel& panel) {
  int64_t i = 0;
  for (; i + 4 <= m; i += 4) Rows<4, kVectors>(i, a, panel);
  if (i + 2 <= m) {
    Rows<2, kVectors>(i, a, panel);
    i += 2;
  }
  if (i < m) Rows<1, kVectors>(i, a, panel);
}

// Copies B's columns [column, column + width) of `depth` rows from row `first` on into a dense
// block of kVectors * 8 columns, the missing ones 0.
template <int kVectors, bool kTransposed>
OCTET_ALWAYS_INLINE void Pack(const ProductShape& shape, const float* b, int64_t first,
                              int64_t depth, int64_t column, int width, float* packed) {
  constexpr int kColumns = kVectors * kLane;
  if (width < kColumns) std::fill_n(packed, depth * kColumns, 0.0F);
  for (int j = 0; j < width; ++j) {
    const float* from =
        kTransposed ? b + (column + j) * shape.k + first : b + first * shape.n + column + j;
    const int64_t from_step = kTransposed ? 1 : shape.n;
    for (int64_t p = 0; p < depth; ++p) packed[p * kColumns + j] = from[p * from_step];
  }
}

// One column block whose part of B is first packed, in slices that stay in the cache.
template <int kVectors, bool kTransposed>
OCTET_ALWAYS_INLINE void PackedPanel(const ProductShape& shape, const LeftOperand& a,
                                     const float* b, int64_t column, Panel panel) {
  constexpr int kColumns = kVectors * kLane;
  alignas(64) float packed[kDepth * kColumns];
  for (int64_t p = 0; p < shape.k; p += kDepth) {
    panel.depth = std::min(kDepth, shape.k - p);
    Pack<kVectors, kTransposed>(shape, b, p, panel.depth, column, panel.width, packed);
    panel.b = packed;
    panel.b_step = kColumns;
    const LeftOperand slice{a.data + p * a.step, a.row, a.step};
    AllRows<kVectors>(shape.m, slice, panel);
    panel.start = panel.c;  // The next slice goes on from here.
    panel.start_row = panel.c_row;
  }
}

template <bool kTransposedB>
OCTET_ALWAYS_INLINE void Multiply(const ProductShape& shape, const LeftOperand& a, const float* b,
                                  const float* bias, float* c) {
  for (int64_t column = 0; column < shape.n; column += kPanel) {
    Panel panel{.depth = shape.k,
                .b = b + (kTransposedB ? 0 : column),
                .b_step = shape.n,
                .start = bias == nullptr ? nullptr : bias + column,
                .start_row = 0,
                .c = c + column,
                .c_row = shape.n,
                .width = static_cast<int>(std::min<int64_t>(kPanel, shape.n - column))};
    if (!kTransposedB && panel.width == kPanel) {
      AllRows<2>(shape.m, a, panel);
    } else if (panel.width > kLane) {
      PackedPanel<2, kTransposedB>(shape, a, b, column, panel);
    } else {
      PackedPanel<1, kTransposedB>(shape, a, b, column, panel);
    }
  }
}

OCTET_VECTOR_CLONES void MultiplyPlain(const ProductShape& shape, const LeftOperand& a,
                                       const float* b, const float* bias, float* c) {
  Multiply<false>(shape, a, b, bias, c);
}

OCTET_VECTOR_CLONES void MultiplyTransposedB(const ProductShape& shape, const LeftOperand& a,
                                             const float* b, const float* bias, float* c) {
  Multiply<true>(shape, a, b, bias, c);
}

}  // namespace

void BlockedProduct(Operands operands, const ProductShape& shape, const float* a, const float* b,
                    const float* bias, float* c) {
  if (shape.k == 0) {
    for (int64_t i = 0; i < shape.m; ++i) {
      for (int64_t j = 0; j < shape.n; ++j) {
        c[i * shape.n + j] = bias == nullptr ? 0.0F : bias[j];
      }
    }
    return;
  }
  if (operands == Operands::kTransposedA) {
    MultiplyPlain(shape, LeftOperand{a, 1, shape.m}, b, bias, c);
  } else if (operands == Operands::kPlain) {
    MultiplyPlain(shape, LeftOperand{a, shape.k, 1}, b, bias, c);
  } else {
    MultiplyTransposedB(shape, LeftOperand{a, shape.k, 1}, b, bias, c);
  }
}

}  // namespace octet
