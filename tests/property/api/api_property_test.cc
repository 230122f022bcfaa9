// The API against bytes that nobody meant: whatever comes, the server answers or closes, and goes
// on serving. And the functions on values against dumb second implementations.
#include <gtest/gtest.h>

#include <boost/asio.hpp>
#include <cstdio>

#include "coordinator/api/api_handler.h"
#include "coordinator/api/http_server.h"
#include "coordinator/api/merge_patch.h"
#include "shared/base/random.h"
#include "shared/objects/json.h"

namespace octet {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

// Sends `bytes`, says that there is no more, and gives everything that comes back.
std::string Exchange(uint16_t port, const std::string& bytes) {
  asio::io_context io;
  tcp::socket socket(io);
  socket.connect({asio::ip::address_v4::loopback(), port});
  boost::system::error_code error;
  asio::write(socket, asio::buffer(bytes), error);
  socket.shutdown(tcp::socket::shutdown_send, error);
  std::string answer;
  asio::read(socket, asio::dynamic_buffer(answer), error);
  return answer;
}

std::vector<std::string> GoodRequests() {
  const std::string pools = "/apis/octet.dev/v1/slicepools";
  const std::string body =
      R"({"apiVersion":"octet.dev/v1","kind":"SlicePool","metadata":{"name":"p"},)"
      R"("spec":{"replicas":2}})";
  const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return {
      "GET " + pools + "?labelSelector=a%3Db&limit=5 HTTP/1.1\r\nHost: x\r\n\r\n",
      "HEAD /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
      "POST " + pools + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + length +
          "\r\n" + body,
      "PATCH " + pools + "/p HTTP/1.1\r\nHost: x\r\nContent-Type: application/merge-patch+json" +
          "\r\nTransfer-Encoding: chunked\r\n\r\n19\r\n{\"spec\": {\"replicas\": 25}}\r\n0\r\n\r\n",
      "DELETE " + pools + "/p HTTP/1.1\r\nHost: x\r\nImpersonate-User: alice\r\n\r\n"};
}

std::string Broken(std::string text, Random& random) {
  static constexpr char kBytes[] = "\r\n\t :/%?&=+,;{}[]\"\\HTP10\0\x7f\xff";
  const std::string alphabet(kBytes, sizeof(kBytes) - 1);
  for (uint64_t edits = random.Below(5); edits > 0 && !text.empty(); --edits) {
    const size_t at = random.Below(text.size());
    switch (random.Below(4)) {
      case 0:
        text[at] = alphabet[random.Below(alphabet.size())];
        break;
      case 1:
        text.erase(at, 1 + random.Below(10));
        break;
      case 2:
        text.insert(at, text.substr(random.Below(text.size()), random.Below(40)));
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

TEST(ApiProperty, WhateverBytesComeTheServerAnswersOrClosesAndServesOn) {
  const std::unique_ptr<Store> store = MakeMemoryStore();
  const FakeClock clock(ParseTime("2026-12-01T06:00:00Z").value());
  ApiHandler handler(*store, clock, {});
  HttpServerOptions options;
  options.address = "127.0.0.1:0";
  const auto server = HttpServer::Start(options, [&](const ApiRequest& request) {
                        return handler.Handle(request);
                      }).value();
  const std::vector<std::string> good = GoodRequests();
  int answered = 0;
  for (uint64_t seed = 1; seed <= 1500; ++seed) {
    Random random(seed);
    std::string bytes;
    for (uint64_t i = 1 + random.Below(3); i > 0; --i) {
      bytes += Broken(good[random.Below(good.size())], random);
    }
    const std::string answer = Exchange(server->port(), bytes);
    ASSERT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 ")) << "seed " << seed;
    ASSERT_EQ(answer.find("HTTP/1.1 5"), std::string::npos) << "seed " << seed << "\n" << answer;
    answered += answer.empty() ? 0 : 1;
    // What is stored can be listed, whatever it was made of.
    if (seed % 100 == 0) {
      const std::string list =
          Exchange(server->port(), "GET /apis/octet.dev/v1/slicepools HTTP/1.0\r\n\r\n");
      ASSERT_TRUE(list.starts_with("HTTP/1.1 200 OK")) << "seed " << seed;
      ASSERT_TRUE(ReadJson(list.substr(list.find("\r\n\r\n") + 4)).ok()) << "seed " << seed;
    }
  }
  EXPECT_GT(answered, 500);
}

// Every byte but letters as an escape.
std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char byte : text) {
    char escape[4];
    std::snprintf(escape, sizeof(escape), "%%%02x", static_cast<unsigned char>(byte));
    escaped += byte >= 'a' && byte <= 'z' ? std::string(1, byte) : escape;
  }
  return escaped;
}

TEST(ApiProperty, ATargetIsReadAsItWasWritten) {
  const std::string alphabet = "abz ?&=+#%.-_~:@!$'()*,;\"<>[]\\^`{|}\x7f\xc3\xbc";
  const auto word = [&](Random& random) {
    std::string text = "x";
    for (uint64_t i = random.Below(6); i > 0; --i) text += alphabet[random.Below(alphabet.size())];
    return text;
  };
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    Random random(seed);
    RequestTarget wanted;
    std::string target;
    for (uint64_t i = 1 + random.Below(4); i > 0; --i) {
      wanted.path.push_back(word(random));
      target += "/" + Escaped(wanted.path.back());
    }
    std::string mark = "?";
    for (uint64_t i = random.Below(4); i > 0; --i) {
      const std::string name = word(random);
      wanted.query[name] = word(random);
      target += mark + Escaped(name) + "=" + Escaped(wanted.query[name]);
      mark = "&";
    }
    const Result<RequestTarget> read = ParseTarget(target);
    ASSERT_TRUE(read.ok()) << "seed " << seed << ": " << target;
    ASSERT_EQ(read->path, wanted.path) << "seed " << seed << ": " << target;
    ASSERT_EQ(read->query, wanted.query) << "seed " << seed << ": " << target;
  }
}

// A document without nulls, which a merge patch cannot make.
Value RandomDocument(Random& random, int depth) {
  const uint64_t kind = random.Below(depth > 3 ? 2 : 4);
  if (kind == 0) return Value(static_cast<int64_t>(random.Below(3)));
  if (kind == 1) return Value::MakeList({Value(static_cast<int64_t>(random.Below(3)))});
  Value map = Value::MakeMap();
  for (const char* key : {"a", "b", "c"}) {
    if (random.Below(2) == 0) map.Set(key, RandomDocument(random, depth + 1));
  }
  return map;
}

// The patch that makes `to` of `from` (RFC 7386, section 1), found without looking for less: what
// is equal is said again.
Value PatchFrom(const Value& from, const Value& to) {
  if (!from.is_map() || !to.is_map()) return to;
  Value patch = Value::MakeMap();
  for (const Value::Member& member : from.AsMap()) {
    if (to.Find(member.key) == nullptr) patch.Set(member.key, Value());
  }
  for (const Value::Member& member : to.AsMap()) {
    const Value* before = from.Find(member.key);
    patch.Set(member.key, before == nullptr ? member.value : PatchFrom(*before, member.value));
  }
  return patch;
}

TEST(ApiProperty, APatchMakesOfOneDocumentTheOther) {
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    Random random(seed);
    const Value from = RandomDocument(random, 0);
    const Value to = RandomDocument(random, 0);
    const Value patch = PatchFrom(from, to);
    ASSERT_EQ(WriteCanonicalJson(MergePatch(from, patch)), WriteCanonicalJson(to))
        << "seed " << seed << ": " << WriteJson(from) << " with " << WriteJson(patch);
    // Applied twice it does nothing more.
    ASSERT_EQ(WriteCanonicalJson(MergePatch(to, patch)), WriteCanonicalJson(to)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace octet
