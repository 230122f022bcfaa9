#include "worker/collective/canonical_sum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#include "shared/base/check.h"

// Compiled for several instruction sets, one of which is chosen when the program is loaded. The
// sanitizers' own start-up code does not expect that.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define OCTET_SUM_CLONES __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define OCTET_SUM_CLONES
#endif

namespace octet {
namespace {

constexpr int64_t kShardsMax = int64_t{1} << 20;
// Partial sums of a block stay in the first-level cache: 4 KiB each.
constexpr int64_t kBlock = 1024;
// Groups at the deepest: log2(kShardsMax / 4) + 1 partial sums wait at once.
constexpr int kDepthMax = 20;

// Sixteen floats wherever floats may lie. May alias: results are written over inputs of the same
// place.
typedef float Vector __attribute__((vector_size(64), aligned(4), may_alias));
constexpr int64_t kLanes = 16;

inline __attribute__((always_inline)) Vector& At(float* data, int64_t i) {
  return *reinterpret_cast<Vector*>(data + i);
}
inline __attribute__((always_inline)) const Vector& At(const float* data, int64_t i) {
  return *reinterpret_cast<const Vector*>(data + i);
}

// out = left + right. `out` may be one of them.
OCTET_SUM_CLONES void AddTwo(const float* left, const float* right, float* out, int64_t count) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) At(out, i) = At(left, i) + At(right, i);
  for (; i < count; ++i) out[i] = left[i] + right[i];
}

// out = ((a + b) + c) + d.
OCTET_SUM_CLONES void AddFour(const float* a, const float* b, const float* c, const float* d,
                              float* out, int64_t count) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    At(out, i) = ((At(a, i) + At(b, i)) + At(c, i)) + At(d, i);
  }
  for (; i < count; ++i) out[i] = ((a[i] + b[i]) + c[i]) + d[i];
}

// The sum of 1 to 4 shards in order, elements [begin, begin + count).
void AddGroup(std::span<const float* const> shards, int64_t begin, float* out, int64_t count) {
  if (shards.size() == 4) {
    AddFour(shards[0] + begin, shards[1] + begin, shards[2] + begin, shards[3] + begin, out, count);
    return;
  }
  std::memcpy(out, shards[0] + begin, static_cast<size_t>(count) * sizeof(float));
  for (const float* shard : shards.subspan(1)) AddTwo(out, shard + begin, out, count);
}

using Scratch = std::array<float, static_cast<size_t>(kDepthMax* kBlock)>;

// Runs a program over one block of at most kBlock elements. `push(input, room)` returns where the
// input's block lies; it may write it to `room`.
template <typename Push>
void RunBlock(const SumProgram& program, Scratch& scratch, const Push& push, float* out,
              int64_t count) {
  std::array<const float*, kDepthMax> stack;
  size_t depth = 0;
  for (size_t step = 0; step < program.size(); ++step) {
    const bool last = step + 1 == program.size();
    if (program[step] == kMerge) {
      --depth;
      float* const room = last ? out : &scratch[(depth - 1) * kBlock];
      AddTwo(stack[depth - 1], stack[depth], room, count);
      stack[depth - 1] = room;
    } else {
      stack[depth] = push(program[step], last ? out : &scratch[depth * kBlock]);
      ++depth;
    }
  }
  // A program of one input.
  if (stack[0] != out) std::memcpy(out, stack[0], static_cast<size_t>(count) * sizeof(float));
}

int64_t GroupsOf(int64_t shards) { return (shards + kShardsPerGroup - 1) / kShardsPerGroup; }

TreeNode WholeTree(int64_t groups) {
  return {.first_group = 0,
          .groups = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(groups)))};
}

// Appends the program of `node`, whose leaves are the nodes for which `leaf` returns an input.
template <typename Leaf>
void AppendProgram(TreeNode node, int64_t groups, const Leaf& leaf, SumProgram& program) {
  const int32_t input = leaf(node);
  if (input >= 0) {
    program.push_back(input);
    return;
  }
  CHECK(node.groups > 1) << "the roots do not cover group " << node.first_group;
  const int64_t half = node.groups / 2;
  AppendProgram({.first_group = node.first_group, .groups = half}, groups, leaf, program);
  const TreeNode right = {.first_group = node.first_group + half, .groups = half};
  if (right.first_group >= groups) return;  // Absent.
  AppendProgram(right, groups, leaf, program);
  program.push_back(kMerge);
}

// Appends the maximal nodes under `node` that lie in the groups [begin, end).
void AppendRoots(TreeNode node, int64_t begin, int64_t end, int64_t groups,
                 std::vector<TreeNode>& roots) {
  const int64_t node_end = std::min(node.first_group + node.groups, groups);
  if (node.first_group >= end || node_end <= begin) return;
  if (node.first_group >= begin && node_end <= end) {
    roots.push_back(node);
    return;
  }
  const int64_t half = node.groups / 2;
  AppendRoots({.first_group = node.first_group, .groups = half}, begin, end, groups, roots);
  AppendRoots({.first_group = node.first_group + half, .groups = half}, begin, end, groups, roots);
}

}  // namespace

ShardRange ShardsOfRank(int64_t shards, int rank, int ranks) {
  CHECK(ranks >= 1 && rank >= 0 && rank < ranks);
  CHECK(ranks == 1 || shards % (kShardsPerGroup * ranks) == 0)
      << shards << " shards do not divide into groups over " << ranks << " boards";
  return {.begin = shards / ranks * rank, .end = shards / ranks * (rank + 1)};
}

std::vector<TreeNode> SubtreeRoots(ShardRange range, int64_t shards) {
  CHECK(range.begin >= 0 && range.begin < range.end && range.end <= shards);
  CHECK(range.begin % kShardsPerGroup == 0);
  CHECK(range.end % kShardsPerGroup == 0 || range.end == shards);
  const int64_t groups = GroupsOf(shards);
  std::vector<TreeNode> roots;
  AppendRoots(WholeTree(groups), range.begin / kShardsPerGroup, GroupsOf(range.end), groups, roots);
  return roots;
}

ShardSum::ShardSum(ShardRange range, int64_t shards)
    : range_(range), roots_(SubtreeRoots(range, shards)) {
  CHECK(shards <= kShardsMax);
  const int64_t first = range.begin / kShardsPerGroup;
  const auto leaf = [&](TreeNode node) {
    return node.groups == 1 ? static_cast<int32_t>(node.first_group - first) : -1;
  };
  for (const TreeNode& root : roots_) {
    AppendProgram(root, GroupsOf(shards), leaf, programs_.emplace_back());
  }
}

void ShardSum::Sum(std::span<const float* const> shards, std::span<float* const> roots,
                   int64_t begin, int64_t end) const {
  CHECK(static_cast<int64_t>(shards.size()) == range_.size() && roots.size() == roots_.size());
  alignas(64) Scratch scratch;
  for (int64_t block = begin; block < end; block += kBlock) {
    const int64_t count = std::min(kBlock, end - block);
    const auto push = [&](int32_t group, float* room) -> const float* {
      const size_t first = static_cast<size_t>(group) * kShardsPerGroup;
      const size_t size = std::min<size_t>(kShardsPerGroup, shards.size() - first);
      AddGroup(shards.subspan(first, size), block, room, count);
      return room;
    };
    for (size_t root = 0; root < roots.size(); ++root) {
      RunBlock(programs_[root], scratch, push, roots[root] + block, count);
    }
  }
}

RootSum::RootSum(std::vector<TreeNode> roots, int64_t shards)
    : roots_(static_cast<int64_t>(roots.size())) {
  CHECK(shards >= 1 && shards <= kShardsMax);
  const auto leaf = [&](TreeNode node) {
    const auto found = std::find(roots.begin(), roots.end(), node);
    return found == roots.end() ? -1 : static_cast<int32_t>(found - roots.begin());
  };
  const int64_t groups = GroupsOf(shards);
  AppendProgram(WholeTree(groups), groups, leaf, program_);
  CHECK(std::count_if(program_.begin(), program_.end(), [](int32_t step) { return step >= 0; }) ==
        roots_)
      << "some roots lie inside others";
}

RootSum RootSum::OfRanks(int64_t shards, int ranks) {
  std::vector<TreeNode> all;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto roots = SubtreeRoots(ShardsOfRank(shards, rank, ranks), shards);
    all.insert(all.end(), roots.begin(), roots.end());
  }
  return RootSum(std::move(all), shards);
}

void RootSum::Sum(std::span<const float* const> inputs, float* sum, int64_t count) const {
  CHECK(static_cast<int64_t>(inputs.size()) == roots_);
  alignas(64) Scratch scratch;
  for (int64_t block = 0; block < count; block += kBlock) {
    const auto push = [&](int32_t input, float*) -> const float* {
      return inputs[static_cast<size_t>(input)] + block;
    };
    RunBlock(program_, scratch, push, sum + block, std::min(kBlock, count - block));
  }
}

}  // namespace octet
