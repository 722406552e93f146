#include "protocol/token_estimate.hpp"

#include "protocol/canonical/codec.hpp"
#include "tests/support/catch.hpp"

#include <rapidcheck.h>

#include <cmath>

using namespace tidegate;
using namespace tidegate::protocol;

namespace {

canonical_request call_of(wire form, const std::string& body) {
  auto call = codec_of(form).decode_request(body, "m");
  REQUIRE(call);
  return std::move(*call);
}

std::int64_t messages_tokens(const std::string& body) {
  return estimate_tokens(call_of(wire::anthropic_messages, body));
}

}  // namespace

// The counts are those of o200k_base (gpt-tokenizer 3, 2026-11-30).
TEST_CASE("an estimate lies within a fifth of what OpenAI's vocabulary counts") {
  const auto [text, counted] = GENERATE(table<std::string, int>({
      {"The tide rises slowly, and the water fills the harbour where the fishing boats lie. In the "
       "morning the captain checks the forecast, because strong wind could keep them from leaving. "
       "We have to wait until the evening before we decide about the next voyage.",
       50},
      {"awaitable<bool> stream_relay::flush() {\n  if (pending_.empty()) co_return true;\n  while "
       "(writing_apart_) {\n    writing_done_.expires_after(std::chrono::hours{1});\n    co_await "
       "writing_done_.async_wait(no_throw);\n  }\n  begin();\n  const bool sent = co_await "
       "call_.out_.write(pending_);\n  pending_.clear();\n  co_return sent;\n}\n",
       88},
      {R"({"type":"object","properties":{"port":{"type":"string","description":"Name of the )"
       R"(harbour"},"day":{"type":"integer","minimum":1,"maximum":31},"units":{"type":"string",)"
       R"("enum":["m","ft"]}},"required":["port","day"],"additionalProperties":false})",
       61},
      {"2027-01-15 08:00:00 1800000000 3.14159 42 7 1024 65536 127.0.0.1:8317", 43},
      {"Die Flut steigt langsam, und das Wasser füllt den Hafen, in dem die Fischerboote liegen. "
       "Am "
       "Morgen prüft der Kapitän die Wettervorhersage, weil starker Wind die Ausfahrt verhindern "
       "könnte.",
       46},
      {"Прилив поднимается медленно, и вода заполняет гавань, где стоят рыбацкие лодки. Утром "
       "капитан проверяет прогноз погоды, потому что сильный ветер может помешать выходу в море.",
       50},
      {"潮水慢慢上涨，港口里停着许多渔船。早上船长查看天气预报，因为强风可能会影响出海。我们必须等"
       "到晚上才能决定下一次航行的时间。",
       48},
      {"潮がゆっくりと満ちてきて、港には多くの漁船が停泊しています。朝、船長は天気予報を確認します"
       "。強い風が出航の妨げになる可能性があるからです。",
       57},
      {"조수가 천천히 차오르고 항구에는 많은 어선이 정박해 있습니다. 아침에 선장은 일기 예보를 "
       "확인합니다.",
       33},
      {"🚀 shipped ✅ tests pass ❌ docs missing → next week", 13},
  }));
  CAPTURE(text);
  const auto estimate = static_cast<double>(estimate_text_tokens(text));
  CHECK(std::abs(estimate - counted) <= 1 + 0.2 * counted);
}

TEST_CASE("nothing is no token, anything is at least one") {
  CHECK(estimate_text_tokens("") == 0);
  for (const std::string_view text : {"a", "7", "\n", "  ", "\"\"", "\xFF", "潮"}) {
    CAPTURE(text);
    CHECK(estimate_text_tokens(text) >= 1);
  }
}

TEST_CASE("any bytes have an estimate between none and two tokens a byte") {
  rc::check("bounded", [](const std::string& bytes) {
    const auto tokens = estimate_text_tokens(bytes);
    RC_ASSERT(tokens >= 0);
    RC_ASSERT(tokens <= static_cast<std::int64_t>(2 * bytes.size()));
  });
}

TEST_CASE("a text put behind another never counts less than the first alone") {
  rc::check("grows", [](const std::string& first, const std::string& second) {
    RC_ASSERT(estimate_text_tokens(first + " . " + second) + 1 >= estimate_text_tokens(first));
  });
}

TEST_CASE("escapes count as the characters that they stand for") {
  const auto plain = messages_tokens(
      R"({"model":"m","messages":[{"role":"user","content":"tide über alles \"high\""}]})");
  const auto escaped = messages_tokens(
      R"({"model":"m","messages":[{"role":"user","content":"\u0074ide \u00fcber alles \u0022high\u0022"}]})");
  CHECK(plain == escaped);
}

TEST_CASE("system, turns, tools, calls and results all count, with what stands around them") {
  const std::string turn = R"({"role":"user","content":"hi"})";
  const auto body = [&](const std::string& more, const std::string& messages) {
    return R"({"model":"m","max_tokens":9)" + more + R"(,"messages":[)" + messages + "]}";
  };
  const auto bare = messages_tokens(body("", turn));
  CHECK(bare == answer_tokens + message_tokens + 1);
  CHECK(messages_tokens(body(R"(,"system":"hi")", turn)) == bare + message_tokens + 1);
  CHECK(messages_tokens(body("", turn + "," + R"({"role":"assistant","content":"hi"})")) ==
        bare + message_tokens + 1);
  const std::string tool =
      R"(,"tools":[{"name":"f","description":"d","input_schema":{"type":"object"}}])";
  CHECK(messages_tokens(body(tool, turn)) > bare + tool_tokens + 4);
  const std::string image =
      R"({"role":"user","content":[{"type":"image","source":{"type":"base64",)"
      R"("media_type":"image/png","data":"AAAA"}}]})";
  CHECK(messages_tokens(body("", image)) == answer_tokens + message_tokens + image_tokens);
  const std::string call =
      R"({"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]},)"
      R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"hi"}]})";
  CHECK(messages_tokens(body("", turn + "," + call)) > bare + 2 * (message_tokens + call_tokens));
}

TEST_CASE("the size of a medium does not count, nor does a signature") {
  const auto with = [](const std::string& data, const std::string& signature) {
    return messages_tokens(
        R"({"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"image",)"
        R"("source":{"type":"base64","media_type":"image/png","data":")" +
        data +
        R"("}}]},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":")" +
        signature + R"("}]}]})");
  };
  CHECK(with("AAAA", "x") == with(std::string(4000, 'A'), std::string(4000, 'x')));
}
