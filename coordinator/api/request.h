// ApiRequest and ApiResponse: an HTTP exchange as plain values, so that the API is served and
// tested without sockets. Parsing of the target (path, query, percent-encoding) is here; HTTP
// itself is in http_server.h. Pure.
#pragma once

#include <functional>
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

// A part of an answer that goes on. No bytes and no end: there is nothing more yet.
struct StreamPart {
  std::string bytes;
  bool end = false;
};

struct ApiResponse {
  int code = 200;
  std::map<std::string, std::string> headers;  // Content-Type and whatever else; no Content-Length.
  std::string body;
  // Of a watch, instead of a body: called on the server's thread, again and again, until it gives
  // the end or the client goes.
  std::function<StreamPart()> stream{};
};

// "true" and "1" as Go reads a boolean, which is what clients of Kubernetes write.
bool IsTrueWord(std::string_view word);

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
