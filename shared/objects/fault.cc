#include "shared/objects/fault.h"

#include <algorithm>
#include <utility>

#include "shared/base/limits.h"

namespace octet {
namespace {

// Longer words are no typing mistakes, and comparing them costs the product of the lengths.
constexpr size_t kGuessedWordMax = 64;

char Lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// Letters to insert, delete, replace or swap with the next (Damerau's distance, optimal alignment);
// upper and lower case count as the same.
size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = Lower(a[i - 1]) == Lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) &&
          Lower(a[i - 2]) == Lower(b[j - 1])) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

void SortByPlace(Faults& faults) {
  std::stable_sort(faults.begin(), faults.end(), [](const Fault& a, const Fault& b) {
    const bool a_placed = a.position.line > 0;
    const bool b_placed = b.position.line > 0;
    if (a_placed != b_placed) return a_placed;
    return std::pair(a.position.line, a.position.column) <
           std::pair(b.position.line, b.position.column);
  });
}

std::string FormatFaults(const std::string& file, const Faults& unsorted) {
  Faults faults = unsorted;
  SortByPlace(faults);
  std::string text;
  for (size_t i = 0; i < faults.size() && i < limits::kFaultsMax; ++i) {
    const Fault& fault = faults[i];
    text += file;
    if (fault.position.line > 0) {
      text +=
          ':' + std::to_string(fault.position.line) + ':' + std::to_string(fault.position.column);
    }
    text += ": ";
    if (!fault.path.empty()) text += fault.path + ": ";
    text += fault.message + '\n';
  }
  if (faults.size() > limits::kFaultsMax) {
    const bool all = faults.size() < limits::kFaultsCountedMax;
    text += file + ": and " + (all ? "" : "at least ") +
            std::to_string(faults.size() - limits::kFaultsMax) + " more\n";
  }
  return text;
}

std::string DidYouMean(const std::string& word, const std::vector<std::string>& known) {
  if (word.empty() || word.size() > kGuessedWordMax) return "";
  const size_t allowed = std::max<size_t>(2, word.size() / 3);
  std::string best;
  size_t best_distance = allowed + 1;
  for (const std::string& candidate : known) {
    const size_t longer = std::max(candidate.size(), word.size());
    const size_t shorter = std::min(candidate.size(), word.size());
    if (longer - shorter > allowed) continue;
    const size_t distance = EditDistance(word, candidate);
    // A guess that shares no letter with the word is none ("ab" for "xy").
    if (distance >= best_distance || distance >= longer) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

}  // namespace octet
