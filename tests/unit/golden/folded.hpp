#pragma once
/// What events amount to, however they were cut: two answers are the same when these are.

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "protocol/canonical/event.hpp"

namespace tidegate::golden {

struct folded_item {
  protocol::item_kind kind{};
  std::string call_id;
  std::string name;
  std::string name_space;
  std::string text;                            ///< text, refusal, arguments, image bytes
  std::map<std::uint32_t, std::string> parts;  ///< of reasoning
  std::optional<protocol::signature_event> signature;
  std::vector<protocol::citation_added> citations;
  std::string logprobs;

  friend bool operator==(const folded_item&, const folded_item&) = default;
};

struct folded_answer {
  std::string id;
  std::string model;
  std::vector<folded_item> items;
  protocol::usage counts;
  std::optional<protocol::finish_event> finish;
  std::optional<protocol::failed_event> failed;

  friend bool operator==(const folded_answer&, const folded_answer&) = default;
};

class folding {
 public:
  void operator()(const protocol::start_event& e) {
    out_.id = e.response_id;
    out_.model = e.model;
  }
  void operator()(const protocol::item_start& e) {
    folded_item made;
    made.kind = e.kind;
    made.call_id = e.call_id;
    made.name = e.name;
    made.name_space = e.name_space;
    out_.items.push_back(std::move(made));
  }
  void operator()(const protocol::text_delta& e) { out_.items.at(e.index).text += e.text; }
  void operator()(const protocol::arguments_delta& e) { out_.items.at(e.index).text += e.text; }
  void operator()(const protocol::reasoning_delta& e) {
    if (!e.text.empty()) out_.items.at(e.index).parts[e.part] += e.text;
  }
  void operator()(const protocol::image_chunk& e) {
    if (!e.partial) out_.items.at(e.index).text = e.mime + ' ' + e.base64;
  }
  void operator()(const protocol::citation_added& e) {
    out_.items.at(e.index).citations.push_back(e);
  }
  void operator()(const protocol::logprobs_event& e) {
    auto& known = out_.items.at(e.index).logprobs;
    known.append(known.empty() ? "" : ",").append(e.tokens);
  }
  void operator()(const protocol::signature_event& e) { out_.items.at(e.index).signature = e; }
  void operator()(const protocol::item_end&) {}
  void operator()(const protocol::usage_event& e) {
    const auto take = [](auto& into, const auto& from) {
      if (from) into = from;
    };
    take(out_.counts.input_total, e.counts.input_total);
    take(out_.counts.cache_read, e.counts.cache_read);
    take(out_.counts.cache_write, e.counts.cache_write);
    take(out_.counts.output_total, e.counts.output_total);
    take(out_.counts.reasoning, e.counts.reasoning);
  }
  void operator()(const protocol::finish_event& e) { out_.finish = e; }
  void operator()(const protocol::failed_event& e) { out_.failed = e; }

  folded_answer take() { return std::move(out_); }

 private:
  folded_answer out_;
};

/// The events are in a legal order.
inline folded_answer folded(const std::vector<protocol::event>& events) {
  folding fold;
  for (const auto& one : events) std::visit(fold, one);
  return fold.take();
}

/// The same without the borders of texts and thoughts, which whole answers of Chat do not have.
inline folded_answer joined(folded_answer what) {
  folded_item texts;
  folded_item thoughts;
  thoughts.kind = protocol::item_kind::reasoning;
  std::vector<folded_item> rest;
  for (auto& one : what.items) {
    if (one.kind == protocol::item_kind::text) {
      texts.text += one.text;
      texts.logprobs += one.logprobs;
      for (auto& citation : one.citations) {
        citation.index = 0;
        texts.citations.push_back(std::move(citation));
      }
    } else if (one.kind == protocol::item_kind::reasoning && !one.signature) {
      for (const auto& [part, text] : one.parts) thoughts.parts[0] += text;
    } else {
      rest.push_back(std::move(one));
    }
  }
  rest.push_back(std::move(texts));
  rest.push_back(std::move(thoughts));
  what.items = std::move(rest);
  return what;
}

/// For a reader of a failed test.
inline std::string described(const folded_answer& what) {
  std::string out = what.id + ' ' + what.model + '\n';
  for (const auto& one : what.items) {
    out += "  " + std::to_string(static_cast<int>(one.kind)) + ' ' + one.call_id + ' ' + one.name +
           ' ' + one.name_space + ": " + one.text;
    for (const auto& [part, text] : one.parts) out += '[' + text + ']';
    if (one.signature) out += " signed " + one.signature->token;
    out += " citations " + std::to_string(one.citations.size()) + '\n';
  }
  const auto& counts = what.counts;
  for (const auto& count : {counts.input_total, counts.cache_read, counts.cache_write,
                            counts.output_total, counts.reasoning}) {
    out += count ? std::to_string(*count) + ' ' : "- ";
  }
  if (what.finish) {
    out += "finish " + std::to_string(static_cast<int>(what.finish->reason)) + ' ' +
           what.finish->stop_sequence + ' ' + what.finish->native;
  }
  if (what.failed) out += "failed " + what.failed->type + ' ' + what.failed->message;
  return out;
}

}  // namespace tidegate::golden
