#pragma once
/// Responses streams for the tests of their decoder and encoder.

#include "protocol/canonical/codec.hpp"
#include "protocol/canonical/event_order.hpp"
#include "protocol/sse.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tidegate::test {

using protocol::event;

/// Each with its `type` and a blank line.
inline std::string stream_of(const std::vector<std::string>& frames) {
  std::string out;
  for (const auto& one : frames) {
    const auto type = nlohmann::json::parse(one, nullptr, false).value("type", "");
    out += "event: " + type + "\ndata: " + one + "\n\n";
  }
  return out;
}

/// The events of a stream that arrives in pieces of so many bytes; their order is checked.
inline std::vector<event> events_of(const std::string& stream, std::size_t piece = 1 << 20,
                                    protocol::tool_names names = {}) {
  const auto decoder = protocol::responses_codec.make_decoder(std::move(names));
  protocol::sse_splitter splitter(1 << 20);
  std::vector<event> out;
  protocol::sse_frame frame;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    REQUIRE(splitter.feed(std::string_view{stream}.substr(at, piece)));
    while (splitter.next(frame)) decoder->feed(frame, out);
  }
  decoder->finish(out);
  protocol::event_order order;
  for (const auto& one : out) {
    const auto problem = order.check(one);
    if (problem) FAIL(*problem << " at event " << (&one - out.data()));
  }
  const auto missing = order.check_end();
  if (missing) FAIL(*missing);
  return out;
}

inline std::vector<event> events_of(const std::vector<std::string>& frames,
                                    protocol::tool_names names = {}) {
  return events_of(stream_of(frames), 1 << 20, std::move(names));
}

/// The stream of these events; they are legal.
inline std::string encoded(const std::vector<event>& events, const protocol::answer_context& with) {
  const auto encoder = protocol::responses_codec.make_encoder(with);
  std::string out;
  for (const auto& one : events) encoder->on(one, out);
  encoder->finish(out);
  encoder->on(protocol::usage_event{}, out);
  encoder->finish(out);
  return out;
}

struct parsed_frame {
  std::string event;
  nlohmann::json data;
};

inline std::vector<parsed_frame> frames_of(const std::string& stream) {
  protocol::sse_splitter splitter(1 << 20);
  REQUIRE(splitter.feed(stream));
  std::vector<parsed_frame> out;
  protocol::sse_frame frame;
  while (splitter.next(frame)) {
    out.push_back({std::string{frame.event}, nlohmann::json::parse(frame.data)});
  }
  REQUIRE(splitter.rest().empty());
  return out;
}

inline protocol::answer_context context() {
  protocol::answer_context with;
  with.model = "mine";
  with.now = 1'800'000'000;
  with.id = "g1";
  return with;
}

template <class Event>
std::vector<Event> all(const std::vector<event>& events) {
  std::vector<Event> out;
  for (const auto& one : events) {
    if (const auto* const found = std::get_if<Event>(&one)) out.push_back(*found);
  }
  return out;
}

template <class Event>
const Event& last(const std::vector<event>& events) {
  REQUIRE(!events.empty());
  REQUIRE(std::holds_alternative<Event>(events.back()));
  return std::get<Event>(events.back());
}

}  // namespace tidegate::test
