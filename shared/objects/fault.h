// Fault: one mistake in a user's document: where it is and what would be right. Values.
#pragma once

#include <string>
#include <vector>

#include "shared/objects/value.h"

namespace octet {

// The reason of a fault that a lenient reader drops the member for and goes on.
inline constexpr char kUnknownField[] = "FieldUnknown";

struct Fault {
  std::string path;     // "spec.training.batchSize"; empty for the document itself.
  std::string message;  // "must be a multiple of 8 …", a whole sentence part that names the fix.
  Position position = {};  // Of the value, or of the key where the key is wrong.
  // A machine's word as in Kubernetes causes: FieldValueInvalid, FieldValueRequired,
  // FieldValueNotSupported, FieldValueDuplicate, FieldValueForbidden; or kUnknownField.
  std::string reason = "FieldValueInvalid";
};

using Faults = std::vector<Fault>;

// Into the order of the text; those without a place go last, in the order in which they were.
void SortByPlace(Faults& faults);

// "job.yaml:12:5: spec.training.batchSize: must …", one a line, in the order of the text; the place
// is left out where it is unknown. At most kFaultsMax, then "and N more".
std::string FormatFaults(const std::string& file, const Faults& faults);

// The member of `known` that `word` probably meant, or "" (edit distance at most 2, or a third of
// it).
std::string DidYouMean(const std::string& word, const std::vector<std::string>& known);

}  // namespace octet
