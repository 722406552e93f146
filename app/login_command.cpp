#include "app/login_command.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <vector>

#include "app/account_files.hpp"
#include "config/diagnostic.hpp"
#include "config/suggest.hpp"
#include "persistence/store.hpp"
#include "provider/login/code_login.hpp"
#include "provider/login/device.hpp"
#include "provider/login/import.hpp"

namespace tidegate::app {
namespace {

constexpr const char* login_footer =
    "Providers:\n"
    "  codex   in a browser on this machine, or with --device on another one\n"
    "  kimi    on another device: the address and a code are printed\n"
    "  xai     the same\n"
    "  vertex  FILE is a Google service account key (JSON)\n"
    "claude and antigravity: their vendors keep account logins to their own tools. Use an API "
    "key,\n"
    "or `tidegate credentials import FILE` for a login that you may use here.\n"
    "The account becomes a file of oauth.auth-dir (mode 0600); a file of the same account keeps "
    "its\n"
    "settings. Without --config and without ./config.yaml the defaults hold.\n"
    "Exit code: 0 done, 1 refused or failed (the message says what to do), 2 the command line is\n"
    "wrong, 3 nobody finished the login in time (browser 5 minutes, device 15, xai 30).";

constexpr std::array<std::string_view, 9> known{
    "codex",       "kimi",   "xai",       "vertex", "claude",
    "antigravity", "gemini", "anthropic", "openai-compatibility"};

constexpr const char* key_advice =
    ". FILE is a service account key as Google Cloud makes it (IAM, Service accounts, Keys: JSON): "
    "an object with \"type\": \"service_account\", project_id, client_email and private_key";

/// Why there is no login for it here; empty when there is one.
std::string no_login(std::string_view provider) {
  if (provider == "claude" || provider == "anthropic") {
    return "Anthropic keeps logins of Claude accounts to its own tools. Use an API key\n"
           "(api-keys.claude in the configuration), or, where you may use your login here, copy it "
           "with:\n  tidegate credentials import FILE";
  }
  if (provider == "antigravity") {
    return "Google keeps logins of Antigravity accounts to its own tools. Use an API key\n"
           "(api-keys.gemini in the configuration), or, where you may use your login here, copy it "
           "with:\n  tidegate credentials import FILE";
  }
  if (provider == "gemini" || provider == "openai-compatibility") {
    return "it is used with API keys: api-keys." + std::string{provider} + " in the configuration";
  }
  return {};
}

}  // namespace

login_command::login_command(CLI::App& cli)
    : command_(cli.add_subcommand("login", "add an account to the credential directory")) {
  command_->add_option("PROVIDER", provider_, "codex, kimi, xai or vertex")->required();
  command_->add_option("FILE", file_, "vertex: the service account key");
  named_config_ = command_->add_option("-c,--config", config_, "configuration file (YAML)");
  named_config_->capture_default_str();
  command_->add_flag("--device", order_.device, "codex: log in on another device");
  command_->add_flag("--no-browser", order_.no_browser, "only print the address of the page");
  named_port_ = command_->add_option(
      "--callback-port", order_.callback_port,
      "codex: where to wait for the browser (the page sends it to\n"
      "localhost:1455, so another port needs a forward from there); 0 = a free one");
  named_port_->capture_default_str();
  command_->add_option("--location", location_, "vertex: where its calls go (us-central1)");
  command_->add_option("--prefix", prefix_, "vertex: prefix of its models");
  command_->footer(login_footer);
}

std::string login_command::mistake() const {
  if (std::ranges::find(known, provider_) == known.end()) {
    const std::vector<std::string_view> names(known.begin(), known.end());
    return "unknown provider " + config::shown(provider_) +
           config::did_you_mean(config::nearest(provider_, names));
  }
  if (named_config_->count() > 0 && config_.empty()) {
    return "the name of the configuration file is empty";
  }
  const bool vertex = provider_ == "vertex";
  if (vertex && file_.empty()) return "vertex needs the FILE of a service account key";
  if (!vertex && !file_.empty()) return "unexpected argument " + config::shown(file_);
  const bool placed = !location_.empty() || !prefix_.empty();
  if (!vertex && placed) return "--location and --prefix are for vertex";
  if (provider_ != "codex" && named_port_->count() > 0) return "--callback-port is for codex";
  return {};
}

int login_command::run() const {
  if (const auto why = no_login(provider_); !why.empty()) {
    std::fprintf(stderr, "tidegate login %s: %s\n", provider_.c_str(), why.c_str());
    return login_failed;
  }
  if (provider_ == "vertex") return import_key();
  const auto settings = settings_of(config_, named_config_->count() > 0);
  if (!settings) return login_failed;
  auto order = order_;
  order.of = *provider::kind_from_string(provider_);
  return run_login(settings, order);
}

int login_command::import_key() const {
  const auto settings = settings_of(config_, named_config_->count() > 0);
  if (!settings) return login_failed;
  const auto fail = [](const error& why) {
    std::fprintf(stderr, "tidegate login vertex: %s\n", printable(why.detail).c_str());
    return login_failed;
  };
  const auto text = persistence::read_file(persistence::expand_home(file_),
                                           persistence::credential_file_bytes_max);
  if (!text) return fail(text.error());
  const auto made = provider::login::vertex_file(*text, {location_, prefix_});
  if (!made) return fail({made.error().code, file_ + ": " + made.error().detail + key_advice});
  const auto stored = store_account(settings->credentials.auth_dir, *made);
  if (!stored) return fail(stored.error());
  std::printf("%s: %s%s\nThe key itself was copied; %s can be deleted.\n",
              printable(made->label).c_str(), stored->path.c_str(),
              stored->existed ? " (its settings are kept)" : "", file_.c_str());
  return login_done;
}

}  // namespace tidegate::app
