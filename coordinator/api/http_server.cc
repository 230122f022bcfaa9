#include "coordinator/api/http_server.h"

#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <list>
#include <optional>

#include "coordinator/api/host_port.h"
#include "coordinator/api/responses.h"
#include "shared/base/log.h"
#include "shared/base/thread.h"

namespace octet {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using ErrorCode = boost::system::error_code;
using Response = http::response<http::string_body>;

Result<tcp::endpoint> ParseAddress(const std::string& address) {
  OCTET_ASSIGN_OR_RETURN(const HostPort parts, ParseHostPort(address));
  ErrorCode error;
  const asio::ip::address ip = asio::ip::make_address(parts.host, error);
  if (error)
    return InvalidArgument("\"" + parts.host + "\" in \"" + address + "\" is no IP address");
  return tcp::endpoint(ip, parts.port);
}

Status FromSystem(const ErrorCode& error) {
  if (error == asio::error::address_in_use) {
    return FailedPrecondition("the port is in use by another program");
  }
  if (error == asio::error::access_denied) {
    return PermissionDenied("this user may not listen there");
  }
  return Unavailable(error.message());
}

bool IsLoopback(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback();
  }
  return address.is_loopback();
}

// What went wrong with reading a request, where the client can be told.
std::optional<ApiResponse> AnswerOf(const ErrorCode& error) {
  if (error == http::error::body_limit) {
    return TransportError(
        413, "the body is longer than " + std::to_string(limits::kManifestBytesMax) + " bytes");
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return TransportError(431, "the headers are longer than " +
                                   std::to_string(limits::kHttpHeaderBytesMax) + " bytes");
  }
  // The client is gone, or has never begun.
  if (error == http::error::end_of_stream || error == http::error::partial_message) {
    return std::nullopt;
  }
  if (error.category() == make_error_code(http::error::bad_method).category()) {
    return TransportError(400, "the request is no HTTP: " + error.message());
  }
  return std::nullopt;
}

// "GET" of the parsed request; headers with lower case names, repeated ones joined by commas.
Result<ApiRequest> MakeApiRequest(http::request<http::string_body>& message, bool loopback) {
  // RFC 9112, section 3.2. Of a client of HTTP/1.0 none is asked.
  const size_t hosts = message.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && message.version() >= 11)) {
    return InvalidArgument("a request has exactly one Host header; got " + std::to_string(hosts));
  }
  ApiRequest request;
  OCTET_ASSIGN_OR_RETURN(
      RequestTarget target,
      ParseTarget(std::string_view(message.target().data(), message.target().size())));
  request.path = std::move(target.path);
  request.query = std::move(target.query);
  request.method = std::string(message.method_string());
  // A HEAD is a GET whose body is not sent.
  if (request.method == "HEAD") request.method = "GET";
  for (const auto& field : message) {
    std::string name(field.name_string());
    for (char& c : name) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    std::string& value = request.headers[name];
    if (!value.empty()) value += ", ";
    value += std::string(field.value());
  }
  request.body = std::move(message.body());
  request.peer_is_loopback = loopback;
  return request;
}

}  // namespace

// Everything runs on the one thread of `io_`.
class HttpServer::Impl {
 public:
  Impl(const HttpServerOptions& options, Handler handler)
      : options_(options),
        handler_(std::move(handler)),
        acceptor_(io_),
        pause_(io_),
        grace_(io_),
        tick_(io_) {}

  Status Listen() {
    OCTET_ASSIGN_OR_RETURN(const tcp::endpoint endpoint, ParseAddress(options_.address));
    ErrorCode error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) return FromSystem(error);
    const tcp::endpoint bound = acceptor_.local_endpoint(error);
    if (error) return FromSystem(error);
    port = bound.port();
    const std::string host = bound.address().to_string();
    address = (bound.address().is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(port);
    Accept();
    Tick();
    thread_.emplace("octet-http", [this] { io_.run(); });
    return Ok();
  }

  void Stop() {
    if (!thread_) return;
    asio::post(io_, [this] { BeginStop(); });
    thread_->Join();
    thread_.reset();
  }

  void Wake() {
    // One wake that waits is as good as many.
    if (wake_posted_.exchange(true)) return;
    asio::post(io_, [this] {
      wake_posted_ = false;
      PumpStreams();
    });
  }

  std::string address;
  uint16_t port = 0;

 private:
  class Connection;
  // Shared because a pending operation of Asio and the list of connections both hold one, and
  // either may be the last.
  using Connections = std::list<std::shared_ptr<Connection>>;

  void Accept();
  void Take(tcp::socket socket);
  // Makes room for one connection more; false: all are answering.
  bool MakeRoom();
  void BeginStop();
  // Bookmarks and timeouts of streams are due at some second, whatever happens.
  void Tick();
  void PumpStreams();

  const HttpServerOptions options_;
  const Handler handler_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  asio::steady_timer grace_;
  asio::steady_timer tick_;
  std::atomic<bool> wake_posted_ = false;
  bool stopping_ = false;
  Connections connections_;  // The one that has waited longest first.
  std::optional<Thread> thread_;
};

class HttpServer::Impl::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Impl& server, tcp::socket socket, bool loopback)
      : server_(server),
        stream_(std::move(socket)),
        loopback_(loopback),
        buffer_(limits::kHttpHeaderBytesMax + limits::kManifestBytesMax),
        stall_(stream_.get_executor()) {}

  void Begin(Connections::iterator place) {
    place_ = place;
    AwaitRequest();
  }
  // Between two requests, so that closing it costs nobody an answer.
  bool idle() const { return state_ == State::kIdle; }
  // All is sent, and the client may be reading it.
  bool closing() const { return state_ == State::kClosing; }
  bool reading() const { return state_ == State::kReading; }
  bool streaming() const { return state_ == State::kStreaming; }

  // Sends what the stream has, unless the client is still taking the last part.
  void Pump() {
    if (state_ != State::kStreaming || sending_ || closed_) return;
    const StreamPart part = pull_();
    out_ = part.bytes.empty() ? "" : HttpChunk(part.bytes);
    if (part.end) return EndStream();
    if (!out_.empty()) Send(/*last=*/false);
  }

  // Ends a stream in good order; a part that is being sent is sent first.
  void EndStream() {
    if (sending_) {
      ending_ = true;
      return;
    }
    out_ += HttpChunk("");
    Send(/*last=*/true);
  }

  void Close() {
    if (closed_) return;
    closed_ = true;
    stall_.cancel();
    ErrorCode ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
    stream_.close();
    server_.connections_.erase(place_);
    // Nothing is left to wait for.
    if (server_.stopping_ && server_.connections_.empty()) server_.grace_.cancel();
  }

 private:
  enum class State { kIdle, kReading, kAnswering, kStreaming, kClosing };

  void AwaitRequest() {
    state_ = State::kIdle;
    // To the end of the line: it has just been of use.
    server_.connections_.splice(server_.connections_.end(), server_.connections_, place_);
    if (server_.stopping_) return Close();
    if (buffer_.size() > 0) return ReadHeader();
    stream_.expires_after(server_.options_.idle_timeout);
    stream_.async_read_some(buffer_.prepare(4096),
                            [self = shared_from_this()](const ErrorCode& error, size_t bytes) {
                              if (error) return self->Close();
                              self->buffer_.commit(bytes);
                              self->ReadHeader();
                            });
  }

  void ReadHeader() {
    state_ = State::kReading;
    parser_.emplace();
    parser_->header_limit(limits::kHttpHeaderBytesMax);
    parser_->body_limit(limits::kManifestBytesMax);
    stream_.expires_after(server_.options_.header_timeout);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](const ErrorCode& error, size_t) {
                              if (error) return self->Refuse(error);
                              self->ReadBody();
                            });
  }

  void ReadBody() {
    stream_.expires_after(server_.options_.body_timeout);
    const bool asks = beast::iequals(parser_->get()[http::field::expect], "100-continue");
    if (asks && parser_->get().version() >= 11) return Continue();
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](const ErrorCode& error, size_t) {
                       if (error) return self->Refuse(error);
                       self->Answer();
                     });
  }

  // The client asks whether its body is welcome before it sends it.
  void Continue() {
    parser_->get().erase(http::field::expect);
    response_ = Response(http::status::continue_, 11);
    http::async_write(stream_, response_,
                      [self = shared_from_this()](const ErrorCode& error, size_t) {
                        if (error) return self->Close();
                        self->ReadBody();
                      });
  }

  void Answer() {
    http::request<http::string_body> message = parser_->release();
    const bool keep_alive = message.keep_alive();
    const bool head = message.method() == http::verb::head;
    const Result<ApiRequest> request = MakeApiRequest(message, loopback_);
    const ApiResponse answer =
        request.ok() ? server_.handler_(*request) : TransportError(400, request.status().message());
    if (answer.stream && !head) return BeginStream(answer);
    Write(answer, keep_alive && !server_.stopping_, head);
  }

  void BeginStream(const ApiResponse& answer) {
    state_ = State::kStreaming;
    pull_ = answer.stream;
    out_ = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n";
    for (const auto& [name, value] : answer.headers) out_ += name + ": " + value + "\r\n";
    out_ += "\r\n";
    stream_.expires_never();
    NoticeDeparture();
    Send(/*last=*/false);
  }

  // A client of a stream says nothing more; what is read of it is its end.
  void NoticeDeparture() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(512),
                            [self = shared_from_this()](const ErrorCode& error, size_t) {
                              if (error) return self->Close();
                              self->NoticeDeparture();
                            });
  }

  void Send(bool last) {
    sending_ = true;
    stall_.expires_after(server_.options_.body_timeout);
    stall_.async_wait([self = shared_from_this()](const ErrorCode& cancelled) {
      // The wait of an earlier part may have ended just before it was cancelled.
      const bool late = self->stall_.expiry() <= asio::steady_timer::clock_type::now();
      if (!cancelled && late && self->sending_) self->Close();
    });
    asio::async_write(stream_, asio::buffer(out_),
                      [self = shared_from_this(), last](const ErrorCode& error, size_t) {
                        self->sending_ = false;
                        self->stall_.cancel();
                        if (error || last) return self->Close();
                        self->out_.clear();
                        if (self->ending_ || self->server_.stopping_) return self->EndStream();
                        self->Pump();
                      });
  }

  void Refuse(const ErrorCode& error) {
    const std::optional<ApiResponse> answer = AnswerOf(error);
    if (!answer) return Close();
    // What else the client has sent is not understood any more.
    Write(*answer, /*keep_alive=*/false, /*head=*/false);
  }

  void Write(const ApiResponse& answer, bool keep_alive, bool head) {
    state_ = State::kAnswering;
    response_ = Response(static_cast<http::status>(answer.code), 11);
    for (const auto& [name, value] : answer.headers) response_.set(name, value);
    response_.keep_alive(keep_alive);
    response_.content_length(answer.body.size());
    if (!head) response_.body() = answer.body;
    stream_.expires_after(server_.options_.body_timeout);
    http::async_write(stream_, response_,
                      [self = shared_from_this(), keep_alive](const ErrorCode& error, size_t) {
                        if (error || !keep_alive) return self->Finish();
                        self->AwaitRequest();
                      });
  }

  // Closes our side first and lets the client read the answer: closing at once, with bytes of it
  // unread, would make the system throw the answer away.
  void Finish() {
    if (closed_) return;
    state_ = State::kClosing;
    ErrorCode ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    // One deadline for all that may still come: a client that drips bytes does not move it.
    stream_.expires_after(limits::kHttpStopGrace);
    Drain(0);
  }

  void Drain(size_t drained) {
    if (closed_) return;
    if (drained > limits::kManifestBytesMax) return Close();
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(64 * 1024), [self = shared_from_this(), drained](
                                                            const ErrorCode& error, size_t bytes) {
      if (error) return self->Close();
      self->Drain(drained + bytes);
    });
  }

  Impl& server_;
  beast::tcp_stream stream_;
  const bool loopback_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  Response response_;
  // Of a stream: where its parts come from, the part that is being sent, and the time it may take.
  std::function<StreamPart()> pull_;
  std::string out_;
  asio::steady_timer stall_;
  bool sending_ = false;
  bool ending_ = false;
  State state_ = State::kIdle;
  bool closed_ = false;
  Connections::iterator place_;
};

void HttpServer::Impl::Accept() {
  acceptor_.async_accept([this](const ErrorCode& error, tcp::socket socket) {
    if (stopping_ || error == asio::error::operation_aborted) return;
    if (!error) {
      Take(std::move(socket));
      return Accept();
    }
    // Out of file descriptors, most likely: trying again at once would only burn the processor.
    LogWarning("the API cannot take a connection: " + error.message());
    pause_.expires_after(limits::kHttpAcceptPause);
    pause_.async_wait([this](const ErrorCode& cancelled) {
      if (!cancelled && !stopping_) Accept();
    });
  });
}

void HttpServer::Impl::Take(tcp::socket socket) {
  ErrorCode error;
  const tcp::endpoint peer = socket.remote_endpoint(error);
  if (error || !MakeRoom()) return;
  socket.set_option(tcp::no_delay(true), error);
  auto connection =
      std::make_shared<Connection>(*this, std::move(socket), IsLoopback(peer.address()));
  connections_.push_back(connection);
  connection->Begin(std::prev(connections_.end()));
}

bool HttpServer::Impl::MakeRoom() {
  if (connections_.size() < options_.connections_max) return true;
  for (const auto expendable : {&Connection::idle, &Connection::closing, &Connection::reading}) {
    for (const std::shared_ptr<Connection>& connection : connections_) {
      if (!(*connection.*expendable)()) continue;
      const std::shared_ptr<Connection> closing = connection;
      closing->Close();
      return true;
    }
  }
  return false;
}

void HttpServer::Impl::Tick() {
  tick_.expires_after(std::chrono::seconds(1));
  tick_.async_wait([this](const ErrorCode& cancelled) {
    if (cancelled || stopping_) return;
    PumpStreams();
    Tick();
  });
}

void HttpServer::Impl::PumpStreams() {
  if (stopping_) return;
  if (options_.on_wake) options_.on_wake();
  // A connection that closes leaves the list.
  for (auto at = connections_.begin(); at != connections_.end();) {
    const std::shared_ptr<Connection> connection = *at++;
    if (connection->streaming()) connection->Pump();
  }
}

void HttpServer::Impl::BeginStop() {
  stopping_ = true;
  tick_.cancel();
  ErrorCode ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  const auto close_where = [this](bool everything) {
    const Connections copy = connections_;
    for (const std::shared_ptr<Connection>& connection : copy) {
      if (everything || connection->idle()) {
        connection->Close();
      } else if (connection->streaming()) {
        connection->EndStream();
      }
    }
  };
  close_where(false);
  grace_.expires_after(limits::kHttpStopGrace);
  grace_.async_wait([this, close_where](const ErrorCode&) {
    close_where(true);
    io_.stop();
  });
  if (connections_.empty()) grace_.cancel();
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() { Stop(); }

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpServerOptions& options,
                                                      Handler handler) {
  auto impl = std::make_unique<Impl>(options, std::move(handler));
  OCTET_RETURN_IF_ERROR(impl->Listen());
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

const std::string& HttpServer::address() const { return impl_->address; }
uint16_t HttpServer::port() const { return impl_->port; }
void HttpServer::Wake() { impl_->Wake(); }
void HttpServer::Stop() { impl_->Stop(); }

}  // namespace octet
