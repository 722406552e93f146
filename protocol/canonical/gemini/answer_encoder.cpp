#include "protocol/canonical/failed_answer.hpp"
#include "protocol/canonical/gemini/answer_parts.hpp"
#include "protocol/canonical/gemini/gemini.hpp"
#include "protocol/canonical/json_out.hpp"
#include "protocol/canonical/logprobs.hpp"

namespace tidegate::protocol::gemini {
namespace {

constexpr std::string_view no_text = R"({"text":""})";
const failed_event cut_off{502, "upstream_error", {}, "the answer ended before it was complete"};

void append_grounding(const answer_parts& parts, std::string& out) {
  if (parts.sources().empty()) return;
  json_out json(out);
  out += R"(,"groundingMetadata":)";
  json.begin_object().key("groundingChunks").begin_array();
  for (const auto& [url, title] : parts.sources()) {
    json.begin_object().key("web").begin_object().key("uri").plain(url);
    if (!title.empty()) json.key("title").plain(title);
    json.end_object().end_object();
  }
  json.end_array().end_object();
}

/// What every chunk of one answer says of it.
std::string tail_of(const answer_parts& parts, const answer_context& with) {
  const auto& id = parts.start().response_id;
  const auto& model = with.model.empty() ? parts.start().model : with.model;
  return R"(,"modelVersion":")" + escape(model) + R"(","responseId":")" +
         escape(id.empty() ? with.id : id) + "\"}";
}

std::string response_of(std::string_view parts_json) {
  return R"({"candidates":[{"content":{"parts":[)" + std::string{parts_json} +
         R"(],"role":"model"})";
}

std::string whole_response(std::string_view parts_json, const answer_parts& parts,
                           const answer_context& with) {
  std::string out = response_of(parts_json.empty() ? no_text : parts_json);
  out.append(R"(,"finishReason":")").append(word_of(parts.reason())).append(1, '"');
  append_grounding(parts, out);
  if (!parts.logprobs().empty()) {
    out += R"(,"logprobsResult":)" + gemini_logprobs(parts.logprobs());
  }
  out += R"(,"index":0}],"usageMetadata":)" + usage_json(parts.counts());
  return out + tail_of(parts, with);
}

void append_frame(std::string_view json, std::string& into) {
  into.append("data: ").append(json).append("\n\n");
}

class encoder final : public stream_encoder {
 public:
  explicit encoder(answer_context with) : with_(std::move(with)) {}

  void on(const event& what, std::string& into) override {
    if (ended_) return;
    const auto piece = parts_.on(what);
    if (parts_.failure()) return fail(*parts_.failure(), into);
    if (!piece || parts_.finished()) return;
    if (tail_.empty()) tail_ = tail_of(parts_, with_);
    append_frame(response_of(part_json(*piece)) + R"(,"index":0}])" + tail_, into);
  }

  /// Usage may come behind the finish, so the last chunk waits for the end.
  void finish(std::string& into) override {
    if (ended_) return;
    if (!parts_.finished()) return fail(cut_off, into);
    ended_ = true;
    append_frame(whole_response({}, parts_, with_), into);
  }

 private:
  void fail(const failed_event& what, std::string& into) {
    ended_ = true;
    into += failure_frame(wire::gemini, what, false);
  }

  answer_context with_;
  answer_parts parts_;
  std::string tail_;
  bool ended_ = false;
};

/// Pieces of one text are one part; a signature behind a text is the text's.
void add(std::vector<part_piece>& parts, part_piece piece) {
  const bool continues = !parts.empty() && parts.back().index == piece.index &&
                         parts.back().members.empty() && piece.members.empty();
  if (!continues) {
    parts.push_back(std::move(piece));
    return;
  }
  parts.back().text += piece.text;
  if (!piece.signature.empty()) parts.back().signature = std::move(piece.signature);
}

}  // namespace

std::unique_ptr<stream_encoder> make_encoder(answer_context with) {
  return std::make_unique<encoder>(std::move(with));
}

std::string encode_answer(const std::vector<event>& events, const answer_context& with) {
  answer_parts parts;
  std::vector<part_piece> pieces;
  for (const auto& what : events) {
    auto piece = parts.on(what);
    if (parts.failure()) break;
    if (piece && !parts.finished()) add(pieces, std::move(*piece));
  }
  if (parts.failure() || !parts.finished()) {
    return failure_body(wire::gemini, parts.failure().value_or(cut_off));
  }
  std::string joined;
  for (const auto& piece : pieces) {
    if (!joined.empty()) joined += ',';
    joined += part_json(piece);
  }
  return whole_response(joined, parts, with);
}

}  // namespace tidegate::protocol::gemini

namespace tidegate::protocol {

const codec gemini_codec{wire::gemini,         gemini::decode_request, gemini::encode_request,
                         gemini::make_decoder, gemini::make_encoder,   gemini::decode_answer,
                         gemini::encode_answer};

}  // namespace tidegate::protocol
