// How long a sum takes: over the eight cores of a board, and over the boards of a slice. Threads
// stand for boards, each with a ZeroMQ context of its own; the time is that of the slowest, from
// the release of all to the last result. Bytes are those of the summed buffer.
#include <benchmark/benchmark.h>

#include <barrier>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "shared/base/check.h"
#include "shared/base/clock.h"
#include "shared/base/random.h"
#include "shared/base/thread.h"
#include "worker/collective/canonical_sum.h"
#include "worker/collective/core_group.h"
#include "worker/collective/data_endpoint.h"
#include "worker/collective/slice_all_reduce.h"
#include "worker/collective/zmq_transport.h"

namespace octet {
namespace {

constexpr int kCores = 8;

void Sizes(benchmark::internal::Benchmark* bench) {
  for (const int64_t kib : {4, 64, 1024, 16 * 1024}) bench->Arg(kib);
}

int64_t Elements(int64_t kib) { return kib * 1024 / static_cast<int64_t>(sizeof(float)); }

// One thread sums the buffers of eight shards.
void BoardSum(benchmark::State& state) {
  const int64_t elements = Elements(state.range(0));
  SumBuffer shards(elements, kCores, false);
  std::vector<const float*> inputs;
  for (int i = 0; i < kCores; ++i) inputs.push_back(shards.root(i));
  float* const root[] = {shards.writable_sum()};
  const ShardSum sum({0, kCores}, kCores);
  for (auto _ : state) sum.Sum(inputs, root, 0, elements);
  state.SetBytesProcessed(state.iterations() * state.range(0) * 1024);
}
BENCHMARK(BoardSum)->ArgName("KiB")->Apply(Sizes)->UseRealTime();

// The board's threads hand over, each sums its range, and hand over again.
void BoardSumByThreads(benchmark::State& state) {
  const int threads = static_cast<int>(state.range(1));
  const int64_t elements = Elements(state.range(0));
  SumBuffer shards(elements, kCores, false);
  std::vector<const float*> inputs;
  for (int i = 0; i < kCores; ++i) inputs.push_back(shards.root(i));
  float* const root[] = {shards.writable_sum()};
  const ShardSum sum({0, kCores}, kCores);
  const SystemClock clock;
  ZmqContext context;
  const auto group = CoreGroup::Create(context, clock, threads).value();
  std::vector<Thread> members;
  for (int i = 0; i < threads; ++i) {
    members.emplace_back("core", [&, i] {
      CoreMember member = CoreMember::Join(context, group->address(i)).value();
      while (const auto token = member.Next()) {
        sum.Sum(inputs, root, elements * i / threads, elements * (i + 1) / threads);
        member.Done(*token);
      }
    });
  }
  for (auto _ : state) {
    const Status released = group->Release({});
    CHECK(released.ok()) << released.ToString();
    CHECK(group->Gather(std::chrono::seconds(30)).ok());
  }
  group->Stop();
  state.SetBytesProcessed(state.iterations() * state.range(0) * 1024);
}
BENCHMARK(BoardSumByThreads)
    ->ArgNames({"KiB", "threads"})
    ->ArgsProduct({{4, 64, 1024, 16 * 1024}, {2, 8}})
    ->UseRealTime();

// Boards as threads that run an all-reduce each time they are released.
class Slice {
 public:
  Slice(int ranks, const std::string& kind, int64_t elements)
      : folder_(std::filesystem::temp_directory_path() /
                ("octet-bench-" + std::to_string(SystemRandom64() % 1'000'000))),
        start_(ranks + 1),
        end_(ranks + 1) {
    std::filesystem::create_directory(folder_);
    for (int rank = 0; rank < ranks; ++rank) {
      contexts_.push_back(std::make_unique<ZmqContext>());
      const std::string address = kind == "ipc"
                                      ? "ipc://" + (folder_ / std::to_string(rank)).string()
                                      : std::string("tcp://127.0.0.1:0");
      endpoints_.push_back(DataEndpoint::Bind(*contexts_.back(), address).value());
      addresses_.push_back(endpoints_.back()->address());
    }
    for (int rank = 0; rank < ranks; ++rank) {
      threads_.emplace_back("board", [this, rank, elements] { RunBoard(rank, elements); });
    }
    RunOnce();  // They have joined.
  }
  ~Slice() {
    over_ = true;
    start_.arrive_and_wait();
    threads_.clear();
    for (auto& endpoint : endpoints_) endpoint->MoveToThisThread();
    endpoints_.clear();
    std::filesystem::remove_all(folder_);
  }
  void RunOnce() {
    start_.arrive_and_wait();
    end_.arrive_and_wait();
  }

 private:
  void RunBoard(int rank, int64_t elements) {
    const int ranks = static_cast<int>(addresses_.size());
    const auto transport =
        ZmqTransport::Connect(
            *endpoints_[static_cast<size_t>(rank)], clock_,
            {.gang = {JobUid("bench"), Fence(1)}, .rank = rank, .addresses = addresses_})
            .value();
    SliceAllReduce slice(transport.get(), clock_,
                         {.rank = rank, .ranks = ranks, .fence = Fence(1), .shards = 8 * ranks},
                         {});
    CHECK(slice.Join().ok());
    SumBuffer buffer(elements, 1, false);
    while (true) {
      start_.arrive_and_wait();
      if (over_) return;
      const Status status = slice.AllReduce(buffer);
      CHECK(status.ok()) << status.ToString();
      end_.arrive_and_wait();
    }
  }

  SystemClock clock_;
  std::filesystem::path folder_;
  std::barrier<> start_;
  std::barrier<> end_;
  bool over_ = false;
  std::vector<std::unique_ptr<ZmqContext>> contexts_;
  std::vector<std::unique_ptr<DataEndpoint>> endpoints_;
  std::vector<std::string> addresses_;
  std::vector<Thread> threads_;
};

void SliceSum(benchmark::State& state, const std::string& kind) {
  Slice slice(static_cast<int>(state.range(1)), kind, Elements(state.range(0)));
  for (auto _ : state) slice.RunOnce();
  state.SetBytesProcessed(state.iterations() * state.range(0) * 1024);
}
BENCHMARK_CAPTURE(SliceSum, ipc, "ipc")
    ->ArgNames({"KiB", "boards"})
    ->ArgsProduct({{4, 64, 1024, 16 * 1024}, {2, 4}})
    ->UseRealTime();
BENCHMARK_CAPTURE(SliceSum, tcp, "tcp")
    ->ArgNames({"KiB", "boards"})
    ->ArgsProduct({{4, 64, 1024, 16 * 1024}, {2, 4}})
    ->UseRealTime();

}  // namespace
}  // namespace octet
