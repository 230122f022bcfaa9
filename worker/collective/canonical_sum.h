// The canonical order of a sum over the logical shards of a job. Pure.
//
// Groups of four consecutive shards are summed in order, ((s0 + s1) + s2) + s3; the groups by a
// balanced binary tree over the group's index, padded to a power of two. What is absent (shards of
// the last group, groups beyond the last) is skipped, never added as 0: 0 + -0.0 is not -0.0. The
// order depends on nothing but the number of shards, so a sum has the same bits however the shards
// lie on boards, threads, chunks and transports.
//
// A board sums the shards that it holds as far as the tree goes without the others: to the maximal
// subtrees that lie whole in its range, its roots. One root where the boards hold equal powers of
// two of groups; a few otherwise. The roots of all boards are combined by the rest of the tree.
//
// Vector instructions work across elements, so that their width changes no bit. Any number of
// threads may use one object, each for elements of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace octet {

// Shards [begin, end) of a job.
struct ShardRange {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
  bool operator==(const ShardRange&) const = default;
};

inline constexpr int64_t kShardsPerGroup = 4;

// The subtree over the groups [first_group, first_group + groups), groups a power of two that
// divides first_group; groups beyond the last of the job are absent.
struct TreeNode {
  int64_t first_group = 0;
  int64_t groups = 1;
  bool operator==(const TreeNode&) const = default;
};

// The board of `rank` among `ranks` holds the shards [rank * shards / ranks, …). `shards` is a
// multiple of `ranks`; with several ranks, of 4 * ranks.
ShardRange ShardsOfRank(int64_t shards, int rank, int ranks);

// The maximal subtrees that lie whole in `range`, in order. `range` begins and ends at groups or at
// the end of the job's `shards`.
std::vector<TreeNode> SubtreeRoots(ShardRange range, int64_t shards);

// The steps of a sum as a postfix program: a number >= 0 pushes that input, kMerge replaces the two
// topmost by their sum (the lower one on the left).
using SumProgram = std::vector<int32_t>;
inline constexpr int32_t kMerge = -1;

// Sums one board's shards to its roots.
class ShardSum {
 public:
  // `shards`: of the whole job, at most 2^20.
  ShardSum(ShardRange range, int64_t shards);

  ShardRange range() const { return range_; }
  // The subtrees, in order; root i of Sum is the sum of roots()[i].
  const std::vector<TreeNode>& roots() const { return roots_; }

  // For the elements [begin, end): shards[i] is the buffer of shard range().begin + i, roots[j]
  // receives root j. Every element of the roots in the range is written. A root may not overlap a
  // shard's buffer.
  void Sum(std::span<const float* const> shards, std::span<float* const> roots, int64_t begin,
           int64_t end) const;

 private:
  ShardRange range_;
  std::vector<TreeNode> roots_;
  std::vector<SumProgram> programs_;  // By root; input i is group i of the range.
};

// Combines the roots of all boards to the sum.
class RootSum {
 public:
  // `roots` are those of all boards, in the order of their shards; together the whole tree.
  RootSum(std::vector<TreeNode> roots, int64_t shards);
  // For the boards of a slice, each with ShardsOfRank.
  static RootSum OfRanks(int64_t shards, int ranks);

  int64_t roots() const { return roots_; }

  // sum[e] for 0 <= e < count from inputs[i][e], input i being root i. `sum` may not overlap them.
  void Sum(std::span<const float* const> inputs, float* sum, int64_t count) const;

 private:
  int64_t roots_;
  SumProgram program_;
};

}  // namespace octet
