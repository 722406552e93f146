/// What translating costs, without sockets: MB/s of request bodies of an agent's turn, and the time
/// per event of a stream, for each ordered pair of protocols. Prints one line of JSON.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "bench/agent_turn.hpp"
#include "protocol/canonical/codec.hpp"

namespace tidegate::bench {
namespace {

using namespace protocol;

constexpr std::array forms{wire::openai_chat, wire::openai_responses, wire::anthropic_messages,
                           wire::gemini};
constexpr std::array names{"chat", "responses", "messages", "gemini"};

constexpr std::size_t small_bytes = 100'000;
constexpr std::size_t large_bytes = 2'000'000;
constexpr int stream_events = 2'000;
constexpr int rounds = 7;
constexpr double round_seconds = 0.04;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// CPU seconds of one call: the median of some rounds.
template <class F>
double seconds_each(F work) {
  std::array<double, rounds> each{};
  for (auto& round : each) {
    const double begin = cpu_seconds();
    int calls = 0;
    double spent = 0;
    do {
      work();
      ++calls;
      spent = cpu_seconds() - begin;
    } while (spent < round_seconds);
    round = spent / calls;
  }
  std::ranges::sort(each);
  return each[rounds / 2];
}

[[noreturn]] void give_up(std::string_view why) {
  fmt::print(stderr, "tidegate_translation: {}\n", why);
  std::exit(1);
}

void translate_request(const std::string& body, const codec& from, const codec& to) {
  const auto call = from.decode_request(body, "bench-model");
  if (!call) give_up(call.error().detail);
  if (to.encode_request(*call, "bench-model", {}).body.empty()) give_up("an empty body");
}

void translate_stream(std::string_view bytes, const codec& from, const codec& to) {
  sse_splitter splitter(1'000'000);
  const auto decoder = from.make_decoder({});
  const auto encoder = to.make_encoder({});
  if (!splitter.feed(bytes)) give_up("a frame is too long");
  std::vector<event> events;
  std::string frames;
  sse_frame frame;
  while (splitter.next(frame)) {
    events.clear();
    frames.clear();
    decoder->feed(frame, events);
    for (const auto& one : events) encoder->on(one, frames);
  }
  encoder->finish(frames);
}

void measure_pair(std::size_t from, std::size_t to) {
  const auto& source = codec_of(forms[from]);
  const auto& target = codec_of(forms[to]);
  const auto rate = [&](std::size_t bytes) {
    const auto body = agent_turn(forms[from], bytes);
    const double each = seconds_each([&] { translate_request(body, source, target); });
    return static_cast<double>(body.size()) / each / 1e6;
  };
  const auto stream = agent_stream(forms[from], stream_events);
  const double each = seconds_each([&] { translate_stream(stream, source, target); });
  fmt::print(R"({}"{}_to_{}":{{"small_mb_s":{:.0f},"large_mb_s":{:.0f},"event_us":{:.2f}}})",
             from + to == 1 && from == 0 ? "" : ",", names[from], names[to], rate(small_bytes),
             rate(large_bytes), each * 1e6 / stream_events);
}

}  // namespace
}  // namespace tidegate::bench

int main() {
  using namespace tidegate::bench;
  fmt::print("{{");
  for (std::size_t from = 0; from < forms.size(); ++from) {
    for (std::size_t to = 0; to < forms.size(); ++to) {
      if (from != to) measure_pair(from, to);
    }
  }
  fmt::print("}}\n");
}
