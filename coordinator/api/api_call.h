// ApiCall: a request in the words that metrics are kept by. Pure.
#pragma once

#include <string>

#include "coordinator/api/request.h"

namespace octet {

struct ApiCall {
  std::string verb;      // get, list, watch, create, update, patch, delete; else other.
  std::string resource;  // "trainingjobs", "slicepools/scale"; "" for what is no object.
};

// Words from a bounded set, whatever a client sends.
ApiCall DescribeCall(const ApiRequest& request);

}  // namespace octet
