#include <utility>

#include "protocol/canonical/gemini/call_book.hpp"
#include "protocol/canonical/gemini/encoding.hpp"
#include "protocol/canonical/gemini/json_scan.hpp"
#include "protocol/canonical/gemini/tokens.hpp"

namespace tidegate::protocol::gemini {
namespace {

class contents_writer {
 public:
  explicit contents_writer(encoding& to) : to_(to), book_(to) {}

  void write() {
    to_.json.key("contents").begin_array();
    const auto& turns = to_.from.turns;
    for (std::size_t at = 0; at < turns.size();) {
      if (turns[at].role != turn_role::assistant) {
        write_user_turn(turns[at++]);
        continue;
      }
      std::vector<const part*> parts;
      for (; at < turns.size() && turns[at].role == turn_role::assistant; ++at) {
        for (const auto& part : turns[at].parts) parts.push_back(&part);
      }
      write_model_turn(parts);
    }
    drop_prefill();
    if (contents_.empty()) write_only_content();
    to_.json.end_array();
  }

 private:
  struct content {
    std::size_t begin = 0;
    bool model = false;
    bool calls = false;
  };

  /// The content's head, when its first part comes.
  void open(bool model) {
    if (open_) return;
    if (model && contents_.empty() && to_.owner() != token_owner::claude) write_first_user();
    contents_.push_back({to_.into.body.size(), model, false});
    to_.json.begin_object().key("role").text({model ? "model" : "user"});
    to_.json.key("parts").begin_array();
    open_ = true;
  }
  void close() {
    if (open_) to_.json.end_array().end_object();
    open_ = false;
  }

  /// There must be a content: system text alone is the user's.
  void write_only_content() {
    if (!to_.system_alone()) return write_empty_user();
    to_.lose(lossy::system_alone);
    for (const auto& block : to_.from.system) {
      if (block.text.empty()) continue;
      to_.lose_mark(block.cache);
      open(false);
      write_text(block.text);
    }
    close();
  }

  /// Conversations with Gemini's models begin with the user, who has to say something.
  void write_first_user() {
    to_.lose(lossy::first_turn);
    contents_.push_back({to_.into.body.size(), false, false});
    to_.json.raw(R"({"role":"user","parts":[{"text":"."}]})");
  }

  void write_empty_user() {
    contents_.push_back({to_.into.body.size(), false, false});
    to_.json.raw(R"({"role":"user","parts":[{"text":""}]})");
  }

  /// Gemini does not go on with a turn of the model.
  void drop_prefill() {
    const bool drop_calls = to_.from.source == wire::anthropic_messages;
    while (!contents_.empty() && contents_.back().model &&
           (drop_calls || !contents_.back().calls)) {
      to_.lose(lossy::prefill);
      to_.json.take_back(contents_.back().begin);
      contents_.pop_back();
    }
  }

  void write_text(raw_text text, raw_text signature = {}) {
    to_.json.begin_object().key("text").text(text);
    to_.json.member_if("thoughtSignature", signature).end_object();
  }

  void write_reminder(raw_text text) {
    to_.json.begin_object().key("text");
    std::string wrapped = "<system-reminder>\\n";
    wrapped.append(text.escaped).append("\\n</system-reminder>");
    to_.json.text({wrapped}).end_object();
  }

  void write_user_turn(const turn& from) {
    for (const auto& part : from.parts) {
      if (const auto* text = std::get_if<text_part>(&part)) {
        to_.lose_mark(text->cache);
        if (text->text.empty()) continue;
        open(false);
        from.role == turn_role::inline_system ? write_reminder(text->text) : write_text(text->text);
      } else if (const auto* result = std::get_if<tool_result_part>(&part)) {
        const bool server = result->kind == tool_kind::server;
        if (!book_.has_call(*result)) to_.lose(server ? lossy::server_tool : lossy::orphan_result);
      } else {
        write_common(part, false);
      }
    }
    close();
  }

  /// Parts that are the same for both sides.
  void write_common(const part& what, bool model) {
    if (const auto* media = std::get_if<media_part>(&what)) {
      const bool dropped = media->kind == media_kind::image && !to_.caps.images;
      const bool known = !media->source.base64.empty() || !media->source.url.empty() ||
                         (!media->source.file_id.empty() && to_.from_gemini());
      if (known && !dropped) open(model);
      write_media(to_, *media);
    } else if (const auto* refusal = std::get_if<refusal_part>(&what)) {
      if (refusal->text.empty()) return;
      open(model);
      write_text(refusal->text);
    } else if (const auto* unknown = std::get_if<unknown_part>(&what)) {
      const bool says = !to_.from_gemini() && !unknown->words.empty();
      if (!says && !to_.from_gemini()) return to_.lose(lossy::unknown_part);
      open(model);
      if (says) return write_text(unknown->words);
      to_.json.begin_object().key(unknown->type).raw(unknown->json).end_object();
    }
  }

  bool is_own(const opaque_token& token) const {
    return token.owner == to_.owner() || (token.owner == token_owner::unknown && to_.from_gemini());
  }

  raw_text own_bytes(const std::optional<opaque_token>& token) {
    if (!token || token->bytes.empty()) return {};
    if (is_own(*token)) return token->bytes;
    to_.lose(lossy::foreign_token);
    return {};
  }

  static bool suits(const opaque_token& token, token_target target) {
    return token.target == token_target::any || token.target == target;
  }

  /// A part's signature: its own, one that waits for it, or one behind it that points back.
  raw_text signature_of(const std::optional<opaque_token>& token, token_target target,
                        const part* next) {
    raw_text found = own_bytes(token);
    if (carried_ && suits(*carried_, target)) {
      if (found.empty()) found = carried_->bytes;
      carried_.reset();
    }
    const auto* behind = next == nullptr ? nullptr : std::get_if<reasoning_part>(next);
    if (found.empty() && behind != nullptr && behind->token &&
        behind->token->bind == token_bind::previous && suits(*behind->token, target)) {
      found = own_bytes(behind->token);
    }
    return found;
  }

  void write_reasoning(const reasoning_part& thought) {
    if (thought.redacted) return to_.lose(lossy::redacted_reasoning);
    if (!thought.token && to_.from.source == wire::anthropic_messages) {
      return to_.lose(lossy::unsigned_reasoning);
    }
    const raw_text token = own_bytes(thought.token);
    raw_text signature;
    if (!token.empty() && thought.token->bind == token_bind::next) carried_ = thought.token;
    if (!token.empty() && thought.token->bind == token_bind::standalone) signature = token;
    std::string joined;
    for (const auto& text : thought.texts) {
      if (!joined.empty() && !text.empty()) joined += "\\n\\n";
      joined += text.escaped;
    }
    if (joined.empty() && signature.empty()) return;
    open(true);
    to_.json.begin_object().key("text").text({joined});
    if (!joined.empty()) to_.json.key("thought").boolean(true);
    to_.json.member_if("thoughtSignature", signature).end_object();
  }

  void write_arguments(const tool_call_part& call) {
    if (call.kind == tool_kind::custom) {
      to_.json.begin_object().key("input").text({call.arguments}).end_object();
    } else if (!call.arguments.empty() && (to_.from_gemini() || is_json_object(call.arguments))) {
      to_.json.raw(call.arguments);
    } else {
      const bool says = !call.arguments.empty() && call.arguments != "null";
      if (says) to_.lose(lossy::invalid_arguments);
      to_.json.raw("{}");
    }
  }

  void write_call(const tool_call_part& call, const part* next) {
    to_.lose_mark(call.cache);
    if (call.kind == tool_kind::server) return to_.lose(lossy::server_tool);
    raw_text signature = signature_of(call.signature, token_target::function, next);
    open(true);
    const bool first = !std::exchange(contents_.back().calls, true);
    if (first && signature.empty() && to_.owner() == token_owner::gemini) {
      signature = {skip_signature};
    }
    to_.json.begin_object().key("functionCall").begin_object();
    if (to_.caps.call_ids) to_.json.member_if("id", call.id);
    to_.json.key("name");
    to_.json.text({to_.wire_name(call.name, call.name_space, call.kind)}).key("args");
    write_arguments(call);
    to_.json.end_object().member_if("thoughtSignature", signature).end_object();
    ++calls_written_;
  }

  void write_model_part(const part& what, const part* next) {
    if (const auto* text = std::get_if<text_part>(&what)) {
      to_.lose_mark(text->cache);
      if (!text->citations.empty()) to_.lose(lossy::citations);
      const raw_text signature = signature_of(text->signature, token_target::text, next);
      if (text->text.empty() && signature.empty()) return;
      open(true);
      write_text(text->text, signature);
    } else if (const auto* thought = std::get_if<reasoning_part>(&what)) {
      write_reasoning(*thought);
    } else if (const auto* call = std::get_if<tool_call_part>(&what)) {
      write_call(*call, next);
    } else {
      write_common(what, true);
    }
  }

  /// The results follow their calls at once and in their order, wherever they stood.
  void write_model_turn(const std::vector<const part*>& parts) {
    const std::size_t first_call = calls_written_;
    carried_.reset();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      write_model_part(*parts[i], i + 1 < parts.size() ? parts[i + 1] : nullptr);
    }
    close();
    std::size_t call = first_call;
    for (const part* one : parts) {
      const auto* made = std::get_if<tool_call_part>(one);
      if (made == nullptr || made->kind == tool_kind::server) continue;
      const auto* result = book_.result_of(call++);
      if (result == nullptr) continue;
      open(false);
      write_result(to_, *result, to_.wire_name(made->name, made->name_space, made->kind));
    }
    close();
  }

  encoding& to_;
  call_book book_;
  std::vector<content> contents_;
  bool open_ = false;
  std::size_t calls_written_ = 0;
  std::optional<opaque_token> carried_;
};

}  // namespace

void write_contents(encoding& to) {
  contents_writer{to}.write();
}

}  // namespace tidegate::protocol::gemini
