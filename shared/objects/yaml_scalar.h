// What a plain (unquoted) scalar of YAML means: the core schema of YAML 1.2.2, section 10.3.2.
//
// null, Null, NULL, ~ and nothing; true, True, TRUE, false, …; decimal, 0o17 and 0xff integers;
// floating point. All else is a string: yes, no, on, off, 12:30, 2026-12-01. Pure.
#pragma once

#include <string>

#include "shared/objects/value.h"

namespace octet {

struct PlainScalar {
  Value value;
  std::string fault;  // Not empty: a number that cannot be held, and why.
};

PlainScalar ResolvePlainScalar(const std::string& text);

}  // namespace octet
