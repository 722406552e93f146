#include <simdjson.h>

#include "protocol/canonical/gemini/answer_reading.hpp"
#include "protocol/canonical/gemini/gemini.hpp"
#include "protocol/canonical/logprobs.hpp"

namespace tidegate::protocol::gemini {
namespace {

class decoder final : public stream_decoder {
 public:
  explicit decoder(tool_names names) : items_(std::move(names)) {}

  void feed(const sse_frame& frame, std::vector<event>& into) override {
    if (failed_ || frame.data == "[DONE]") return;
    if (frame.data.empty() && frame.event != "error") return;
    const bool read = read_frame(frame.data, into);
    if (failed_) return;
    if (!read) return fail("the provider sent something that is no chunk of an answer", into);
    if (frame.event == "error") fail("the provider failed", into);
  }

  void finish(std::vector<event>& into) override {
    if (failed_ || items_.finished()) return;
    fail("the provider's answer ended before it was complete", into);
  }

 private:
  void fail(std::string message, std::vector<event>& into) {
    fail(failed_event{502, "upstream_error", {}, std::move(message)}, into);
  }
  void fail(failed_event what, std::vector<event>& into) {
    failed_ = true;
    if (!items_.finished()) into.emplace_back(std::move(what));
  }

  bool read_frame(std::string_view data, std::vector<event>& into) {
    buffer_.reserve(data.size() + simdjson::SIMDJSON_PADDING);
    buffer_.assign(data);
    simdjson::ondemand::document document;
    if (parser_.iterate(buffer_.data(), buffer_.size(), buffer_.capacity()).get(document)) {
      return false;
    }
    in::json_type type{};
    if (document.type().get(type)) return false;
    in::object object;
    if (type == in::json_type::object) {
      return !document.get_object().get(object) && read_chunk(object, into) && at_end(document);
    }
    in::array array;
    if (type != in::json_type::array || document.get_array().get(array)) return false;
    const auto one = [&](in::value& v, std::size_t) {
      in::object chunk;
      return in::type_of(v) == in::json_type::object && !v.get_object().get(chunk) &&
             read_chunk(chunk, into);
    };
    return in::each_element(array, one) && at_end(document);
  }

  static bool at_end(simdjson::ondemand::document& document) {
    const char* rest = nullptr;
    return document.current_location().get(rest) == simdjson::OUT_OF_BOUNDS;
  }

  /// What a chunk says besides parts, which become events at once.
  struct chunk_end {
    std::optional<usage> counts;
    std::string reason;
    std::string message;
    std::string logprobs;
    bool blocked = false;
  };

  bool read_chunk(in::object& chunk, std::vector<event>& into) {
    if (!items_.started()) {
      start_event start;
      const bool found =
          look_ahead(chunk, "responseId", [&](in::value& v) { start.response_id = text_in(v); }) &&
          look_ahead(chunk, "modelVersion", [&](in::value& v) { start.model = text_in(v); });
      if (!found) return false;
      items_.announce(std::move(start));
    }
    chunk_end end;
    const bool read = in::each_member(
        chunk, [&](std::string_view key, in::value& v) { return read_member(key, v, end, into); });
    if (!read || failed_) return read;
    if (!end.logprobs.empty()) items_.rate(logprobs_of_gemini(end.logprobs), into);
    if (end.counts) items_.count(*end.counts, into);
    if (!end.reason.empty()) items_.finish(end.reason, std::move(end.message), end.blocked, into);
    return true;
  }

  bool read_member(std::string_view key, in::value& v, chunk_end& end, std::vector<event>& into) {
    if (failed_) return true;  // nothing behind a failure counts
    if (key == "candidates") {
      items_.start(into);
      return elements(v, [&](in::value& one) { return read_candidate(one, end, into); });
    }
    if (key == "usageMetadata") {
      items_.start(into);
      return read_usage(v, end.counts.emplace());
    }
    if (key == "promptFeedback") {
      items_.start(into);
      return members(v, [&](std::string_view inner, in::value& member) {
        if (inner != "blockReason") return true;
        end.reason = text_in(member);
        end.blocked = !end.reason.empty();
        return true;
      });
    }
    if (key == "response" && in::type_of(v) == in::json_type::object) {
      in::object inner;
      return !wrapped_ && !v.get_object().get(inner) && read_wrapped(inner, into);
    }
    if (key == "error" && in::type_of(v) != in::json_type::null) {
      failed_event what{502, "upstream_error", {}, {}};
      const bool read = read_error(v, what);
      fail(std::move(what), into);
      return read;
    }
    return true;
  }

  bool read_wrapped(in::object& inner, std::vector<event>& into) {
    wrapped_ = true;
    const bool read = read_chunk(inner, into);
    wrapped_ = false;
    return read;
  }

  bool read_candidate(in::value& v, chunk_end& end, std::vector<event>& into) {
    in::object candidate;
    if (in::type_of(v) != in::json_type::object || v.get_object().get(candidate)) return false;
    std::int64_t index = 0;
    const bool found = look_ahead(
        candidate, "index", [&](in::value& number) { index = in::integer(number).value_or(0); });
    if (!found || index != 0) return found;
    return in::each_member(candidate, [&](std::string_view key, in::value& member) {
      if (key == "content") return read_content(member, into);
      if (key == "groundingMetadata") return read_grounding(member, items_.found());
      if (key == "logprobsResult" && in::type_of(member) == in::json_type::object) {
        end.logprobs = in::raw(member);
        return !end.logprobs.empty();
      }
      if (key == "finishMessage") end.message = text_in(member);
      if (key != "finishReason" || end.blocked) return true;
      end.reason = text_in(member);
      if (end.reason == "FINISH_REASON_UNSPECIFIED") end.reason.clear();
      return true;
    });
  }

  bool read_content(in::value& v, std::vector<event>& into) {
    return members(v, [&](std::string_view key, in::value& parts) {
      if (key != "parts") return true;
      return elements(parts, [&](in::value& one) {
        answer_part part;
        if (!read_part(one, part)) return false;
        items_.add(part, into);
        return true;
      });
    });
  }

  answer_items items_;
  simdjson::ondemand::parser parser_;
  std::string buffer_;
  bool failed_ = false;
  bool wrapped_ = false;
};

}  // namespace

std::unique_ptr<stream_decoder> make_decoder(tool_names names) {
  return std::make_unique<decoder>(std::move(names));
}

result<std::vector<event>> decode_answer(const std::string& body, const tool_names& names) {
  std::vector<event> out;
  decoder reader(names);
  reader.feed({body, {}, body}, out);
  reader.finish(out);
  const auto* failure = out.empty() ? nullptr : std::get_if<failed_event>(&out.back());
  if (failure != nullptr) return failed(errc::invalid_input, failure->message);
  return out;
}

}  // namespace tidegate::protocol::gemini
