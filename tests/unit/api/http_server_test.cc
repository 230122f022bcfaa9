// The HTTP server over real sockets of the loopback address: well-behaved clients and others.
#include "coordinator/api/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio.hpp>
#include <deque>
#include <future>
#include <mutex>

#include "shared/base/thread.h"

namespace octet {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A client that sends bytes as it is told and reads answers.
class Client {
 public:
  explicit Client(uint16_t port) : socket_(io_) {
    socket_.connect({asio::ip::address_v4::loopback(), port});
  }

  void Send(const std::string& bytes) {
    boost::system::error_code ignored;  // A server that has closed shows when it is read from.
    asio::write(socket_, asio::buffer(bytes), ignored);
  }

  // One answer: its head and as much body as Content-Length says; what there is if the server
  // closes before.
  std::string ReadAnswer(bool with_body = true) {
    const size_t head = ReadUntil("\r\n\r\n");
    if (head == std::string::npos) return Take(buffer_.size());
    size_t body = 0;
    const size_t length = buffer_.find("Content-Length: ");
    if (with_body && length < head) body = std::stoul(buffer_.substr(length + 16));
    while (buffer_.size() < head + body && ReadMore()) {
    }
    return Take(std::min(buffer_.size(), head + body));
  }

  // So many bytes more, or what there is if the server closes before.
  std::string ReadBytes(size_t count) {
    while (buffer_.size() < count && ReadMore()) {
    }
    return Take(std::min(buffer_.size(), count));
  }

  std::string ReadExactly(size_t count) {
    while (buffer_.size() < count && ReadMore()) {
    }
    return Take(std::min(buffer_.size(), count));
  }

  // Takes nothing for a while, then everything.
  std::string ReadAfter(Duration pause) {
    asio::steady_timer timer(io_, pause);
    timer.wait();
    return ReadToEnd();
  }

  // Everything until the server closes.
  std::string ReadToEnd() {
    while (ReadMore()) {
    }
    return Take(buffer_.size());
  }

 private:
  size_t ReadUntil(const std::string& mark) {
    while (buffer_.find(mark) == std::string::npos) {
      if (!ReadMore()) return std::string::npos;
    }
    return buffer_.find(mark) + mark.size();
  }
  bool ReadMore() {
    char bytes[4096];
    boost::system::error_code error;
    const size_t count = socket_.read_some(asio::buffer(bytes), error);
    buffer_.append(bytes, count);
    return !error;
  }
  std::string Take(size_t count) {
    std::string taken = buffer_.substr(0, count);
    buffer_.erase(0, count);
    return taken;
  }

  asio::io_context io_;
  tcp::socket socket_;
  std::string buffer_;
};

std::string Get(const std::string& target, const std::string& headers = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n";
}

// Answers what it was asked: "GET /a/b?x=1 body".
ApiResponse Echo(const ApiRequest& request) {
  std::string text = request.method + " ";
  for (const std::string& segment : request.path) text += "/" + segment;
  for (const auto& [name, value] : request.query) text += "?" + name + "=" + value;
  return {
      .code = 200, .headers = {{"Content-Type", "text/plain"}}, .body = text + " " + request.body};
}

std::unique_ptr<HttpServer> StartServer(HttpServer::Handler handler = Echo,
                                        HttpServerOptions options = {}) {
  options.address = "127.0.0.1:0";
  return HttpServer::Start(options, std::move(handler)).value();
}

TEST(HttpServer, AnswersSeveralRequestsOfOneConnection) {
  const auto server = StartServer();
  Client client(server->port());
  for (const std::string target : {"/a", "/b", "/c"}) {
    client.Send(Get(target));
    const std::string answer = client.ReadAnswer();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer, EndsWith("GET " + target + " "));
  }
}

TEST(HttpServer, AnswersPipelinedRequestsInTheirOrder) {
  const auto server = StartServer();
  Client client(server->port());
  client.Send(Get("/1") + Get("/2") + "POST /3 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi" +
              Get("/4", "Connection: close\r\n"));
  EXPECT_THAT(client.ReadAnswer(), EndsWith("GET /1 "));
  EXPECT_THAT(client.ReadAnswer(), EndsWith("GET /2 "));
  EXPECT_THAT(client.ReadAnswer(), EndsWith("POST /3 hi"));
  EXPECT_THAT(client.ReadToEnd(), EndsWith("GET /4 "));
}

TEST(HttpServer, AHeadIsAGetWithoutItsBody) {
  const auto server = StartServer();
  Client client(server->port());
  client.Send("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n" + Get("/b"));
  const std::string head = client.ReadAnswer(/*with_body=*/false);
  EXPECT_THAT(head, HasSubstr("Content-Length: 7\r\n"));  // "GET /a "
  EXPECT_THAT(client.ReadAnswer(), EndsWith("GET /b "));
}

// RFC 9112, section 9.6: who is going to close says so.
TEST(HttpServer, TheLastAnswerOfAConnectionSaysThatItIs) {
  const auto server = StartServer();
  Client client(server->port());
  client.Send(Get("/a") + Get("/b", "Connection: close\r\n"));
  EXPECT_THAT(client.ReadAnswer(), Not(HasSubstr("Connection: close\r\n")));
  EXPECT_THAT(client.ReadToEnd(), HasSubstr("Connection: close\r\n"));
}

TEST(HttpServer, OldClientsAreClosedAfterTheirAnswer) {
  const auto server = StartServer();
  Client client(server->port());
  client.Send("GET /a HTTP/1.0\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), EndsWith("GET /a "));
}

TEST(HttpServer, AClientThatAsksFirstIsToldToContinue) {
  const auto server = StartServer();
  Client client(server->port());
  client.Send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(client.ReadAnswer(), StartsWith("HTTP/1.1 100 Continue\r\n"));
  client.Send("hi");
  EXPECT_THAT(client.ReadAnswer(), EndsWith("POST /a hi"));
}

// A client asks first in order not to send what is refused anyway.
TEST(HttpServer, ATooLongBodyIsRefusedBeforeItIsSent) {
  const auto server = StartServer();
  Client client(server->port());
  client.Send("POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: " +
              std::to_string(limits::kManifestBytesMax + 1) + "\r\n\r\n");
  EXPECT_THAT(client.ReadAnswer(), StartsWith("HTTP/1.1 413 "));
}

// RFC 9110, section 10.1.1: HTTP/1.0 knows no such answer.
TEST(HttpServer, AnOldClientIsNotToldToContinue) {
  const auto server = StartServer();
  Client client(server->port());
  client.Send("POST /a HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nhi");
  const std::string answer = client.ReadToEnd();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answer, EndsWith("POST /a hi"));
}

TEST(HttpServer, TheLongestBodyIsTakenWhole) {
  const auto server = StartServer([](const ApiRequest& request) {
    ApiResponse response;
    response.body = std::to_string(request.body.size());
    return response;
  });
  Client client(server->port());
  const std::string bytes = std::to_string(limits::kManifestBytesMax);
  client.Send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: " + bytes + "\r\n\r\n" +
              std::string(limits::kManifestBytesMax, 'x'));
  EXPECT_THAT(client.ReadAnswer(), EndsWith("\r\n\r\n" + bytes));
}

TEST(HttpServer, AChunkedBodyIsPutTogether) {
  const auto server = StartServer();
  Client client(server->port());
  client.Send(
      "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  EXPECT_THAT(client.ReadAnswer(), EndsWith("POST /a abcde"));
}

TEST(HttpServer, HeadersComeInLowerCaseAndThePeerIsKnown) {
  const auto server = StartServer([](const ApiRequest& request) {
    ApiResponse response;
    response.body = request.Header("x-name") + (request.peer_is_loopback ? " here" : "");
    return response;
  });
  Client client(server->port());
  client.Send(Get("/", "X-Name: one\r\nx-nAME: two\r\n"));
  EXPECT_THAT(client.ReadAnswer(), EndsWith("one, two here"));
}

TEST(HttpServer, TooLongHeadersAndBodiesAreRefusedWithAStatus) {
  const auto server = StartServer();
  Client headers(server->port());
  headers.Send(Get("/a", "X: " + std::string(limits::kHttpHeaderBytesMax, 'x') + "\r\n"));
  EXPECT_THAT(headers.ReadToEnd(), StartsWith("HTTP/1.1 431 "));
  Client body(server->port());
  body.Send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: " +
            std::to_string(limits::kManifestBytesMax + 1) + "\r\n\r\n");
  const std::string refusal = body.ReadToEnd();
  EXPECT_THAT(refusal, StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(refusal, HasSubstr("\"kind\":\"Status\""));
  Client chunked(server->port());
  chunked.Send("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n400000\r\n" +
               std::string(limits::kManifestBytesMax + 1, 'x'));
  EXPECT_THAT(chunked.ReadToEnd(), StartsWith("HTTP/1.1 413 "));
}

TEST(HttpServer, WhatIsNoHttpIsRefused) {
  const auto server = StartServer();
  for (const std::string bytes :
       {"\r\n\r\n\r\n\x16\x03\x01\x02", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "GET /a b HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nbad header\r\n\r\n"}) {
    Client client(server->port());
    client.Send(bytes);
    EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 400 ")) << bytes;
  }
  Client client(server->port());
  client.Send(Get("/a/../b"));
  EXPECT_THAT(client.ReadAnswer(), StartsWith("HTTP/1.1 400 "));
}

// RFC 9112, section 3.2: a server answers 400 to a request of HTTP/1.1 without a Host, or with two.
TEST(HttpServer, ARequestWithoutAHostOrWithTwoIsRefused) {
  const auto server = StartServer();
  for (const std::string headers : {"", "Host: x\r\nHost: y\r\n"}) {
    Client client(server->port());
    client.Send("GET /a HTTP/1.1\r\n" + headers + "\r\n");
    EXPECT_THAT(client.ReadAnswer(), StartsWith("HTTP/1.1 400 ")) << headers;
  }
}

// Two lengths are how one request is smuggled inside another.
TEST(HttpServer, ARequestWithTwoLengthsIsRefused) {
  const auto server = StartServer();
  for (const std::string headers :
       {"Content-Length: 3\r\nContent-Length: 5\r\n",
        "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "Content-Length: -1\r\n"}) {
    Client client(server->port());
    client.Send("POST /a HTTP/1.1\r\nHost: x\r\n" + headers + "\r\nabc");
    EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 400 ")) << headers;
  }
}

TEST(HttpServer, AClientThatStopsInTheMiddleIsClosed) {
  HttpServerOptions options;
  options.idle_timeout = options.header_timeout = options.body_timeout =
      std::chrono::milliseconds(50);
  const auto server = StartServer(Echo, options);
  for (const std::string bytes : {"", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\n",
                                  "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"}) {
    Client client(server->port());
    client.Send(bytes);
    EXPECT_EQ(client.ReadToEnd(), "") << bytes;
  }
}

// The other two would keep it for an hour.
TEST(HttpServer, EachWaitHasItsOwnTimeout) {
  constexpr std::chrono::milliseconds kShort(50);
  const std::chrono::hours an_hour(1);
  const auto closes = [](const HttpServerOptions& options, const std::string& bytes) {
    const auto server = StartServer(Echo, options);
    Client client(server->port());
    client.Send(bytes);
    return client.ReadToEnd();
  };
  HttpServerOptions options;
  options.idle_timeout = options.header_timeout = options.body_timeout = an_hour;
  options.idle_timeout = kShort;
  EXPECT_THAT(closes(options, Get("/1")), EndsWith("/1 "));
  options.idle_timeout = an_hour;
  options.header_timeout = kShort;
  EXPECT_EQ(closes(options, "GET / HT"), "");
  options.header_timeout = an_hour;
  options.body_timeout = kShort;
  EXPECT_EQ(closes(options, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"), "");
}

TEST(HttpServer, TheConnectionThatIdledForLongestMakesRoom) {
  HttpServerOptions options;
  options.connections_max = 2;
  const auto server = StartServer(Echo, options);
  Client first(server->port());
  first.Send(Get("/1"));
  EXPECT_THAT(first.ReadAnswer(), EndsWith("/1 "));
  Client second(server->port());
  second.Send(Get("/2"));
  EXPECT_THAT(second.ReadAnswer(), EndsWith("/2 "));
  first.Send(Get("/1"));
  EXPECT_THAT(first.ReadAnswer(), EndsWith("/1 "));
  Client third(server->port());
  third.Send(Get("/3"));
  EXPECT_THAT(third.ReadAnswer(), EndsWith("/3 "));
  EXPECT_EQ(second.ReadToEnd(), "");
  first.Send(Get("/4"));
  EXPECT_THAT(first.ReadAnswer(), EndsWith("/4 "));
}

// It has its answer and does not close: that must not lock the next one out.
TEST(HttpServer, AClientThatStaysAfterItsLastAnswerMakesRoom) {
  HttpServerOptions options;
  options.connections_max = 1;
  const auto server = StartServer(Echo, options);
  Client stays(server->port());
  stays.Send(Get("/1", "Connection: close\r\n"));
  EXPECT_THAT(stays.ReadToEnd(), EndsWith("/1 "));
  Client next(server->port());
  next.Send(Get("/2"));
  EXPECT_THAT(next.ReadAnswer(), EndsWith("/2 "));
}

TEST(HttpServer, AClientThatHalfSentARequestMakesRoom) {
  HttpServerOptions options;
  options.connections_max = 1;
  const auto server = StartServer(Echo, options);
  Client slow(server->port());
  slow.Send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(slow.ReadAnswer(), StartsWith("HTTP/1.1 100 "));
  Client next(server->port());
  next.Send(Get("/2"));
  EXPECT_THAT(next.ReadAnswer(), EndsWith("/2 "));
  EXPECT_EQ(slow.ReadToEnd(), "");
}

// Longer than the system's buffers, so that it is under way until the client reads it.
TEST(HttpServer, AnAnswerUnderWayIsNotCutForAnotherClient) {
  constexpr size_t kLong = 32 << 20;
  HttpServerOptions options;
  options.connections_max = 1;
  const auto server = StartServer(
      [](const ApiRequest&) {
        ApiResponse response;
        response.body = std::string(kLong, 'x');
        return response;
      },
      options);
  Client first(server->port());
  first.Send(Get("/1"));
  const std::string head = first.ReadAnswer(/*with_body=*/false);
  EXPECT_THAT(head, HasSubstr("Content-Length: " + std::to_string(kLong)));
  Client second(server->port());
  second.Send(Get("/2"));
  EXPECT_EQ(second.ReadToEnd(), "") << "no room: closed";
  EXPECT_EQ(first.ReadBytes(kLong), std::string(kLong, 'x'));
}

TEST(HttpServer, AClientThatGoesAwayHarmsNobody) {
  const auto server = StartServer();
  for (const std::string& bytes :
       {std::string(), std::string("GET"), Get("/1"),
        std::string("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf")}) {
    Client(server->port()).Send(bytes);
  }
  Client client(server->port());
  client.Send(Get("/2"));
  EXPECT_THAT(client.ReadAnswer(), EndsWith("/2 "));
}

TEST(HttpServer, AStopClosesWhoIsIdleAndWhoNeverEndsItsRequest) {
  const auto server = StartServer();
  Client idle(server->port());
  idle.Send(Get("/1"));
  EXPECT_THAT(idle.ReadAnswer(), EndsWith("/1 "));
  Client endless(server->port());
  endless.Send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(endless.ReadAnswer(), StartsWith("HTTP/1.1 100 "));
  server->Stop();
  EXPECT_EQ(idle.ReadToEnd(), "");
  EXPECT_EQ(endless.ReadToEnd(), "");
}

TEST(HttpServer, AStopFinishesTheAnswerUnderWay) {
  std::promise<void> asked;
  std::promise<void> stopping;
  auto may_answer = stopping.get_future();
  const auto server = StartServer([&](const ApiRequest& request) {
    asked.set_value();
    may_answer.get();
    return Echo(request);
  });
  Client client(server->port());
  client.Send(Get("/a"));
  asked.get_future().get();
  Thread stopper("stopper", [&] { server->Stop(); });
  stopping.set_value();
  EXPECT_THAT(client.ReadToEnd(), EndsWith("GET /a "));
  stopper.Join();
  server->Stop();
  EXPECT_THROW(Client late(server->port()), boost::system::system_error);
}

// A stream that gives what it is told to: the parts pushed so far, one by one.
class Parts {
 public:
  void Push(StreamPart part) {
    std::lock_guard lock(mutex_);
    parts_.push_back(std::move(part));
  }
  StreamPart Pull() {
    std::lock_guard lock(mutex_);
    if (parts_.empty()) return {};
    StreamPart part = std::move(parts_.front());
    parts_.pop_front();
    return part;
  }
  HttpServer::Handler Handler() {
    return [this](const ApiRequest&) {
      ApiResponse response;
      response.headers = {{"Content-Type", "application/json"}};
      response.stream = [this] { return Pull(); };
      return response;
    };
  }

 private:
  std::mutex mutex_;
  std::deque<StreamPart> parts_;
};

TEST(HttpServer, AStreamIsSentInChunksAsItsPartsCome) {
  Parts parts;
  parts.Push({.bytes = "one\n", .end = false});
  const auto server = StartServer(parts.Handler());
  Client client(server->port());
  client.Send(Get("/"));
  const std::string head = client.ReadAnswer();
  EXPECT_THAT(head, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_THAT(head, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_EQ(client.ReadExactly(9), "4\r\none\n\r\n");
  parts.Push({.bytes = "two and\n", .end = false});
  parts.Push({.bytes = "three\n", .end = true});
  server->Wake();
  EXPECT_EQ(client.ReadToEnd(), "8\r\ntwo and\n\r\n6\r\nthree\n\r\n0\r\n\r\n");
}

TEST(HttpServer, AStopEndsStreamsInGoodOrder) {
  Parts parts;
  const auto server = StartServer(parts.Handler());
  Client client(server->port());
  client.Send(Get("/"));
  EXPECT_THAT(client.ReadAnswer(), StartsWith("HTTP/1.1 200 OK"));
  server->Stop();
  EXPECT_EQ(client.ReadToEnd(), "0\r\n\r\n");
}

// One that takes nothing is cut off, and holds up nobody meanwhile.
TEST(HttpServer, AClientThatTakesNothingOfAStreamIsCutOff) {
  HttpServerOptions options;
  options.body_timeout = std::chrono::milliseconds(100);
  std::atomic<int> pulls = 0;
  const auto server = StartServer(
      [&](const ApiRequest& request) {
        ApiResponse response;
        if (request.path.empty()) {
          response.stream = [&] {
            ++pulls;
            return StreamPart{.bytes = std::string(1 << 20, 'x'), .end = false};
          };
        }
        return response;
      },
      options);
  Client lazy(server->port());
  lazy.Send(Get("/"));
  Client other(server->port());
  other.Send(Get("/other"));
  EXPECT_THAT(other.ReadAnswer(), StartsWith("HTTP/1.1 200 OK"));
  // What the system's buffers hold arrives, then the end.
  const std::string got = lazy.ReadAfter(std::chrono::milliseconds(400));
  EXPECT_FALSE(got.ends_with("0\r\n\r\n"));
  EXPECT_LT(pulls, 64) << "the next part is made when the last one is taken";
}

TEST(HttpServer, APortInUseAndABadAddressAreToldApart) {
  const auto server = StartServer();
  const auto start = [](const std::string& address) {
    HttpServerOptions options;
    options.address = address;
    return HttpServer::Start(options, Echo).status().code();
  };
  EXPECT_EQ(start(server->address()), StatusCode::kFailedPrecondition);
  for (const char* address : {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:x",
                              "localhost:1", ":7443", "127.0.0.1:-1", "[::1:5"}) {
    EXPECT_EQ(start(address), StatusCode::kInvalidArgument) << address;
  }
  EXPECT_EQ(start("192.0.2.1:7443"), StatusCode::kUnavailable);  // Nobody's, by RFC 5737.
  EXPECT_EQ(server->address(), "127.0.0.1:" + std::to_string(server->port()));
}

TEST(HttpServer, ListensOnTheLoopbackAddressOfIpv6Too) {
  HttpServerOptions options;
  options.address = "[::1]:0";
  const auto server = HttpServer::Start(options, Echo);
  if (server.status().code() == StatusCode::kUnavailable) GTEST_SKIP() << "no IPv6 here";
  ASSERT_TRUE(server.ok()) << server.status().ToString();
  EXPECT_EQ((*server)->address(), "[::1]:" + std::to_string((*server)->port()));
}

}  // namespace
}  // namespace octet
