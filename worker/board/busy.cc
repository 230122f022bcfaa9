#include "worker/board/busy.h"

#include <algorithm>

namespace octet {
namespace {

constexpr int kCores = 8;

BusyShares SharesOf(std::chrono::nanoseconds operations, std::chrono::nanoseconds products,
                    double available) {
  const auto percent = [available](std::chrono::nanoseconds busy) {
    return std::clamp(100 * static_cast<double>(busy.count()) / available, 0.0, 100.0);
  };
  return {.mxu_percent = percent(products), .idle_percent = 100 - percent(operations)};
}

}  // namespace

std::optional<BoardUse> UseBetween(const BusySample& before, const BusySample& after, int threads) {
  const auto window = static_cast<double>((after.at - before.at).count());
  if (window <= 0) return std::nullopt;
  BoardUse use;
  CoreBusy sum;
  // Eight cores share the threads' time.
  const double core_time = window * threads / kCores;
  for (size_t i = 0; i < kCores; ++i) {
    const std::chrono::nanoseconds operations =
        after.cores[i].operations - before.cores[i].operations;
    const std::chrono::nanoseconds products = after.cores[i].products - before.cores[i].products;
    use.cores[i] = SharesOf(operations, products, core_time);
    sum.operations += operations;
    sum.products += products;
    sum.runs += after.cores[i].runs - before.cores[i].runs;
  }
  if (sum.runs == 0) return std::nullopt;
  use.board = SharesOf(sum.operations, sum.products, window * threads);
  return use;
}

}  // namespace octet
