#include "worker/collective/gang_name.h"

#include <charconv>
#include <utility>

namespace octet {
namespace {

template <typename T>
std::optional<T> ParseNumber(std::string_view text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::string FormatGangName(const GangName& name) {
  return name.gang.job.str() + "/" + std::to_string(name.gang.fence.value()) + "/" +
         std::to_string(name.rank);
}

std::optional<GangName> ParseGangName(std::string_view text) {
  const size_t second = text.rfind('/');
  if (second == std::string_view::npos || second == 0) return std::nullopt;
  const size_t first = text.rfind('/', second - 1);
  if (first == std::string_view::npos || first == 0) return std::nullopt;
  const auto fence = ParseNumber<int64_t>(text.substr(first + 1, second - first - 1));
  const auto rank = ParseNumber<int>(text.substr(second + 1));
  if (!fence.has_value() || !rank.has_value()) return std::nullopt;
  return GangName{
      .gang = {.job = JobUid(std::string(text.substr(0, first))), .fence = Fence(*fence)},
      .rank = *rank};
}

}  // namespace octet
