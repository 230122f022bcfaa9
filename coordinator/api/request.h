// ApiRequest and ApiResponse: an HTTP exchange as plain values, so that the API is served and
// tested without sockets. Parsing of the target (path, query, percent-encoding) is here; HTTP
// itself is in http_server.h. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/status.h"

namespace octet {

struct ApiRequest {
  std::string method;                        // "GET"
  std::vector<std::string> path;             // Decoded segments: {"apis", "octet.dev", "v1", …}.
  std::map<std::string, std::string> query;  // Decoded; of a repeated name the last counts.
  std::map<std::string, std::string> headers;  // Names in lower case.
  std::string body;
  bool peer_is_loopback = false;

  // "" where there is none.
  const std::string& Header(const std::string& lower_case_name) const;
  const std::string& Query(const std::string& name) const;
};

struct ApiResponse {
  int code = 200;
  std::map<std::string, std::string> headers;  // Content-Type and whatever else; no Content-Length.
  std::string body;
};

struct RequestTarget {
  std::vector<std::string> path;
  std::map<std::string, std::string> query;
};

// "/apis/octet.dev/v1/boards?labelSelector=a%3Db". Segments are split before they are decoded, so
// that an encoded slash cannot make two of one. kInvalidArgument: no leading slash, bad
// percent-encoding,
// "." or ".." as a segment, an empty segment, control characters or a slash inside one.
Result<RequestTarget> ParseTarget(std::string_view target);

}  // namespace octet
