// HttpServer: HTTP/1.1 over TCP for an ApiHandler-like function, on one thread of its own.
//
// Keep-alive; bounded in connections, header and body size and in the time that each may take
// (limits.h). When all connections are taken, the one that has been idle for longest makes room, so
// that idle clients lock nobody out. An answer may be a stream (a watch): its
// parts are sent as they come, the next one only when the client has taken the last, and the
// connection is closed at its end. Plain HTTP: who is not on the loopback address is told apart
// by ApiRequest::peer_is_loopback.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "coordinator/api/request.h"
#include "shared/base/limits.h"
#include "shared/base/status.h"

namespace octet {

struct HttpServerOptions {
  std::string address =
      "127.0.0.1:7443";  // "host:port" with an IP address; "[::1]:0"; port 0: a free one.
  size_t connections_max = limits::kHttpConnectionsMax;
  Duration idle_timeout = limits::kHttpIdleTimeout;
  Duration header_timeout = limits::kHttpHeaderTimeout;
  Duration body_timeout = limits::kHttpBodyTimeout;
  // Called on the server's thread before streams are asked for more: each second and at a Wake.
  std::function<void()> on_wake{};
};

class HttpServer {
 public:
  // Called on the server's thread, one request after another.
  using Handler = std::function<ApiResponse(const ApiRequest&)>;

  // Binds, listens and serves. kInvalidArgument: no such address. kFailedPrecondition: the port is
  // in use. kPermissionDenied: not allowed to this user. kUnavailable: anything else of the system.
  static Result<std::unique_ptr<HttpServer>> Start(const HttpServerOptions& options,
                                                   Handler handler);
  // Stops.
  ~HttpServer();

  // "127.0.0.1:43121", with the real port.
  const std::string& address() const;
  uint16_t port() const;

  // Asks the streams under way for more, soon. Any thread.
  void Wake();

  // Takes no new connection, finishes answers under way (at most limits::kHttpStopGrace), closes
  // the rest and joins the thread. May be called twice; not from the handler.
  void Stop();

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace octet
