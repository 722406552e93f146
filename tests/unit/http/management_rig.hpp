#pragma once
/// Management over a control plane in memory: the credentials keep real block sets, and the
/// verdicts are the real ones; only time and configuration stand still until a test moves them.

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>

#include "http/management/management.hpp"
#include "http/management/state.hpp"
#include "provider/provider.hpp"
#include "quota/block_set.hpp"

namespace tidegate::test {

using namespace std::chrono_literals;
using json = nlohmann::json;

inline const instant t0 = from_unix(1'800'000'000);  // 2027-01-15T08:00:00Z

/// One credential of the plane: record, cooldowns and counters.
struct held_credential {
  provider::credential record;
  quota::block_set blocks;
  http::credential_view counters;
};

class refusing_exchange final : public http::exchange {
 public:
  http::awaitable<result<http::next_step>> begin() override { co_return failed_begin(); }
  http::awaitable<result<http::next_step>> failed(quota::outcome,
                                                  std::optional<quota::window_report>) override {
    co_return failed_begin();
  }
  void finish(quota::outcome, std::optional<quota::window_report>) override {}
  void cancel() override {}

 private:
  static result<http::next_step> failed_begin() {
    return tidegate::failed(errc::not_found, "no such name");
  }
};

/// Credential files in memory; what is no JSON object is refused as the real desk refuses it.
class memory_desk final : public http::credential_desk {
 public:
  std::map<std::string, std::string> files;
  std::map<std::string, json> patches;
  int removals = 0;  ///< calls, whatever each had to remove

  http::awaitable<result<secret_string>> read(std::string file) override {
    if (!files.contains(file)) co_return tidegate::failed(errc::not_found, "no such file");
    co_return secret_string{files.at(file)};
  }
  http::awaitable<result<void>> put(std::string file, secret_string text) override {
    if (!json::accept(text.reveal())) {
      co_return tidegate::failed(errc::invalid_input, "not a JSON object");
    }
    files[file] = text.reveal();
    co_return result<void>{};
  }
  http::awaitable<result<void>> change(std::string file, std::string patch) override {
    patches[file] = json::parse(patch);
    co_return result<void>{};
  }
  http::awaitable<std::vector<result<void>>> remove(std::vector<std::string> names) override {
    ++removals;
    for (const auto& name : names) files.erase(name);
    co_return std::vector<result<void>>(names.size());
  }
};

class memory_control final : public http::control {
 public:
  memory_desk files;
  std::string renewal_trouble;  ///< empty = every renewal succeeds
  std::string trouble_state = "failed";  ///< what a credential is in afterwards
  std::optional<std::string> vanishing;  ///< an id whose file is gone when its turn comes
  std::optional<std::string> left;       ///< an id whose file goes away during its renewal

  http::credential_desk& desk() override { return files; }
  http::awaitable<result<http::credential_view>> renew(credential_id who) override {
    auto* one = who.value == vanishing.value_or("") ? nullptr : find(who);
    if (one == nullptr) co_return tidegate::failed(errc::not_found, "no such name");
    auto& token = one->counters.token;
    if (who.value == left.value_or("")) {
      token.state = "running";
      co_return view_of(*one);
    }
    token.reason = renewal_trouble;
    token.state = renewal_trouble.empty() ? "waiting" : trouble_state;
    ++(renewal_trouble.empty() ? token.successes : token.failures);
    co_return view_of(*one);
  }
  config::snapshot settings;
  std::vector<held_credential> held;
  instant clock = t0;
  http::reload_view next_reload;
  int reloads = 0;
  std::string actors_json = R"({"actor":"process","children":[]})";
  std::optional<error> broken;  ///< what every question is answered with while set

  std::unique_ptr<http::exchange> open(http::call_profile) override {
    return std::make_unique<refusing_exchange>();
  }
  config::snapshot_ptr config() const override {
    return std::make_shared<const config::snapshot>(settings);
  }
  std::shared_ptr<const provider::catalog> catalog() const override {
    std::vector<provider::credential_ptr> all;
    for (const auto& one : held) {
      all.push_back(std::make_shared<const provider::credential>(one.record));
    }
    return std::make_shared<const provider::catalog>(std::move(all), settings.routing);
  }
  instant now() const override { return clock; }
  double random() override { return 0.5; }

  http::awaitable<result<std::vector<http::credential_view>>> credentials() override {
    if (broken) co_return std::unexpected{*broken};
    std::vector<http::credential_view> out;
    for (const auto& one : held) out.push_back(view_of(one));
    co_return out;
  }

  http::awaitable<result<http::credential_view>> reset(credential_id who,
                                                       std::string model) override {
    auto* one = find(who);
    if (one == nullptr) co_return tidegate::failed(errc::not_found, "no such credential");
    if (model.empty()) {
      one->blocks.clear();
    } else {
      one->blocks.clear(quota::canonical_model(model));
    }
    co_return view_of(*one);
  }

  http::awaitable<result<http::explanation>> explain(std::string model,
                                                     protocol::surface surface) override {
    const auto route = catalog()->find(model);
    if (!route) co_return tidegate::failed(errc::not_found, "no such name");
    http::explanation out;
    for (const auto& member : route->members) {
      const auto& who = *member.credential;
      if (!provider::can_serve(provider::descriptor_of(who.provider), surface)) {
        out.other_surface.push_back(who.id);
        continue;
      }
      out.candidates.push_back(account_of(*find(who.id), member.upstream_models));
    }
    quota::final_error untried;
    untried.counting = !protocol::may_be_usage_limit(surface);
    out.verdict = quota::decide(out.candidates, untried, settings.routing.cooldown.mode, clock);
    co_return out;
  }

  http::awaitable<result<std::string>> tree() override {
    if (broken) co_return std::unexpected{*broken};
    co_return actors_json;
  }
  http::awaitable<result<http::reload_view>> reload() override {
    if (broken) co_return std::unexpected{*broken};
    ++reloads;
    co_return next_reload;
  }
  http::awaitable<result<http::reload_view>> last_reload() override {
    if (broken) co_return std::unexpected{*broken};
    co_return next_reload;
  }
  http::awaitable<result<http::credential_view>> set_disabled(credential_id who,
                                                              bool disabled) override {
    auto* one = find(who);
    if (one == nullptr) co_return tidegate::failed(errc::not_found, "no such credential");
    one->record.disabled = disabled;
    co_return view_of(*one);
  }

  held_credential* find(const credential_id& id) {
    const auto found =
        std::ranges::find_if(held, [&](const auto& one) { return one.record.id == id; });
    return found == held.end() ? nullptr : &*found;
  }

 private:
  http::credential_view view_of(const held_credential& one) const {
    auto view = one.counters;
    view.record = std::make_shared<const provider::credential>(one.record);
    view.blocks = one.blocks.active(clock);
    return view;
  }

  quota::candidate account_of(const held_credential& one,
                              const std::vector<std::string>& backends) const {
    quota::candidate out;
    out.id = one.record.id;
    out.provider = one.record.provider_name;
    out.status_disabled = one.record.status_disabled;
    out.selectable = one.record.weight > 0 ||
                     settings.routing.selection != quota::strategy::weighted_round_robin;
    for (const auto& name : backends) {
      out.backends.push_back(one.blocks.state(quota::canonical_model(name), clock));
    }
    out.last_error = one.counters.last_error;
    if (one.counters.last_error_at) out.last_error_at = *one.counters.last_error_at;
    return out;
  }
};

/// A Codex key that serves exactly these models.
inline held_credential codex_credential(std::string id, std::vector<std::string> models) {
  held_credential out;
  out.record.id = {id};
  out.record.auth_index = provider::auth_index_of(id);
  out.record.provider = provider::kind::codex;
  out.record.provider_name = "codex";
  out.record.label = "entry of " + id;
  out.record.source = "config:codex[0]";
  out.record.secret = secret_string{"sk-example-1234567890-abcdef"};
  out.record.base_url = "https://codex.example/v1";
  for (auto& name : models) out.record.models.push_back({name, name, false});
  return out;
}

/// A 429 that asks to wait; with a window it also proves the quota used up.
inline quota::outcome limited(duration wait, std::optional<std::chrono::minutes> window = {}) {
  quota::outcome out;
  out.kind = quota::outcome_class::quota;
  out.status = 429;
  out.cause = "usage_limit_reached: the limit is reached";
  out.deadline = t0 + wait;
  out.exhausted = window.has_value();
  if (window) out.quota_reset = out.deadline;
  out.window = window;
  out.started_at = t0 - 2s;
  out.observed_at = t0;
  return out;
}

class management_rig {
 public:
  static constexpr const char* key = "operator-key-example";

  explicit management_rig(http::key_verifier verify = nullptr) {
    plane.settings.management.secret_key = secret_string{key};
    with.management = verify ? http::make_management_state(io.get_executor(), std::move(verify))
                             : http::make_management_state(io.get_executor());
  }

  /// A call from this machine with the right key.
  http::request call(std::string method, std::string query = {}, std::string body = {}) const {
    http::request in;
    in.method = std::move(method);
    in.query = std::move(query);
    in.body = std::move(body);
    in.peer = "127.0.0.1";
    in.peer_is_loopback = true;
    in.headers.insert("X-Management-Key", key);
    in.config = plane.config();
    return in;
  }

  /// One call under way; `in` and `tail` live as long as it does.
  struct pending {
    http::request in;
    std::string tail;
    std::optional<protocol::reply> reply;
  };
  std::shared_ptr<pending> start(http::request in, std::string tail) {
    auto one = std::make_shared<pending>();
    one->in = std::move(in);
    one->tail = std::move(tail);
    one->in.route.tail = one->tail;
    http::asio::co_spawn(
        io, answer(one->in),
        [one](std::exception_ptr, protocol::reply reply) { one->reply = std::move(reply); });
    return one;
  }
  void finish(const std::shared_ptr<pending>& one) {
    io.restart();
    while (!one->reply && io.run_one() > 0) {
    }
  }
  protocol::reply send(http::request in, std::string tail) {
    const auto one = start(std::move(in), std::move(tail));
    finish(one);
    return one->reply.value_or(protocol::reply{});
  }

  protocol::reply get(std::string tail, std::string query = {}) {
    return send(call("GET", std::move(query)), std::move(tail));
  }

  http::asio::io_context io;
  memory_control plane;
  http::client upstream{io};
  http::services with{plane, upstream};

 private:
  /// What the server does with a call, less its body.
  http::awaitable<protocol::reply> answer(http::request& in) {
    auto said = http::admit_management(with, in);
    if (!said.refusal && said.question.valid()) said.refusal = co_await std::move(said.question);
    if (said.refusal) co_return std::move(*said.refusal);
    co_return co_await http::serve_management(with, in);
  }
};

inline std::string header_of(const protocol::reply& reply, std::string_view name) {
  std::string out;
  for (const auto& [own, value] : reply.headers) {
    if (own == name) out += out.empty() ? value : "|" + value;
  }
  return out;
}

inline json body_of(const protocol::reply& reply) {
  return json::parse(reply.body, nullptr, false);
}

}  // namespace tidegate::test
