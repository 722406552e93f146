#include "config/resolve.hpp"

#include "config/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tidegate::config {
namespace {

/// A root list `api-keys` holds client keys, a mapping of that name provider groups.
constexpr std::string_view shared_root = "api-keys";

const member* find_spelling(const node& root, std::string_view path) {
  const member* m = find_path(root, path);
  if (m != nullptr && path == shared_root && m->value->is(node::kind::mapping)) return nullptr;
  return m;
}

bool is_collection(disclosure d) {
  return d == disclosure::entries || d == disclosure::secrets;
}

/// All names of the table, by what they are.
struct names {
  std::vector<std::string> v8;
  std::set<std::string, std::less<>> rows;  ///< v8 and older spellings
  std::map<std::string, support, std::less<>> retired;
  std::set<std::string, std::less<>> sections;  ///< proper prefixes of all of them

  explicit names(const schema& table) {
    for (const auto& row : table.keys) {
      add(row.path);
      v8.push_back(row.path);
      for (const auto& older : row.older) add(older.path);
    }
    for (const auto& row : table.retired) {
      for (const auto& path : row.paths) {
        retired.emplace(path, row.why);
        add_sections(path);
      }
    }
  }

  void add(const std::string& path) {
    rows.insert(path);
    add_sections(path);
  }

  void add_sections(std::string_view path) {
    for (auto dot = path.rfind('.'); dot != std::string_view::npos; dot = path.rfind('.')) {
      path = path.substr(0, dot);
      sections.emplace(path);
    }
  }
};

std::string_view parent_of(std::string_view path) {
  const auto dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

std::string_view last_of(std::string_view path) {
  const auto dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

/// A neighbour with a similar name, the same name in another section, or a similar whole path.
std::optional<std::string> suggestion(const names& all, std::string_view path) {
  std::vector<std::string_view> neighbours;
  std::vector<std::string_view> everything;
  for (const auto* group : {&all.rows, &all.sections}) {
    for (const auto& name : *group) {
      everything.push_back(name);
      if (parent_of(name) == parent_of(path)) neighbours.push_back(last_of(name));
    }
  }
  if (const auto name = nearest(last_of(path), neighbours)) {
    return parent_of(path).empty() ? *name : fmt::format("{}.{}", parent_of(path), *name);
  }
  for (const auto& name : all.v8) {
    if (last_of(name) == last_of(path)) return name;
  }
  return nearest(path, everything);
}

void report_retired(const std::string& path, position at, support why, report& out) {
  switch (why) {
    case support::unsupported:
      out.warning(path, at, "not supported by this version; ignored");
      return;
    case support::obsolete:
      out.warning(path, at, "obsolete and without effect; remove it");
      return;
    case support::accepted:
      return;
  }
}

void walk(const names& all, const node& n, const std::string& prefix, report& out) {
  for (const auto& m : n.members) {
    const auto path = prefix.empty() ? m.key : prefix + "." + m.key;
    const bool dotted = m.key.find('.') != std::string::npos;
    if (!dotted && all.sections.contains(path) && m.value->is(node::kind::mapping)) {
      walk(all, *m.value, path, out);
    } else if (!dotted && all.rows.contains(path)) {
      continue;
    } else if (!dotted && all.sections.contains(path)) {
      if (m.value->is(node::kind::null)) continue;
      out.error(path, m.value->at, fmt::format("expected a mapping, found {}", describe(*m.value)));
    } else if (const auto it = all.retired.find(path); !dotted && it != all.retired.end()) {
      report_retired(path, m.at, it->second, out);
    } else {
      const auto hint = out.full() ? std::nullopt : suggestion(all, path);
      out.warning(path, m.at, "unknown key; ignored" + did_you_mean(hint));
    }
  }
}

}  // namespace

origins read_rows(const schema& table, const node& root, const environment& env, report& out,
                  snapshot& s) {
  origins where;
  for (const auto& row : table.keys) {
    const auto take = [&](const std::string& path, const auto& read) {
      const member* m = find_spelling(root, path);
      if (m == nullptr) return;
      if (const auto it = where.find(row.path); it != where.end()) {
        out.warning(
            path, m->at,
            fmt::format("ignored, because {} is set at line {}", row.path, it->second.line));
        return;
      }
      where.emplace(row.path, m->at);
      if (m->value->is(node::kind::null) && !is_collection(row.value.shown)) {
        out.warning(path, m->at, "has no value; the default is used");
        return;
      }
      read(*m->value, read_scope{out, env, path}, s);
    };
    take(row.path, row.value.read);
    for (const auto& older : row.older) {
      take(older.path, older.read ? older.read : row.value.read);
    }
  }
  return where;
}

setting_place find_setting(const schema& table, const node& root, std::string_view path) {
  const auto row = std::ranges::find(table.keys, path, &key_row::path);
  const setting_place nowhere{std::string{path}, {}};
  if (row == table.keys.end()) return nowhere;
  if (const member* m = find_spelling(root, row->path)) return {row->path, m->value->at};
  for (const auto& older : row->older) {
    if (const member* m = find_spelling(root, older.path)) return {older.path, m->value->at};
  }
  return nowhere;
}

void check_names(const schema& table, const node& root, report& out) {
  walk(names{table}, root, "", out);
}

}  // namespace tidegate::config
