// SHA-256 (FIPS 180-4) over OpenSSL: for checkpoints' manifests and the hash of a job's weights.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace octet {

// 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);

// The same over bytes that come in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void Update(std::string_view bytes);
  // Ends the hash; call once.
  std::string FinishHex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace octet
