// Identities as types, so that a board's name cannot be passed where a user's is wanted. Values.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <utility>

namespace octet {

template <typename Tag>
class Name {
 public:
  Name() = default;
  explicit Name(std::string text) : text_(std::move(text)) {}
  const std::string& str() const { return text_; }
  bool empty() const { return text_.empty(); }
  auto operator<=>(const Name&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Name& name) { return out << name.text_; }

 private:
  std::string text_;
};

using UserName = Name<struct UserNameTag>;
using JobUid = Name<struct JobUidTag>;
using SessionUid = Name<struct SessionUidTag>;
// A board's name: its pool's name and its ordinal, "local-3".
using BoardId = Name<struct BoardIdTag>;
using PoolName = Name<struct PoolNameTag>;

// Grows with each assignment of a job; a message that carries an older one is refused.
class Fence {
 public:
  constexpr Fence() = default;
  constexpr explicit Fence(int64_t value) : value_(value) {}
  constexpr int64_t value() const { return value_; }
  constexpr Fence Next() const { return Fence(value_ + 1); }
  constexpr auto operator<=>(const Fence&) const = default;

 private:
  int64_t value_ = 0;
};

// A random RFC 4122 version 4 UUID from two 64-bit words (of Random, or of the system's source).
std::string FormatUuid(uint64_t high, uint64_t low);

}  // namespace octet

template <typename Tag>
struct std::hash<octet::Name<Tag>> {
  size_t operator()(const octet::Name<Tag>& name) const {
    return std::hash<std::string>()(name.str());
  }
};
