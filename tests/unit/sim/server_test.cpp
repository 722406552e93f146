#include "app/sim/server.hpp"

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/unit/sim/support.hpp"

namespace tidegate::sim {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

struct upstream {
  explicit upstream(std::string_view yaml) : inner(script_of(yaml), clock) {}
  server& operator*() { return *inner; }
  server* operator->() { return &*inner; }
  journal_view seen() {
    auto view = inner->requests();
    REQUIRE(view.has_value());
    return std::move(*view);
  }
  /// Asks the journal until it is as wished; every question is a round through the server.
  template <class Wish>
  bool reaches(Wish wish) {
    for (int tries = 0; tries < 1'000'000; ++tries)
      if (wish(seen())) return true;
    return false;
  }

  hand_clock clock;
  local_server inner;
};

using request_maker = std::string (*)(bool, std::string_view);

TEST_CASE("answers each protocol with a whole body") {
  auto [make, pointer, text] = GENERATE(table<request_maker, std::string, std::string>({
      {responses_request, "/output/0/content/0/text", "hi there"},
      {chat_request, "/choices/0/message/content", "hi there"},
      {messages_request, "/content/0/text", "hi there"},
      {gemini_request, "/candidates/0/content/parts/0/text", "hi there"},
  }));
  upstream sim{"rules: [{replies: [{ok: {text: hi there}}]}]"};
  const auto reply = ask(*sim, make(false, "k1"));
  CHECK(reply.status == 200);
  CHECK(reply.end == finish::clean);
  CHECK(reply.header("content-type") == "application/json");
  CHECK(json::parse(reply.body).at(json::json_pointer{pointer}) == text);
}

TEST_CASE("streams each protocol to its own end") {
  auto [make, end] = GENERATE(table<request_maker, std::string>({
      {responses_request, "event: response.completed\n"},
      {chat_request, "data: [DONE]\n\n"},
      {messages_request, "event: message_stop\n"},
      {gemini_request, "\"finishReason\":\"STOP\""},
  }));
  upstream sim{"rules: [{replies: [{ok: {chunks: 4}}]}]"};
  const auto reply = ask(*sim, make(true, "k1"));
  CHECK(reply.status == 200);
  CHECK(reply.end == finish::clean);
  CHECK_THAT(reply.header("content-type"), ContainsSubstring("text/event-stream"));
  CHECK_THAT(reply.body, ContainsSubstring("part4 "));
  CHECK_THAT(reply.body, ContainsSubstring(end));
}

TEST_CASE("serves several requests on one connection, each with ids of its own") {
  upstream sim{"rules: [{}]"};
  client peer{sim->port()};
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    peer.send(responses_request(false));
    ids.push_back(json::parse(peer.read().body)["id"]);
  }
  CHECK(ids == std::vector<std::string>{"resp_0000000000000001", "resp_0000000000000002",
                                        "resp_0000000000000003"});
}

TEST_CASE("closes after an answer when script or client say so") {
  upstream sim{"rules: [{key: k2, replies: [{ok: {connection: close}}]}, {}]"};
  SECTION("script") {
    client peer{sim->port()};
    peer.send(responses_request(false, "k2"));
    CHECK(peer.read().header("connection") == "close");
    CHECK_FALSE(peer.wait_for("more"));
  }
  SECTION("client") {
    client peer{sim->port()};
    peer.send(request_text("POST", "/v1/responses", "connection: close\r\n", "{}"));
    CHECK(peer.read().status == 200);
    CHECK_FALSE(peer.wait_for("more"));
  }
}

TEST_CASE("each fault reaches the client as the fault it is") {
  auto [fault, status, end] = GENERATE(table<std::string, int, finish>({
      {"reset: true", 0, finish::reset},
      {"close: true", 0, finish::cut},
      {"close-after-head: true", 200, finish::cut},
      {"empty-stream: true", 200, finish::clean},
      {"cut-after-chunks: 2", 200, finish::cut},
      {"reset-after-chunks: 2", 200, finish::reset},
      {"cut-after-bytes: 20", 200, finish::cut},
      {"malformed-chunk-after-chunks: 1", 200, finish::malformed},
      {"bad-json-after-chunks: 1", 200, finish::clean},
      {"no-terminator: true", 200, finish::clean},
      {"content-length-off-by: 9", 200, finish::cut},
      {"dribble-bytes: 7", 200, finish::clean},
      {"error-event: {preset: rate-limit}", 200, finish::clean},
  }));
  CAPTURE(fault);
  upstream sim{"rules: [{replies: [{ok: {chunks: 4}, fault: {" + fault + "}}]}]"};
  const auto reply = ask(*sim, chat_request(true));
  CHECK(reply.status == status);
  CHECK((reply.end == end));
}

TEST_CASE("a fault in a whole answer leaves it short of its length") {
  upstream sim{"rules: [{replies: [{ok: {chunks: 4}, fault: {cut-after-chunks: 2}}]}]"};
  const auto reply = ask(*sim, responses_request(false));
  CHECK(reply.status == 200);
  CHECK((reply.end == finish::cut));
}

TEST_CASE("a stalled stream keeps the connection until the client leaves") {
  upstream sim{"rules: [{replies: [{ok: {chunks: 4}, fault: {stall-after-chunks: 2}}, {ok: {}}]}]"};
  {
    client peer{sim->port()};
    peer.send(chat_request(true));
    REQUIRE(peer.wait_for("part2"));
    CHECK(sim.seen().in_flight == 1);
  }
  client next{sim->port()};
  next.send(chat_request(true));
  CHECK((next.read().end == finish::clean));
}

TEST_CASE("the answer waits for its delay and a client that leaves meanwhile is noted") {
  upstream sim{"rules: [{replies: [{ok: {delay-ms: 3600000}}, {ok: {}}]}]"};
  {
    client peer{sim->port()};
    peer.send(responses_request(false));
    REQUIRE(sim.reaches([](const journal_view& seen) { return seen.total == 1; }));
  }
  REQUIRE(sim.reaches([](const journal_view& seen) { return seen.in_flight == 0; }));
  const auto seen = sim.seen();
  CHECK(seen.total == 1);
  CHECK((seen.requests.at(0).ended == outcome::client_left));
}

TEST_CASE("gaps send the first chunk before the stream is complete") {
  upstream sim{"rules: [{replies: [{ok: {chunks: 2, gap-ms: 3600000}}]}]"};
  client peer{sim->port()};
  peer.send(chat_request(true));
  CHECK(peer.wait_for("part1"));
  CHECK(sim.seen().in_flight == 1);
}

TEST_CASE("a quota window opens again when the clock has passed its reset") {
  upstream sim{"rules: [{quota: {limit: 1, window-seconds: 18000}}]"};
  const auto first = ask(*sim, responses_request(false));
  CHECK(first.status == 200);
  CHECK(first.header("x-codex-primary-used-percent") == "100");
  const auto refused = ask(*sim, responses_request(false));
  CHECK(refused.status == 429);
  const auto error = json::parse(refused.body)["error"];
  CHECK(error["type"] == "usage_limit_reached");
  CHECK(error["resets_at"] == 1'800'018'000);
  CHECK(ask(*sim, responses_request(false, "k2")).status == 200);
  sim.clock.advance(5h);
  CHECK(ask(*sim, responses_request(false)).status == 200);
}

TEST_CASE("a request that no rule matches is told so") {
  upstream sim{"rules: [{key: other}]"};
  const auto reply = ask(*sim, messages_request(false));
  CHECK(reply.status == 404);
  CHECK_THAT(reply.body, ContainsSubstring("no rule of the simulator's script"));
  CHECK_FALSE(sim.seen().requests.at(0).matched);
}

TEST_CASE("keeps the requests with key, model, headers and body") {
  upstream sim{"rules: [{}]"};
  ask(*sim, messages_request(false, "k7"));
  ask(*sim, chat_request(false, "k8"));
  const auto seen = sim.seen();
  CHECK(seen.count("k7") == 1);
  CHECK(seen.count("k8", "m1") == 1);
  CHECK(seen.count("k8", "m2") == 0);
  const auto& first = seen.requests.at(0);
  CHECK(first.target == "/v1/messages?beta=true");
  CHECK(first.what.key == "k7");
  CHECK(first.what.model == "m1");
  CHECK_THAT(first.body, ContainsSubstring("\"messages\":[]"));
  CHECK(first.headers.at(1).first == "x-api-key");
}

TEST_CASE("keeps a bounded part of large bodies and a bounded number of requests") {
  upstream sim{"rules: [{}]"};
  const std::string large(entry_body_bytes_max + 1000, ' ');
  ask(*sim, request_text("POST", "/v1/responses", "", large));
  auto seen = sim.seen();
  CHECK(seen.requests.at(0).body_bytes == large.size());
  CHECK(seen.requests.at(0).body.size() == entry_body_bytes_max);
  client peer{sim->port()};
  for (std::size_t i = 0; i < entries_max; ++i) {
    peer.send(responses_request(false));
    REQUIRE(peer.read().status == 200);
  }
  seen = sim.seen();
  CHECK(seen.total == entries_max + 1);
  CHECK(seen.requests.size() == entries_max);
  CHECK(seen.requests.front().id == 2);
}

TEST_CASE("the control paths show, reset and replace") {
  upstream sim{"rules: [{replies: [{error: {status: 500}}, {ok: {}}]}]"};
  CHECK(ask(*sim, responses_request(false)).status == 500);
  CHECK(ask(*sim, responses_request(false)).status == 200);
  const auto shown =
      json::parse(ask(*sim, request_text("GET", "/sim/requests?last=1", "", "")).body);
  CHECK(shown["total"] == 2);
  CHECK(shown["by_key"]["k1"]["failures"] == 1);
  CHECK(shown["by_model"]["m1"]["answers"] == 1);
  CHECK(shown["requests"].size() == 1);
  CHECK(ask(*sim, request_text("POST", "/sim/reset", "", "")).status == 200);
  CHECK(ask(*sim, responses_request(false)).status == 500);
  CHECK(ask(*sim, request_text("POST", "/sim/script", "", "rules: [{nonsense: 1}]")).status == 400);
  CHECK(ask(*sim, request_text("POST", "/sim/script", "", "rules: [{}]")).status == 200);
  CHECK(ask(*sim, responses_request(false)).status == 200);
  CHECK(ask(*sim, request_text("GET", "/sim/none", "", "")).status == 404);
  CHECK(sim.seen().total == 2);
}

TEST_CASE("a script can be replaced from inside the process") {
  upstream sim{"rules: [{replies: [{error: {status: 500}}]}]"};
  CHECK(ask(*sim, responses_request(false)).status == 500);
  REQUIRE(sim->use(script_of("rules: [{}]")).has_value());
  CHECK(ask(*sim, responses_request(false)).status == 200);
  REQUIRE(sim->reset().has_value());
  CHECK(sim.seen().total == 0);
}

TEST_CASE("a taken port is an error that names it") {
  upstream sim{"rules: [{}]"};
  boost::asio::io_context io;
  server second{io, script_of("rules: [{}]"), sim.clock, sim->port()};
  const auto started = second.start();
  REQUIRE_FALSE(started.has_value());
  CHECK_THAT(started.error().detail, ContainsSubstring(std::to_string(sim->port())));
}

TEST_CASE("waits for Expect before it reads the body") {
  upstream sim{"rules: [{}]"};
  client peer{sim->port()};
  peer.send(
      "POST /v1/responses HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: "
      "2\r\n\r\n");
  REQUIRE(peer.wait_for("100 Continue\r\n\r\n"));
  peer.send("{}");
  CHECK(peer.wait_for("200 OK"));
}

}  // namespace
}  // namespace tidegate::sim
