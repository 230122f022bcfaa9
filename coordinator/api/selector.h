// Selector: which objects of a list are wanted, by labels and fields, as Kubernetes writes it.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shared/base/status.h"
#include "shared/objects/kinds.h"

namespace octet {

class Selector {
 public:
  // `labels`: "a=b", "a!=b", "a in (b,c)", "a notin (b,c)", "a", "!a", all of which must hold.
  // `fields`: the same with "=" and "!=" on metadata.name, metadata.namespace and the selectable
  // fields of the kind. kInvalidArgument names the part that is wrong.
  static Result<Selector> Parse(const KindInfo& info, std::string_view labels,
                                std::string_view fields);

  bool Matches(const Object& object) const;

 private:
  struct Requirement {
    std::string key;
    bool absent_matches = false;  // Of an object without the key.
    bool any_value = false;       // The key alone decides.
    bool negated = false;         // None of `values` rather than one of them.
    std::vector<std::string> values;
  };
  static Result<Requirement> ParseLabel(std::string_view text);
  static Result<Requirement> ParseField(const KindInfo& info, std::string_view text);
  static bool Holds(const Requirement& requirement, const std::string* value);

  std::vector<Requirement> labels_;
  std::vector<Requirement> fields_;
};

}  // namespace octet
