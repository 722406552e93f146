#include "app/credentials_command.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/account_files.hpp"
#include "app/cooldown_reset.hpp"
#include "app/credential_list.hpp"
#include "app/credential_renewal.hpp"
#include "app/operator_switches.hpp"
#include "base/time_text.hpp"
#include "config/diagnostic.hpp"
#include "config/suggest.hpp"
#include "persistence/store.hpp"
#include "provider/credential_rewrite.hpp"
#include "provider/login/import.hpp"

namespace tidegate::app {
namespace {

using nlohmann::json;
using provider::login::file_origin;

constexpr const char* credentials_footer =
    "Actions:\n"
    "  list           every file: provider, account, state, end of its token\n"
    "  show NAME      one file, secrets masked\n"
    "  import FILE    copies a credential: a file of Tidegate's own, Codex's auth.json, Claude's\n"
    "                 .credentials.json, or a Google service account key\n"
    "  disable NAME   takes it out of service; enable NAME puts it back\n"
    "  reset NAME     clears its cooldowns: through the management of the gateway that runs with\n"
    "                 this configuration (key: TIDEGATE_MANAGEMENT_KEY, or management.secret-key\n"
    "                 when it is no hash), else in its .cds file\n"
    "  remove NAME    deletes the file and what belongs to it\n"
    "  refresh NAME   asks the provider for new tokens now\n"
    "NAME is the file's path below oauth.auth-dir, as list shows it. A running gateway takes "
    "changes\n"
    "up by itself. Without --config and without ./config.yaml the defaults hold.\n"
    "Exit code: 0 done, 1 refused or failed (the message says what to do), 2 the command line is "
    "wrong.";

constexpr std::array<std::string_view, 8> actions{"list",   "show",  "import", "disable",
                                                  "enable", "reset", "remove", "refresh"};

std::string origin_text(const provider::login::imported_file& from) {
  switch (from.origin) {
    case file_origin::own:
      return "a credential file";
    case file_origin::codex_program:
      return "a login of Codex CLI. From now on let only one of the two use it: each renewal "
             "voids the other's token";
    case file_origin::claude_program:
      return "a login of Claude Code. Anthropic keeps such logins to its own tools: use it only "
             "where you may. Let only one of the two use it: each renewal voids the other's token";
    case file_origin::service_account:
      return "a Google service account key; it was copied, the original can be deleted";
  }
  return {};
}

/// A file that says nothing of whose it is takes no other's place.
result<stored_account> store_import(const config::snapshot& settings,
                                    const provider::login::imported_file& made, bool named) {
  const auto& root = settings.credentials.auth_dir;
  if (!persistence::is_credential_file_name(made.file.name)) {
    const auto rule =
        "a name ends in .json, has at most 200 printable ASCII characters, no slash, no dot at its "
        "beginning, and no blank at either end";
    if (named) return failed(errc::invalid_input, "--name " + made.file.name + ": " + rule);
    return failed(errc::invalid_input, "its name cannot be kept; give one with --name NAME.json");
  }
  const bool may_merge = made.origin != file_origin::own && (made.named_by_account || named);
  if (!may_merge && persistence::credential_store{root}.read(made.file.name)) {
    return failed(errc::invalid_input, "there is " + made.file.name +
                                           " already; give another name with --name, or remove it");
  }
  return store_account(root, made.file);
}

}  // namespace

credentials_command::credentials_command(CLI::App& cli)
    : command_(cli.add_subcommand("credentials", "look at and change the credential files")) {
  command_->add_option("ACTION", action_, "what to do, see below")->required();
  command_->add_option("NAME", what_, "the file that is meant");
  named_config_ = command_->add_option("-c,--config", config_, "configuration file (YAML)");
  named_config_->capture_default_str();
  named_file_ = command_->add_option("--name", name_, "import: the name of the new file (NAME.json)");
  command_->add_flag("--json", as_json_, "answer in JSON");
  command_->footer(credentials_footer);
}

std::string credentials_command::mistake() const {
  if (std::ranges::find(actions, action_) == actions.end()) {
    const std::vector<std::string_view> names(actions.begin(), actions.end());
    return "unknown action " + config::shown(action_) +
           config::did_you_mean(config::nearest(action_, names));
  }
  if (named_config_->count() > 0 && config_.empty()) {
    return "the name of the configuration file is empty";
  }
  if (action_ == "list" && !what_.empty()) return "unexpected argument " + config::shown(what_);
  if (action_ != "list" && what_.empty()) {
    return action_ + " needs " + (action_ == "import" ? "the FILE" : "the NAME of a file");
  }
  if (action_ != "import" && named_file_->count() > 0) return "--name is for import";
  if (named_file_->count() > 0 && name_.empty()) {
    return "--name is empty; give NAME.json, or leave it out";
  }
  return {};
}

int credentials_command::run() const {
  const auto settings = settings_of(config_, named_config_->count() > 0);
  if (!settings) return 1;
  const auto how = act(settings);
  if (how) return 0;
  auto why = printable(how.error().detail);
  if (how.error().code == errc::not_found && action_ != "import") {
    why += "; `tidegate credentials list` shows the names";
  }
  std::fprintf(stderr, "tidegate credentials %s: %s\n", action_.c_str(), why.c_str());
  return 1;
}

result<void> credentials_command::act(const config::snapshot_ptr& settings) const {
  if (action_ == "list") return print_files(*settings, as_json_);
  if (action_ == "show") return print_file(*settings, what_, as_json_);
  if (action_ == "import") return import(*settings);
  if (action_ == "disable") return change(*settings, true);
  if (action_ == "enable") return change(*settings, false);
  if (action_ == "reset") return reset(settings);
  if (action_ == "remove") return remove(*settings);
  return refresh(settings);
}

void credentials_command::say(const std::string& text, const char* done) const {
  if (as_json_) {
    const json out{{"status", "ok"}, {"action", action_}, {"name", what_}, {"result", done}};
    std::printf("%s\n", out.dump(2, ' ', false, json::error_handler_t::replace).c_str());
  } else {
    std::printf("%s\n", text.c_str());
  }
}

result<void> credentials_command::import(const config::snapshot& settings) const {
  const auto text = persistence::read_file(persistence::expand_home(what_),
                                           persistence::credential_file_bytes_max);
  if (!text) return std::unexpected{text.error()};
  const auto given = std::filesystem::path{what_}.filename().string();
  auto made = provider::login::import_account(*text, given, system_now());
  if (!made) return failed(made.error().code, what_ + ": " + made.error().detail);
  if (!name_.empty()) made->file.name = name_;
  const auto stored = store_import(settings, *made, !name_.empty());
  if (!stored) return std::unexpected{stored.error()};
  const auto label = made->file.label.empty() || made->file.label == made->file.name
                         ? std::string{}
                         : ", " + printable(made->file.label);
  say(std::string{provider::to_string(made->of)} + label + ": " + stored->path +
          (stored->existed ? " (its settings are kept)" : "") + "\nIt was " + origin_text(*made) +
          ".",
      made->file.name.c_str());
  return {};
}

result<void> credentials_command::change(const config::snapshot& settings, bool disabled) const {
  const auto& root = settings.credentials.auth_dir;
  {
    auto edit = edit_account(root, what_);
    if (!edit) return std::unexpected{edit.error()};
    auto text = provider::with_fields(edit->text(), json{{"disabled", disabled}});
    if (!text) return unusable_file(what_, text.error());
    if (auto written = edit->replace(std::move(*text)); !written) return written;
  }
  const auto* state = disabled ? "disabled" : "enabled";
  if (operator_switches{root}.disabled(what_).value_or(disabled) != disabled) {
    return failed(errc::invalid_input,
                  "the file says " + std::string{state} +
                      " now, but management has switched it the other way, which wins: use PATCH "
                      "auth-files/status (docs/management.md)");
  }
  say(printable(what_) + " is " + state, state);
  return {};
}

result<void> credentials_command::remove(const config::snapshot& settings) const {
  const auto& root = settings.credentials.auth_dir;
  const persistence::credential_store store{root};
  if (const auto there = store.read(what_); !there) {
    if (there.error().code == errc::not_found) return std::unexpected{there.error()};
  }
  if (auto gone = patiently(what_, [&] { return store.remove(what_); }); !gone) return gone;
  persistence::cooldown_store cooldowns{root};
  static_cast<void>(cooldowns.remove({what_}, what_));
  say(printable(what_) + " is deleted", "deleted");
  return {};
}

result<void> credentials_command::reset(const config::snapshot_ptr& settings) const {
  const persistence::credential_store store{settings->credentials.auth_dir};
  if (what_.ends_with(".json")) {
    if (const auto there = store.read(what_); !there) return std::unexpected{there.error()};
  }
  const auto how = reset_cooldowns(settings, what_, management_key(*settings));
  if (!how) return std::unexpected{how.error()};
  switch (*how) {
    case reset_way::by_gateway:
      say("the running gateway has cleared the cooldowns of " + printable(what_), "by gateway");
      break;
    case reset_way::in_file:
      say("no gateway is running; the stored cooldowns of " + printable(what_) + " are cleared",
          "in file");
      break;
  }
  return {};
}

result<void> credentials_command::refresh(const config::snapshot_ptr& settings) const {
  const auto how = renew_file(settings, what_);
  if (!how && how.error().code == errc::cancelled) {
    return failed(errc::cancelled, "the login is void (" + how.error().detail + "); log in again");
  }
  if (!how) return std::unexpected{how.error()};
  const auto end =
      how->expires_at
          ? ", good until " +
                format_rfc3339(std::chrono::floor<std::chrono::seconds>(*how->expires_at))
          : std::string{};
  const char* what = how->by_others ? "another program has renewed it"
                     : how->written ? "renewed"
                                    : "the key works; its tokens are kept in no file";
  say(printable(what_) + ": " + what + end, what);
  return {};
}

}  // namespace tidegate::app
