#include "app/sim/journal.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/sim/frames.hpp"
#include "base/time_text.hpp"

namespace tidegate::sim {
namespace {

using json = nlohmann::ordered_json;

std::string_view name_of(operation what) {
  switch (what) {
    case operation::generate:
      return "generate";
    case operation::compact:
      return "compact";
    case operation::count_tokens:
      return "count-tokens";
    case operation::other:
      return "other";
  }
  return "";
}

std::string_view name_of(protocol::wire form) {
  switch (form) {
    case protocol::wire::openai_responses:
      return "responses";
    case protocol::wire::openai_chat:
      return "chat";
    case protocol::wire::anthropic_messages:
      return "messages";
    case protocol::wire::gemini:
      return "gemini";
  }
  return "";
}

json json_of(const counter& counts) {
  return json{{"requests", counts.requests},
              {"answers", counts.answers},
              {"failures", counts.failures},
              {"clients_left", counts.clients_left}};
}

json json_of(const entry& what) {
  json headers = json::object();
  for (const auto& [name, value] : what.headers) headers[name] = value;
  return json{{"id", what.id},
              {"at", format_rfc3339(what.at)},
              {"method", what.what.method},
              {"target", what.target},
              {"operation", name_of(what.what.what)},
              {"protocol", name_of(what.what.wire)},
              {"key", what.what.key},
              {"model", what.what.model},
              {"stream", what.what.stream},
              {"status", what.status},
              {"rule", what.matched ? json(what.rule_index) : json{}},
              {"reply", what.matched ? json(what.reply_index) : json{}},
              {"ended", to_string(what.ended)},
              {"headers", std::move(headers)},
              {"body_bytes", what.body_bytes},
              {"body", what.body}};
}

void add(counter& sum, const counter& part) {
  sum.requests += part.requests;
  sum.answers += part.answers;
  sum.failures += part.failures;
  sum.clients_left += part.clients_left;
}

}  // namespace

std::string_view to_string(outcome how) {
  switch (how) {
    case outcome::open:
      return "open";
    case outcome::complete:
      return "complete";
    case outcome::misbehaved:
      return "misbehaved";
    case outcome::client_left:
      return "client-left";
  }
  return "";
}

std::uint64_t journal_view::count(std::string_view key) const {
  std::uint64_t sum = 0;
  for (const auto& [name, counts] : by_key_and_model)
    if (name.first == key) sum += counts.requests;
  return sum;
}

std::uint64_t journal_view::count(std::string_view key, std::string_view model) const {
  const auto found = by_key_and_model.find({std::string{key}, std::string{model}});
  return found == by_key_and_model.end() ? 0 : found->second.requests;
}

counter& journal::counter_of(const std::string& key, const std::string& model) {
  const auto found = counters_.find({key, model});
  if (found != counters_.end()) return found->second;
  if (counters_.size() >= counter_pairs_max) return counters_[{"(others)", "(others)"}];
  return counters_[{key, model}];
}

void journal::begin(entry&& what, bool keep) {
  auto& counts = counter_of(what.what.key, what.what.model);
  ++counts.requests;
  ++(what.status >= 200 && what.status < 300 ? counts.answers : counts.failures);
  ++total_;
  ++in_flight_;
  if (!keep) return;
  if (entries_.size() >= entries_max) entries_.pop_front();
  if (what.body.size() > entry_body_bytes_max) what.body.resize(entry_body_bytes_max);
  entries_.push_back(std::move(what));
}

void journal::end(std::uint64_t id, const std::string& key, const std::string& model, outcome how) {
  if (id < oldest_) return;
  --in_flight_;
  if (how == outcome::client_left) ++counter_of(key, model).clients_left;
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), id,
                                      [](const entry& e, std::uint64_t at) { return e.id < at; });
  if (found != entries_.end() && found->id == id) found->ended = how;
}

void journal::reset() {
  entries_.clear();
  counters_.clear();
  total_ = 0;
  in_flight_ = 0;
  oldest_ = last_id_ + 1;
}

journal_view journal::view(std::size_t last) const {
  journal_view out{total_, in_flight_, counters_, {}};
  const auto count = std::min(last, entries_.size());
  out.requests.assign(entries_.end() - static_cast<std::ptrdiff_t>(count), entries_.end());
  return out;
}

std::string journal_json(const journal_view& view) {
  json by_key = json::object();
  json by_model = json::object();
  json pairs = json::array();
  std::map<std::string, counter> keys;
  std::map<std::string, counter> models;
  for (const auto& [name, counts] : view.by_key_and_model) {
    add(keys[name.first], counts);
    add(models[name.second], counts);
    json pair{{"key", name.first}, {"model", name.second}};
    pair.update(json_of(counts));
    pairs.push_back(std::move(pair));
  }
  for (const auto& [name, counts] : keys) by_key[name] = json_of(counts);
  for (const auto& [name, counts] : models) by_model[name] = json_of(counts);
  json requests = json::array();
  for (const auto& what : view.requests) requests.push_back(json_of(what));
  return json_text(json{{"total", view.total},
                        {"in_flight", view.in_flight},
                        {"by_key", std::move(by_key)},
                        {"by_model", std::move(by_model)},
                        {"by_key_and_model", std::move(pairs)},
                        {"requests", std::move(requests)}});
}

}  // namespace tidegate::sim
