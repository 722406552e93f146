#include "config/diff.hpp"

#include "config/groups.hpp"
#include "config/print.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidegate::config {
namespace {

bool is_empty(const node_ptr& n) {
  return !n || (n->view().empty() && n->items.empty() && n->members.empty());
}

std::size_t entries(const node_ptr& n) {
  return n ? n->items.size() + n->members.size() : 0;
}

/// Elements below the first level: `oauth.*` maps hold lists.
std::size_t leaves(const node_ptr& n) {
  if (!n || !n->is(node::kind::mapping)) return entries(n);
  std::size_t sum = 0;
  for (const auto& m : n->members) sum += entries(m.value);
  return sum;
}

std::string plain_form(const node_ptr& n) {
  if (!n) return "inherit";
  return is_empty(n) ? "<none>" : std::string{n->view()};
}

std::string secret_form(const node_ptr& before, const node_ptr& after) {
  if (is_empty(before)) return "created";
  return is_empty(after) ? "deleted" : "updated";
}

std::string url_form(const node_ptr& before, const node_ptr& after) {
  const auto cut = [](const node_ptr& n) { return is_empty(n) ? "<none>" : origin(n->view()); };
  const auto from = cut(before);
  const auto to = cut(after);
  return from == to ? fmt::format("{} (updated)", to) : fmt::format("{} -> {}", from, to);
}

std::string change(disclosure shown, const node_ptr& before, const node_ptr& after) {
  switch (shown) {
    case disclosure::plain:
      return fmt::format("{} -> {}", plain_form(before), plain_form(after));
    case disclosure::url:
      return url_form(before, after);
    case disclosure::secret:
      return secret_form(before, after);
    case disclosure::secrets:
      if (entries(before) == entries(after)) return "values updated (count unchanged, redacted)";
      return fmt::format("{} -> {} keys", entries(before), entries(after));
    case disclosure::entries:
      return fmt::format("updated ({} -> {} entries)", leaves(before), leaves(after));
  }
  return "updated";
}

template <class T>
std::string changed(const codec<T>& value, const T& before, const T& after) {
  const auto from = value.write(before, visibility::revealed);
  const auto to = value.write(after, visibility::revealed);
  return same(from, to) ? std::string{} : change(value.shown, from, to);
}

void family_lines(const schema& table, provider::kind family, const snapshot& before,
                  const snapshot& after, std::vector<std::string>& lines) {
  const auto from = entries_of(before, family);
  const auto to = entries_of(after, family);
  const auto name = provider::to_string(family);
  if (from.size() != to.size()) {
    lines.push_back(fmt::format("{}: {} -> {} entries", name, from.size(), to.size()));
  }
  for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
    for (const auto& row : table.entry) {
      const auto text = changed(row.value, *from[i], *to[i]);
      if (!text.empty()) lines.push_back(fmt::format("{}[{}].{}: {}", name, i, row.name, text));
    }
  }
}

}  // namespace

std::string change_summary::restart_line() const {
  return restart_keys.empty()
             ? ""
             : fmt::format("restart required for: {}", fmt::join(restart_keys, ", "));
}

change_summary summarize_changes(const schema& table, const snapshot& before,
                                 const snapshot& after) {
  change_summary out;
  for (const auto& row : table.keys) {
    if (row.family) {
      family_lines(table, *row.family, before, after, out.lines);
      continue;
    }
    const auto text = changed(row.value, before, after);
    if (text.empty()) continue;
    out.lines.push_back(fmt::format("{}: {}", row.path, text));
    if (row.when == applies::restart) out.restart_keys.push_back(row.path);
  }
  return out;
}

change_summary summarize_changes(const snapshot& before, const snapshot& after) {
  return summarize_changes(gateway_schema(), before, after);
}

bool same_settings(const snapshot& a, const snapshot& b) {
  return std::ranges::all_of(gateway_schema().keys, [&](const key_row& row) {
    return same(row.value.write(a, visibility::revealed), row.value.write(b, visibility::revealed));
  });
}

}  // namespace tidegate::config
