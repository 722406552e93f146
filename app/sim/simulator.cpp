#include "app/sim/simulator.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/sim/frames.hpp"
#include "app/sim/head.hpp"

namespace tidegate::sim {
namespace {

using json = nlohmann::ordered_json;

plan reply_of(int status, std::string body) {
  step only;
  only.bytes = head_text(status, {{"content-type", "application/json"}},
                         static_cast<std::int64_t>(body.size()), true) +
               body;
  plan out;
  out.status = status;
  out.steps.push_back(std::move(only));
  return out;
}

plan refusal(int status, std::string_view message) {
  return reply_of(status, json_text(json{{"error", message}}));
}

/// `last=N` of the query; everything when it is absent or unreadable.
std::size_t last_of(std::string_view target) {
  const auto at = target.find("last=");
  if (at == target.npos) return entries_max;
  const auto digits = target.substr(at + 5);
  std::size_t last = entries_max;
  std::from_chars(digits.data(), digits.data() + digits.size(), last);
  return last;
}

}  // namespace

simulator::simulator(script plan, const wall_clock& clock)
    : clock_(clock), director_(std::make_shared<const script>(std::move(plan))) {}

job simulator::take(incoming&& request) {
  const auto path = std::string_view{request.target}.substr(0, request.target.find('?'));
  job out;
  if (path.starts_with("/sim/")) {
    out.what = std::make_shared<const plan>(control(request, path));
    return out;
  }
  entry record;
  record.what = identify(request);
  record.at = clock_.now();
  record.body_bytes = request.body.size();
  const auto chosen = director_.decide(record.what, record.at);
  out.what = chosen.answer != nullptr && chosen.answer->tokens
                 ? std::make_shared<const plan>(
                       compose_given(chosen, record.what, tokens_, request.body, record.at))
             : follows_request(chosen, record.what)
                 ? std::make_shared<const plan>(
                       compose_followed(chosen, record.what, request, record.at))
                 : planner_.plan_for(chosen, record.what, record.body_bytes, record.at);
  out.id = journal_.next_id();
  out.key = record.what.key;
  out.model = record.what.model;
  out.counted = true;
  record.id = out.id;
  record.status = out.what->status;
  record.rule_index = chosen.rule_index;
  record.reply_index = chosen.reply_index;
  record.matched = chosen.answer != nullptr;
  record.target = std::move(request.target);
  record.headers = std::move(request.headers);
  record.body = std::move(request.body);
  journal_.begin(std::move(record), director_.current().record_requests);
  return out;
}

void simulator::finish(const job& done, outcome how) {
  if (done.counted) journal_.end(done.id, done.key, done.model, how);
}

void simulator::reset() {
  director_.reset();
  tokens_.reset();
  journal_.reset();
}

void simulator::use(script plan) {
  planner_.clear();
  director_.replace(std::make_shared<const script>(std::move(plan)));
}

plan simulator::control(const incoming& request, std::string_view path) {
  const bool get = request.method == "GET";
  const bool post = request.method == "POST";
  if (path == "/sim/health" && get) return reply_of(200, R"({"status":"ok"})");
  if (path == "/sim/requests" && get)
    return reply_of(200, journal_json(view(last_of(request.target))));
  if (path == "/sim/reset" && post) {
    reset();
    return reply_of(200, R"({"status":"ok"})");
  }
  if (path == "/sim/script" && post) {
    auto parsed = parse_script(request.body);
    if (!parsed) return refusal(400, parsed.error().detail);
    const auto rules = parsed->rules.size();
    use(std::move(*parsed));
    return reply_of(200, json_text(json{{"rules", rules}}));
  }
  return refusal(404, "GET /sim/health, GET /sim/requests, POST /sim/reset, POST /sim/script");
}

}  // namespace tidegate::sim
