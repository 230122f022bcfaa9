// An HTTP client over libcurl, as much of it as the command line needs. One thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "shared/base/status.h"

namespace octet::cli {

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::string> headers;  // "Name: value"
  std::string body;
};

struct HttpResponse {
  int code = 0;
  std::map<std::string, std::string> headers;  // Names in lower case.
  std::string body;
};

class HttpClient {
 public:
  HttpClient();
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Any answer of the server is a response, whatever its code. kUnavailable: none came.
  Result<HttpResponse> Send(const HttpRequest& request);

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

// For a part of a path or a query.
std::string PercentEncode(const std::string& text);

}  // namespace octet::cli
