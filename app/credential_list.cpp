#include "app/credential_list.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/account_files.hpp"
#include "app/operator_switches.hpp"
#include "app/same_login.hpp"
#include "base/time_text.hpp"
#include "persistence/file_facts.hpp"
#include "persistence/store.hpp"
#include "provider/credential_document.hpp"
#include "provider/credential_mask.hpp"
#include "provider/token.hpp"

namespace tidegate::app {
namespace {

using nlohmann::ordered_json;

constexpr auto replace_bad_bytes = ordered_json::error_handler_t::replace;

std::string absolute(const config::snapshot& settings, const std::string& name) {
  return persistence::expand_home(settings.credentials.auth_dir) + "/" + name;
}

std::string end_of(const provider::credential& who) {
  if (who.signer) return "made as needed";
  if (!who.expires_at) return provider::renewable(who) ? "renewable" : "-";
  return format_rfc3339(std::chrono::floor<std::chrono::seconds>(*who.expires_at)) +
         (provider::renewable(who) ? "" : ", not renewable");
}

/// A credential with what management has decided about it.
struct standing {
  provider::credential who;
  bool by_management = false;  ///< `who.disabled` is a switch of management
};

result<standing> standing_of(result<provider::credential> who, const operator_switches& switches) {
  if (!who) return std::unexpected{who.error()};
  const auto disabled = switches.disabled(who->file);
  who->disabled = disabled.value_or(who->disabled);
  return standing{std::move(*who), disabled.has_value()};
}

ordered_json entry_of(const standing& now) {
  const auto& who = now.who;
  ordered_json out{{"name", who.file},
                   {"auth_index", who.auth_index},
                   {"provider", who.provider_name},
                   {"label", who.label},
                   {"disabled", who.disabled},
                   {"renewable", provider::renewable(who)},
                   {"priority", who.priority},
                   {"weight", who.weight}};
  if (now.by_management) out["switched_by_management"] = true;
  if (who.expires_at) out["expires_at"] = format_rfc3339(*who.expires_at);
  if (who.refreshed_at) out["last_refresh"] = format_rfc3339(*who.refreshed_at);
  if (!who.account_id.empty()) out["account_id"] = who.account_id;
  if (!who.plan_type.empty()) out["plan_type"] = who.plan_type;
  if (!who.project_id.empty()) out["project_id"] = who.project_id;
  if (!who.prefix.empty()) out["prefix"] = who.prefix;
  if (!who.note.empty()) out["note"] = who.note;
  return out;
}

struct table_row {
  std::string name, provider, label, state, token;
};

void print_row(const table_row& row, const table_row& widths) {
  const auto width = [](const std::string& of) { return static_cast<int>(of.size()); };
  std::printf("%-*s  %-*s  %-*s  %-*s  %s\n", width(widths.name), row.name.c_str(),
              width(widths.provider), row.provider.c_str(), width(widths.label), row.label.c_str(),
              width(widths.state), row.state.c_str(), row.token.c_str());
}

/// Each column as wide as its widest text.
table_row widths_of(const std::vector<table_row>& rows) {
  table_row out;
  for (const auto& row : rows) {
    for (const auto member :
         {&table_row::name, &table_row::provider, &table_row::label, &table_row::state}) {
      if ((row.*member).size() > (out.*member).size()) out.*member = row.*member;
    }
  }
  return out;
}

table_row row_of(const standing& now) {
  const auto& who = now.who;
  const std::string state = who.disabled ? "disabled" : "enabled";
  return {printable(who.file), who.provider_name, printable(who.label),
          now.by_management ? state + " by management" : state, end_of(who)};
}

/// The failure of the directory as a whole.
result<void> without_a_part(const persistence::credential_listing& listing,
                            const std::string& directory) {
  for (const auto& problem : listing.problems) {
    if (!problem.relative_path.empty()) continue;
    return failed(errc::io_failure,
                  directory + ": " + problem.reason +
                      "; set oauth.auth-dir to a directory of credential files that can be read");
  }
  return {};
}

void print_json(const ordered_json& value) {
  std::printf("%s\n", value.dump(2, ' ', false, replace_bad_bytes).c_str());
}

}  // namespace

result<provider::credential> record_of(const config::snapshot& settings, const std::string& name,
                                       std::string_view text) {
  return provider::from_file(name, absolute(settings, name), text, settings.credentials);
}

result<void> print_files(const config::snapshot& settings, bool as_json) {
  const auto directory = persistence::expand_home(settings.credentials.auth_dir);
  const auto listing = persistence::list_credential_files(directory);
  const auto incomplete = without_a_part(listing, directory);
  if (!incomplete && listing.files.empty()) return incomplete;
  const operator_switches switches{directory};
  auto files = ordered_json::array();
  std::vector<table_row> rows{{"NAME", "PROVIDER", "ACCOUNT", "STATE", "TOKEN ENDS"}};
  const auto unusable = [&](const std::string& name, const std::string& why) {
    files.push_back({{"name", name}, {"error", why}});
    rows.push_back({printable(name), "-", "-", "unusable", printable(why)});
  };
  std::vector<std::string> warnings;
  const auto folder = persistence::facts_of(directory);
  const auto open_to = folder ? persistence::exposure_of_directory(*folder) : std::string{};
  if (!open_to.empty()) warnings.push_back(open_to);
  const same_logins logins{settings, listing};
  for (const auto& file : listing.files) {
    const auto who = standing_of(record_of(settings, file.relative_path, file.text), switches);
    if (!who) {
      unusable(file.relative_path, who.error().detail);
      continue;
    }
    files.push_back(entry_of(*who));
    rows.push_back(row_of(*who));
    if (const auto other = logins.beside(file.relative_path); !other.empty()) {
      files.back()["same_login_as"] = other;
      warnings.push_back(printable(file.relative_path) + ": has the same login as " +
                         printable(other) + ", and one renewal voids the other: remove one");
    }
    const auto facts = persistence::facts_of(file.absolute_path);
    const auto exposed = facts ? persistence::exposure_of_file(*facts) : std::string{};
    if (exposed.empty()) continue;
    files.back()["warnings"] = {exposed};
    warnings.push_back(printable(file.relative_path) + ": " + exposed);
  }
  for (const auto& problem : listing.problems) {
    if (!problem.relative_path.empty()) unusable(problem.relative_path, problem.reason);
  }
  if (as_json) {
    ordered_json out{{"directory", directory}, {"files", std::move(files)}};
    if (!open_to.empty()) out["warnings"] = {open_to};
    print_json(out);
    return incomplete;
  }
  if (rows.size() == 1) {
    std::printf("no credential files in %s\n", directory.c_str());
    return incomplete;
  }
  const auto widths = widths_of(rows);
  for (const auto& row : rows) print_row(row, widths);
  for (const auto& warning : warnings) std::printf("warning: %s\n", warning.c_str());
  return incomplete;
}

result<void> print_file(const config::snapshot& settings, const std::string& name, bool as_json) {
  const auto text = persistence::credential_store{settings.credentials.auth_dir}.read(name);
  if (!text) return std::unexpected{text.error()};
  const auto who = standing_of(record_of(settings, name, *text),
                               operator_switches{settings.credentials.auth_dir});
  const auto masked = provider::masked_file(*text);
  if (!masked) return unusable_file(name, masked.error());
  if (as_json) {
    auto out = who ? entry_of(*who) : ordered_json{{"name", name}, {"error", who.error().detail}};
    out["file"] = provider::credential_json(*masked).value_or(ordered_json::object());
    print_json(out);
    return {};
  }
  if (who) {
    const auto row = row_of(*who);
    std::printf("%s: %s, %s, %s, token: %s\n", row.name.c_str(), row.provider.c_str(),
                row.label.c_str(), row.state.c_str(), row.token.c_str());
  } else {
    std::printf("%s: unusable: %s\n", printable(name).c_str(),
                printable(who.error().detail).c_str());
  }
  std::fputs(masked->c_str(), stdout);
  return {};
}

}  // namespace tidegate::app
