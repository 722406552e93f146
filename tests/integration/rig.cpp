#include "tests/integration/rig.hpp"

#include <filesystem>
#include <stdexcept>

namespace tidegate::test {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), by);
    at += by.size();
  }
  return text;
}

std::string base_path(const std::string& provider) {
  if (provider == "codex") return "/backend-api/codex";
  return provider == "openai-compatibility" ? "/v1" : "";
}

std::string key_stem(const std::string& provider) {
  return provider == "openai-compatibility" ? "compat" : provider;
}

}  // namespace

std::string keys_of(const std::string& provider, const std::string& model, int count) {
  std::string yaml = "  " + provider + ":\n    - name: " + key_stem(provider) + "-group\n" +
                     "      base-url: ${sim}" + base_path(provider) + "\n" +
                     "      models: [{name: " + model + ", alias: " + model + "}]\n" +
                     "      keys:\n";
  for (int i = 1; i <= count; ++i) {
    yaml += "        - api-key: " + key_stem(provider) + "-" + std::to_string(i) + "\n";
  }
  return yaml;
}

std::string two_keys_each() {
  return keys_of("codex", "gpt-x", 2) + keys_of("claude", "claude-x", 2) +
         keys_of("openai-compatibility", "chat-x", 2) + keys_of("gemini", "gemini-x", 2);
}

rig::rig(rig_options options) : options_(std::move(options)) {
  auto script = sim::parse_script(options_.sim_script);
  if (!script) throw std::runtime_error("sim script: " + script.error().detail);
  upstream_ = std::make_unique<sim::local_server>(std::move(*script), *clock_);
  std::filesystem::create_directory(directory_ / "auth");
  for (const auto& [name, text] : options_.files) directory_.put("auth/" + name, filled(text));
  write_config(options_.mode);
  start();
}

rig::~rig() = default;

std::string rig::config_text(const std::string& mode, const std::string& extra) const {
  const auto keys = options_.keys.empty() ? two_keys_each() : options_.keys;
  return "config-version: 8\n"
         "server: {host: 127.0.0.1, port: 0, timeouts: {drain: 5s}}\n"
         "access: {api-keys: [client-key]}\n"
         "management: {secret-key: operator-key}\n"
         "oauth: {auth-dir: " + directory_ / "auth" +
         (options_.oauth.empty() ? "" : ", " + filled(options_.oauth)) + "}\n"
         "routing:\n"
         "  retry: " + options_.retry + "\n"
         "  cooldown: {quota-response-mode: " + mode +
         (options_.cooldown.empty() ? "" : ", " + options_.cooldown) + "}\n" +
         options_.extra + extra + "api-keys:\n" +
         filled(keys);
}

std::string rig::filled(const std::string& text) const {
  return replaced(text, "${sim}", (*upstream_)->url());
}

void rig::write_config(const std::string& mode, const std::string& extra) {
  directory_.put("config.yaml", config_text(mode, extra));
}

void rig::start() {
  app::runtime_options options;
  options.config_path = directory_ / "config.yaml";
  options.source = actors::file_config_source(options.config_path);
  options.first = options.source.read();
  options.clock = clock_;
  options.threads = 2;
  if (!options.first.snapshot) {
    std::string all;
    for (const auto& problem : options.first.problems) all += problem + "\n";
    throw std::runtime_error(all);
  }
  gateway_ = std::make_unique<app::runtime>(std::move(options));
  if (const auto started = gateway_->start(); !started) {
    throw std::runtime_error(started.error().detail);
  }
}

void rig::restart() {
  gateway_.reset();
  start();
}

raw_response rig::request(const std::string& method, const std::string& path,
                          const std::string& body, const std::string& extra_headers) {
  raw_client client{port()};
  std::string head = method + " " + path + " HTTP/1.1\r\nHost: gateway\r\n" + extra_headers;
  if (head.find("Authorization:") == std::string::npos) {
    head += "Authorization: Bearer client-key\r\n";
  }
  if (!body.empty() || method == "POST") {
    head += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
            "\r\n";
  }
  client.send(head + "\r\n" + body);
  return client.receive(method == "HEAD");
}

raw_response rig::post(const std::string& path, const std::string& body,
                       const std::string& extra_headers) {
  return request("POST", path, body, extra_headers);
}

raw_response rig::get(const std::string& path, const std::string& extra_headers) {
  return request("GET", path, {}, extra_headers);
}

std::uint64_t rig::calls(const std::string& key) {
  const auto seen = upstream().requests();
  return seen ? seen->count(key) : 0;
}

std::vector<std::string> rig::paths() {
  std::vector<std::string> all;
  const auto seen = upstream().requests();
  if (!seen) return all;
  for (const auto& one : seen->requests) all.push_back(one.what.path);
  return all;
}

std::string surface_case::body(bool stream) const {
  const std::string flag = stream ? "true" : "false";
  if (name == "responses") {
    return R"({"model":")" + model + R"(","input":"hello","stream":)" + flag + "}";
  }
  return R"({"model":")" + model +
         R"(","max_tokens":16,"messages":[{"role":"user","content":"hello"}],"stream":)" + flag +
         "}";
}

const std::vector<surface_case>& surfaces() {
  static const std::vector<surface_case> all{
      {"responses", "/v1/responses", "gpt-x", "codex",
       "{preset: usage-limit, resets-in: 2h, window-minutes: 300}"},
      {"chat", "/v1/chat/completions", "chat-x", "compat",
       "{preset: insufficient-quota, resets-in: 2h}"},
      {"messages", "/v1/messages", "claude-x", "claude",
       "{preset: claude-unified, resets-in: 2h, window-minutes: 300}"}};
  return all;
}

}  // namespace tidegate::test
