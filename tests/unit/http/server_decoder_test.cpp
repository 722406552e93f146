#include <brotli/encode.h>
#include <rapidcheck.h>
#include <zstd.h>

#include "http/server/body_decoder.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/deflated.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/unit/http/server_rig.hpp"

namespace tidegate::http {
namespace {

constexpr std::size_t roomy = 1024 * 1024;

std::string encoded(const std::string& text, const std::string& coding) {
  if (coding == "gzip" || coding == "x-gzip") return test::deflated(text, 31);
  if (coding == "deflate") return test::deflated(text, 15);
  if (coding == "raw deflate") return test::deflated(text, -15);
  if (coding == "zstd") {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
  }
  if (coding == "br") {
    std::string out(BrotliEncoderMaxCompressedSize(text.size()) + 16, '\0');
    std::size_t size = out.size();
    BrotliEncoderCompress(5, 22, BROTLI_MODE_GENERIC, text.size(),
                          reinterpret_cast<const std::uint8_t*>(text.data()), &size,
                          reinterpret_cast<std::uint8_t*>(out.data()));
    out.resize(size);
    return out;
  }
  return text;
}

std::string header_name(const std::string& coding) {
  return coding == "raw deflate" ? "deflate" : coding;
}

const std::vector<std::string> codings{"gzip", "x-gzip", "deflate", "raw deflate", "br", "zstd"};

}  // namespace

TEST_CASE("every coding gives back what was encoded") {
  for (const auto& coding : codings) {
    CAPTURE(coding);
    for (const std::size_t size : {1u, 1000u, 65536u, 300000u}) {
      std::string text(size, 'a');
      for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i * i % 19);
      std::string body = encoded(text, coding);
      REQUIRE(decode_body(body, header_name(coding), roomy));
      CHECK((body == text));
      CHECK(body.capacity() >= body.size() + body_padding);
    }
  }
}

TEST_CASE("any bytes survive every coding") {
  REQUIRE(rc::check("decode(encode(x)) = x", [](const std::string& text) {
    RC_PRE(!text.empty());
    for (const auto& coding : codings) {
      std::string body = encoded(text, coding);
      RC_ASSERT(decode_body(body, header_name(coding), roomy).has_value());
      RC_ASSERT(body == text);
    }
  }));
}

TEST_CASE("arbitrary bytes are refused or decoded, never more than the bound") {
  REQUIRE(rc::check("decoders stay inside their bound", [](std::string bytes) {
    const auto coding = *rc::gen::elementOf(codings);
    std::string body = encoded("a start that is right", coding).substr(0, 9) + bytes;
    const auto decoded = decode_body(body, header_name(coding), 4096);
    if (decoded) RC_ASSERT(body.size() <= 4096u);
  }));
}

TEST_CASE("a list of codings is undone from right to left") {
  const std::string text = "{\"model\":\"m\"}";
  std::string body = encoded(encoded(text, "gzip"), "zstd");
  REQUIRE(decode_body(body, "identity, GZIP ,, zstd", roomy));
  CHECK(body == text);
}

TEST_CASE("a decompression bomb stops at the bound") {
  const std::string text(4 * 1024 * 1024, '\0');
  for (const auto& coding : codings) {
    CAPTURE(coding);
    std::string body = encoded(text, coding);
    const auto decoded = decode_body(body, header_name(coding), 100'000);
    REQUIRE_FALSE(decoded);
    CHECK(decoded.error().code == errc::limit_exceeded);
    body = encoded(std::string(100'000, 'x'), coding);
    CHECK(decode_body(body, header_name(coding), 100'000));
  }
  std::string twice = encoded(encoded(text, "gzip"), "gzip");
  CHECK(decode_body(twice, "gzip, gzip", 100'000).error().code == errc::limit_exceeded);
}

TEST_CASE("truncated, damaged and continued bodies are refused") {
  for (const auto& coding : codings) {
    CAPTURE(coding);
    const std::string whole = encoded("some text that is long enough to be cut", coding);
    for (const std::string& bytes : {whole.substr(0, whole.size() - 3), whole + "tail"}) {
      std::string body = bytes;
      const auto decoded = decode_body(body, header_name(coding), roomy);
      REQUIRE_FALSE(decoded);
      CHECK(decoded.error().code == errc::invalid_input);
    }
  }
}

TEST_CASE("gzip members and zstd frames may follow each other") {
  for (const char* coding : {"gzip", "zstd"}) {
    std::string body = encoded("one ", coding) + encoded("two", coding);
    REQUIRE(decode_body(body, coding, roomy));
    CHECK(body == "one two");
  }
}

TEST_CASE("an unknown coding is named, whatever the body looks like") {
  for (const char* text : {"binary", "{\"model\": [1, 2.0, null]}"}) {
    std::string body = text;
    const auto decoded = decode_body(body, "gzip, Snappy", roomy);
    REQUIRE_FALSE(decoded);
    CHECK(decoded.error().code == errc::not_found);
    CHECK(decoded.error().detail == "snappy");
  }
  CHECK(check_codings("gzip,gzip,gzip,gzip,gzip").error().code == errc::not_found);
  CHECK(check_codings("gzip, X-Gzip, identity,, br,zstd"));
  CHECK(check_codings(""));
}

TEST_CASE("request bodies arrive decoded, whatever their path") {
  auto config = test::local_config();
  config.server.body_bytes_max = 100'000;
  test::server_rig rig(config);
  test::raw_client client(rig.port());
  for (const auto& coding : codings) {
    CAPTURE(coding);
    const std::string lines = "Content-Encoding: " + header_name(coding) + "\r\n";
    client.send(test::post("/v1/messages", encoded("{\"a\":1}", coding), lines));
    CHECK(client.receive().body == "POST /v1/messages|{\"a\":1}");
    client.send(test::post("/v1/messages", encoded(std::string(200'000, 'z'), coding), lines));
    CHECK(client.receive().status == 413);
    client.send(test::post("/v1/chat/completions", "not encoded at all", lines));
    CHECK(client.receive().status == 400);
  }
}

TEST_CASE("a coding that is not served gets a 415 on the head that lists the served ones") {
  test::server_rig rig;
  const auto [path, lines] = GENERATE(table<const char*, const char*>({
      {"/v1/responses", "Content-Encoding: snappy\r\n"},
      {"/v1/chat/completions", "Content-Encoding: gzip, snappy\r\n"},
      {"/v1/messages", "Content-Encoding: gzip\r\nContent-Encoding: snappy\r\n"},
      {"/elsewhere", "Content-Encoding: snappy\r\n"},
  }));
  CAPTURE(path, lines);
  test::raw_client client(rig.port());
  client.send(test::post(path, "{}", lines));
  const auto answer = client.receive();
  CHECK(answer.status == 415);
  CHECK(answer.field("accept-encoding") == "gzip, deflate, br, zstd");
  CHECK_THAT(answer.body, ContainsSubstring("unsupported request content encoding: snappy"));
  CHECK_THAT(answer.body, ContainsSubstring("\"invalid_request_error\""));
  client.send(std::string{"POST "} + path + " HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n" +
              lines + "Expect: 100-continue\r\n\r\n");
  CHECK(client.receive().status == 415);
  CHECK(rig.handled() == 0);
}

TEST_CASE("identity is no coding, and a request without a body needs none") {
  test::server_rig rig;
  test::raw_client client(rig.port());
  client.send(test::post("/x", "body", "Content-Encoding: Identity\r\n"));
  CHECK(client.receive().body == "POST /x|body");
  client.send(test::get("/x", "Content-Encoding: snappy\r\n"));
  CHECK(client.receive().status == 200);
}

}  // namespace tidegate::http
