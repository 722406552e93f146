#include "protocol/canonical/responses/items_out.hpp"

#include <unordered_set>

namespace tidegate::protocol::responses {
namespace {

constexpr std::string_view billing_header = "x-anthropic-billing-header:";

/// The message item that the parts of a turn go into while they can.
class message_run {
 public:
  message_run(writing& w, std::string_view role) : w_(w), role_(role) {}
  ~message_run() { close(); }
  message_run(const message_run&) = delete;
  message_run& operator=(const message_run&) = delete;

  json_out& open() {
    if (!open_) {
      w_.out.begin_object().key("type").text({"message"}).key("role").text({role_});
      w_.out.key("content").begin_array();
      open_ = true;
    }
    return w_.out;
  }
  void close() {
    if (open_) w_.out.end_array().end_object();
    open_ = false;
  }

 private:
  writing& w_;
  std::string_view role_;
  bool open_ = false;
};

/// Writes the turns one after the other; knows which calls were free-form, since other protocols
/// do not say it of a result.
class turn_writer {
 public:
  explicit turn_writer(writing& w) : w_(w) {}

  void write(const turn& what) {
    if (what.role == turn_role::inline_system) {
      write_inline_system(what);
      return;
    }
    const bool model = what.role == turn_role::assistant;
    message_run run(w_, model ? "assistant" : "user");
    for (const part& one : what.parts) {
      std::visit([&](const auto& p) { on(p, model, run); }, one);
    }
  }

 private:
  void write_inline_system(const turn& what) {
    const bool reminder = w_.in.source == wire::anthropic_messages;
    message_run run(w_, reminder ? "user" : "developer");
    for (const part& one : what.parts) {
      const auto* const text = std::get_if<text_part>(&one);
      if (text == nullptr) continue;
      run.open();
      if (!reminder) {
        write_text(w_, "input_text", *text);
        continue;
      }
      std::string wrapped = "<system-reminder>\\n";
      wrapped.append(text->text.escaped).append("\\n</system-reminder>");
      w_.out.begin_object().key("type").text({"input_text"}).key("text").text({wrapped});
      w_.out.end_object();
    }
  }

  void on(const text_part& what, bool model, message_run& run) {
    if (what.signature) w_.lose(lossy::signature);
    if (model && what.text.empty() && !w_.own) return;
    run.open();
    write_text(w_, model ? "output_text" : "input_text", what);
  }
  void on(const refusal_part& what, bool model, message_run& run) {
    auto& out = run.open().begin_object();
    out.key("type").text({model ? "refusal" : "input_text"});
    out.key(model ? "refusal" : "text").text(what.text).end_object();
  }
  void on(const media_part& what, bool model, message_run& run) {
    if (model && !w_.own) {
      w_.lose(lossy::assistant_media);
    } else if (accepts(w_, what)) {
      run.open();
      write_media_part(w_, what);
    }
  }
  void on(const reasoning_part& what, bool model, message_run& run) {
    if (!model) return;
    run.close();
    write_reasoning(w_, what);
  }
  void on(const tool_call_part& what, bool, message_run& run) {
    run.close();
    if (what.kind == tool_kind::custom) custom_.insert(what.id.escaped);
    write_call(w_, what);
  }
  void on(const tool_result_part& what, bool, message_run& run) {
    run.close();
    if (what.kind == tool_kind::server) {
      w_.lose(lossy::server_tool);
      return;
    }
    switch (w_.results.of(what)) {
      case result_plan::verdict::kept:
        write_result(w_, w_.results.content_of(what), is_custom(what));
        break;
      case result_plan::verdict::repeated:
        w_.lose(lossy::duplicate_result);
        break;
      case result_plan::verdict::orphan:
        // The call may be in the answer that the provider keeps.
        if (!w_.in.previous_response_id.empty()) {
          write_result(w_, what, is_custom(what));
        } else {
          w_.lose(lossy::orphan_result);
        }
        break;
    }
  }
  void on(const unknown_part& what, bool model, message_run& run) {
    if (!w_.own && !what.words.empty()) {
      on(text_part{what.words, {}, {}, {}}, model, run);
      return;
    }
    if (!w_.own) {
      w_.lose(lossy::unknown_part);
      return;
    }
    if (what.in_message) {
      run.open();
    } else {
      run.close();
    }
    w_.out.raw(what.json);
  }

  bool is_custom(const tool_result_part& what) const {
    return what.kind == tool_kind::custom || custom_.contains(what.call_id.escaped);
  }

  writing& w_;
  std::unordered_set<std::string_view> custom_;
};

std::string_view role_of(const writing& w, system_origin origin) {
  const bool chat = w.own || w.in.source == wire::openai_chat;
  return chat && origin == system_origin::system ? "system" : "developer";
}

/// Neighbouring blocks of one origin are one message.
void write_system(writing& w) {
  const auto& blocks = w.in.system;
  for (std::size_t i = 0; i < blocks.size();) {
    const auto origin = blocks[i].origin;
    message_run run(w, role_of(w, origin));
    for (; i < blocks.size() && blocks[i].origin == origin; ++i) {
      if (origin == system_origin::instructions) continue;
      if (blocks[i].text.empty() && !w.own) continue;
      if (blocks[i].text.escaped.starts_with(billing_header)) {
        w.lose(lossy::billing_line);
        continue;
      }
      run.open();
      write_text(w, "input_text", {blocks[i].text, {}, blocks[i].cache, {}});
    }
  }
}

}  // namespace

void write_instructions(writing& w) {
  std::string joined;
  for (const system_block& one : w.in.system) {
    if (one.origin != system_origin::instructions) continue;
    if (!joined.empty()) joined += "\\n\\n";
    joined += one.text.escaped;
  }
  w.out.member_if("instructions", {joined});
}

void write_input(writing& w) {
  w.out.key("input").begin_array();
  write_system(w);
  turn_writer turns(w);
  for (const turn& one : w.in.turns) turns.write(one);
  w.out.end_array();
}

}  // namespace tidegate::protocol::responses
