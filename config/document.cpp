#include "config/document.hpp"

#include "config/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace tidegate::config {
namespace {

constexpr std::string_view introduction = R"(# Configuration

Generated from the schema table; do not edit by hand. The tests fail when this file is out of date,
and `TG_UPDATE_GOLDEN=1` rewrites it.

- The file is YAML. A key that is absent has its default; a key that is present counts even when it
  is `false`, `0` or empty. The file is never rewritten.
- The older flat layout is read as well (column *older names*). When both spellings are present,
  the one in column *key* wins and the other is reported.
- A root list `api-keys` holds client keys, as it did in the older layout; a mapping of that name
  holds provider groups.
- Wrong types, unknown values and unsafe combinations are errors: nothing is applied, and a running
  gateway keeps its settings. Unknown, unsupported, obsolete and shadowed keys are warnings.
- `${NAME}` in a value is replaced by that environment variable, which must be set; `$${` is a
  literal `${`.
- A secret or a proxy URL written as `file:PATH` is read from that file, which must not be empty.
- Durations are numbers with units, such as `90s` or `1h30m`.
- *Applies* says whether a changed value counts at once (live) or after a restart.
- `tidegate check-config` lists every finding with line and column; `tidegate print-config` shows
  the effective settings in the layout of column *key*.
)";

constexpr std::string_view group_text = R"(
## Fields of a provider group

`api-keys.FAMILY` is a list of groups. A group holds common settings and its `keys`, a list of
mappings; each key becomes one credential. A field that a key leaves out is taken from its group; a
field that is present replaces it, even when it is `false`, `0` or empty. In the older lists
(`codex-api-key` and so on) each entry holds all fields itself; `openai-compatibility` names its
keys `api-key-entries`. A group of `openai-compatibility` without keys is one credential without a
key. An entry of `codex` or `openai-compatibility` needs a `base-url`, one of `vertex` an `api-key`;
the others need an `api-key` or a `base-url`. Entries that lack these are dropped with a warning.

| field | type | default | stands in | meaning |
|---|---|---|---|---|
)";

constexpr std::string_view group_notes = R"(
(1) In `openai-compatibility` on the group only.

An entry with `models` serves the names and aliases listed and no others. Without, it serves what
its provider is known to have:

| family | an empty `models` serves |
|---|---|
| `codex` | every name that begins with `gpt-`, `codex-`, or `o` and a digit |
| `claude` | every name that begins with `claude-` |
| `gemini` | every name that begins with `gemini-` or `gemma-` |
| `vertex` | every name that begins with `gemini-` or `imagen-` |
| `xai` | every name that begins with `grok-` |
| `kimi` | every name that begins with `kimi-` |
| `openai-compatibility` | nothing; such a group is reported with a warning |

The same `api-key` in two entries of one family and `base-url` makes two credentials that cool down
separately; a warning names both places.
)";

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string code(std::string_view text) {
  return fmt::format("`{}`", text);
}

std::string default_form(const node_ptr& n) {
  if (!n) return "not set";
  return n->is(node::kind::scalar) && n->view().empty() ? "empty" : code(to_flow(*n));
}

std::string older_names(const key_row& row) {
  std::string out;
  for (const auto& older : row.older) out += (out.empty() ? "" : ", ") + code(older.path);
  return out;
}

std::string_view section_of(std::string_view path) {
  return path.substr(0, path.find('.'));
}

std::string key_tables(const schema& table) {
  static const snapshot defaults;
  std::string out;
  std::vector<std::string_view> sections;
  for (const auto& row : table.keys) {
    const auto name = section_of(row.path);
    if (std::find(sections.begin(), sections.end(), name) == sections.end()) {
      sections.push_back(name);
    }
  }
  for (const auto section : sections) {
    out += fmt::format("\n## {}\n\n", section);
    out +=
        "| key | type | default | applies | meaning | older names |\n|---|---|---|---|---|---|\n";
    for (const auto& row : table.keys) {
      if (section_of(row.path) != section) continue;
      out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", code(row.path), cell(row.value.type),
                         cell(default_form(row.value.write(defaults, visibility::revealed))),
                         row.when == applies::live ? "live" : "restart", cell(row.text),
                         older_names(row));
    }
  }
  return out;
}

std::string_view place_form(const entry_row& row) {
  switch (row.where) {
    case level::group:
      return "group";
    case level::key:
      return "key";
    case level::both:
      return row.compat_key ? "group, key" : "group, key (1)";
  }
  return "";
}

std::string entry_fields(const schema& table) {
  static const provider::key_entry blank;
  std::string out{group_text};
  for (const auto& row : table.entry) {
    out += fmt::format("| {} | {} | {} | {} | {} |\n", code(row.name), cell(row.value.type),
                       cell(default_form(row.value.write(blank, visibility::revealed))),
                       place_form(row), cell(row.text));
  }
  return out + std::string{group_notes};
}

std::string listed(const schema& table, support why) {
  std::string out;
  for (const auto& row : table.retired) {
    if (row.why != why) continue;
    std::string line;
    for (const auto& path : row.paths) line += (line.empty() ? "" : ", ") + code(path);
    out += "- " + line + '\n';
  }
  return out;
}

}  // namespace

std::string document(const schema& table) {
  std::string fields;
  for (const auto& name : table.entry_ignored) fields += (fields.empty() ? "" : ", ") + code(name);
  return std::string{introduction} + key_tables(table) + entry_fields(table) +
         "\n## Known keys without effect\n\nThese keys of other versions are accepted with a "
         "warning, with everything below them:\n\n" +
         listed(table, support::unsupported) + "\nThe same holds for the provider fields " + fields +
         ".\n\nObsolete keys, to be removed from the file:\n\n" + listed(table, support::obsolete) +
         "\n`config-version` may be left out; when present it must be `8`.\n";
}

}  // namespace tidegate::config
