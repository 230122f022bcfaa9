#include "worker/collective/transport.h"

#include <string>

namespace octet {

Payload Payload::Copy(std::string_view bytes) {
  auto owner = std::make_shared<const std::string>(bytes);
  const std::string_view view = *owner;
  return {.owner = std::move(owner), .bytes = view};
}

}  // namespace octet
