#include <rapidcheck.h>

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/unit/golden/files.hpp"
#include "tests/unit/golden/folded.hpp"
#include "tests/unit/golden/maker.hpp"
#include "tests/unit/golden/translate.hpp"

namespace tidegate::golden {
namespace {

using nlohmann::json;
using namespace protocol;

/// Any events at all, mostly about few items.
event any_event(maker& from) {
  const auto index = static_cast<std::uint32_t>(from.below(4));
  switch (from.below(12)) {
    case 0:
      return start_event{from.plain_text(), from.plain_text(), 0};
    case 1: {
      item_start made;
      made.index = index;
      made.kind = static_cast<item_kind>(from.below(6));
      made.call_id = from.plain_text();
      made.name = from.plain_text();
      made.tool = static_cast<tool_kind>(from.below(3));
      return made;
    }
    case 2:
      return text_delta{index, from.plain_text()};
    case 3:
      return reasoning_delta{index, static_cast<std::uint32_t>(from.below(3)), from.plain_text()};
    case 4:
      return arguments_delta{index, from.one_in(2) ? from.object() : from.plain_text()};
    case 5:
      return image_chunk{index, from.one_in(2), "image/png", "QQ=="};
    case 6:
      return citation_added{index, from.plain_text(), from.plain_text(), {}, {}};
    case 7:
      return signature_event{index, static_cast<token_owner>(from.below(6)), from.one_in(3),
                             from.plain_text()};
    case 8:
      return item_end{index};
    case 9:
      return usage_event{{1, from.below(9), {}, 2, {}}};
    case 10:
      return finish_event{static_cast<finish_reason>(from.below(9)), from.plain_text(), "n"};
    default:
      return failed_event{static_cast<int>(from.below(700)), "", "", from.plain_text()};
  }
}

/// A complete legal answer: items one after the other, or two at a time.
std::vector<event> legal_answer(maker& from) {
  std::vector<event> out{start_event{"r1", "m", 5}};
  const std::size_t items = from.below(4);
  for (std::uint32_t index = 0; index < items; ++index) {
    item_start head;
    head.index = index;
    head.kind = from.one_in(3)   ? item_kind::tool_call
                : from.one_in(2) ? item_kind::reasoning
                                 : item_kind::text;
    if (head.kind == item_kind::tool_call) {
      head.call_id = "call_" + std::to_string(index);
      head.name = "f";
    }
    out.emplace_back(head);
    if (head.kind == item_kind::tool_call) {
      const std::string arguments = from.object();
      auto half = arguments.size() / 2;
      while ((arguments[half] & 0xC0) == 0x80) --half;
      out.emplace_back(arguments_delta{index, arguments.substr(0, half)});
      out.emplace_back(arguments_delta{index, arguments.substr(half)});
    } else {
      for (std::size_t pieces = 1 + from.below(3); pieces > 0; --pieces) {
        std::string text = 'x' + from.plain_text();
        if (head.kind == item_kind::text)
          out.emplace_back(text_delta{index, std::move(text)});
        else
          out.emplace_back(reasoning_delta{index, 0, std::move(text)});
      }
    }
    out.emplace_back(item_end{index});
  }
  out.emplace_back(usage_event{{9, {}, {}, 4, {}}});
  out.emplace_back(finish_event{finish_reason::stop, "", "stop"});
  return out;
}

/// A provider's stream with something wrong in it, perhaps.
std::string damaged(maker& from, std::string stream) {
  for (std::size_t wounds = from.below(4); wounds > 0 && !stream.empty(); --wounds) {
    const auto at = from.below(stream.size());
    const auto length = from.below(40);
    switch (from.below(4)) {
      case 0:
        stream.erase(at, length);
        break;
      case 1:
        stream.insert(at, stream.substr(from.below(stream.size()), length));
        break;
      case 2:
        stream[at] = static_cast<char>(from.below(256));
        break;
      default:
        stream.resize(at);
        break;
    }
  }
  return stream;
}

std::vector<std::pair<const side*, std::string>> all_streams() {
  std::vector<std::pair<const side*, std::string>> out;
  for (const side& provider : sides()) {
    const fs::path folder = fs::path{"answers"} / provider.name;
    for (const auto& name : cases_in(folder)) {
      if (auto bytes = read(root() / folder / (name + ".sse"))) {
        out.emplace_back(&provider, std::move(*bytes));
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("events are legal whatever a provider sends, however it is cut") {
  const auto streams = all_streams();
  CHECK(rc::check("damaged streams", [&streams](std::uint64_t seed) {
    maker from{seed};
    const auto& [provider, stream] = streams[from.below(streams.size())];
    const std::string bytes = damaged(from, stream);
    const auto events = events_of(*provider, {}, {bytes});
    RC_ASSERT(order_fault(events) == "");
    RC_ASSERT(events_of(*provider, {}, pieces_of(bytes, 1 + from.below(50))) == events);
  }));
}

TEST_CASE("any events at all make frames of whole JSON") {
  CHECK(rc::check("any events", [](std::uint64_t seed) {
    maker from{seed};
    std::vector<event> events;
    for (std::size_t count = from.below(30); count > 0; --count) events.push_back(any_event(from));
    for (const side& client : sides()) {
      const auto frames = frames_of({stream_of(client, events, context_of(client_model))});
      RC_ASSERT(!frames.empty());
      for (std::size_t i = 1; i < frames.size(); i += 2) {
        RC_ASSERT(frames[i] == "[DONE]" || json::accept(frames[i]));
      }
      RC_ASSERT(json::accept(client.codec.encode_answer(events, context_of(client_model))));
    }
  }));
}

TEST_CASE("a client reads the same from a stream as from the whole answer") {
  CHECK(rc::check("stream and whole", [](std::uint64_t seed) {
    maker from{seed};
    const auto events = legal_answer(from);
    for (const side& client : sides()) {
      const auto with = context_of(client_model);
      const auto seen = events_of(client, {}, {stream_of(client, events, with)});
      RC_ASSERT(order_fault(seen) == "");
      const auto whole =
          client.codec.decode_answer(padded(client.codec.encode_answer(events, with)), {});
      RC_ASSERT(whole.has_value());
      RC_ASSERT(described(joined(folded(*whole))) == described(joined(folded(seen))));
    }
  }));
}

}  // namespace tidegate::golden
