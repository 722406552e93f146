#include "config/groups.hpp"

#include "config/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

namespace tidegate::config {
namespace {

using provider::key_entry;
using provider::kind;

/// Which part of the configuration a mapping is.
enum class mapping_part : std::uint8_t { group, key, compat_key, flat_entry };

/// What to read, with the tables it is read by.
struct family_reader {
  kind family;
  bool flat;  ///< the older layout
  std::vector<entry_row> rows = entry_table();
  std::vector<std::string> ignored = entry_ignored_table();

  std::string_view keys_name() const {
    if (!flat) return "keys";
    return family == kind::openai_compatibility ? "api-key-entries" : "";
  }
};

bool allowed(const entry_row& row, mapping_part where) {
  switch (where) {
    case mapping_part::group:
      return row.where != level::key;
    case mapping_part::key:
      return row.where != level::group;
    case mapping_part::compat_key:
      return row.compat_key;
    case mapping_part::flat_entry:
      return true;
  }
  return false;
}

std::string misplaced(const entry_row& row, mapping_part where) {
  if (where == mapping_part::group) return "belongs to the keys of the group, not to the group";
  return fmt::format("{} belongs to the group, not to a key", row.name);
}

void unknown_field(const family_reader& reader, const member& m, const read_scope& scope,
                   mapping_part where) {
  std::vector<std::string_view> names{reader.keys_name()};
  for (const auto& row : reader.rows) {
    if (allowed(row, where)) names.push_back(row.name);
  }
  const auto text = "unknown field" + did_you_mean(nearest(m.key, names));
  const auto key = scope.at(m.key).key;
  if (std::ranges::find(reader.ignored, m.key) != reader.ignored.end()) {
    scope.out.warning(key, m.at, "not supported by this version; ignored");
  } else if (reader.flat) {
    scope.out.warning(key, m.at, text + "; ignored");
  } else {
    scope.out.error(key, m.at, text);
  }
}

void read_fields(const family_reader& reader, const node& n, const read_scope& scope, mapping_part where,
                 key_entry& entry) {
  for (const auto& m : n.members) {
    if (where != mapping_part::key && where != mapping_part::compat_key && m.key == reader.keys_name()) continue;
    const auto it = std::ranges::find(reader.rows, m.key, &entry_row::name);
    if (it == reader.rows.end()) {
      unknown_field(reader, m, scope, where);
    } else if (!allowed(*it, where)) {
      scope.out.error(scope.at(m.key).key, m.at, misplaced(*it, where));
    } else if (!m.value->is(node::kind::null)) {
      it->value.read(*m.value, scope.at(m.key), entry);
    }
  }
}

/// The mandatory parts of an entry; false drops it.
bool usable(const key_entry& entry, const node& n, const read_scope& scope) {
  if (entry.base_url.empty() &&
      (entry.provider == kind::codex || entry.provider == kind::openai_compatibility)) {
    scope.warning(n, "an entry without base-url is dropped");
    return false;
  }
  if (entry.base_url.empty() && entry.api_key.empty()) {
    scope.warning(n, "an entry with neither api-key nor base-url is dropped");
    return false;
  }
  if (entry.provider == kind::vertex && entry.api_key.empty()) {
    scope.warning(n, "an entry without api-key is dropped");
    return false;
  }
  return true;
}

/// Whether one request can reach both: a name in both lists, or a list that is empty and so stands
/// for a whole family.
bool share_a_model(const key_entry& a, const key_entry& b) {
  if (a.models.empty() || b.models.empty()) return true;
  const auto equal = [](const std::string& x, const std::string& y) { return lower(x) == lower(y); };
  return std::ranges::any_of(a.models, [&](const auto& m) {
    return std::ranges::any_of(b.models, [&](const auto& o) {
      return equal(m.alias, o.alias) || equal(m.alias, o.name) || equal(m.name, o.alias) ||
             equal(m.name, o.name);
    });
  });
}

/// The entries of one family while they are read.
class collection {
 public:
  explicit collection(std::vector<key_entry>& entries) : entries_(entries) {}

  void keep(key_entry entry, const node& n, const read_scope& scope) {
    if (!usable(entry, n, scope)) return;
    if (entry.excluded_models == std::vector<std::string>{"*"}) entry.disabled = true;
    if (repeats(entry, n, scope)) return;
    const member* m = n.find("api-key");
    if (m != nullptr && !m->value->is(node::kind::mapping) &&
        !m->value->is(node::kind::sequence) && trimmed(m->value->view()).empty()) {
      scope.at("api-key").warning(*m->value,
                                  "is empty: requests carry no key; leave it out if that is meant");
    }
    kept_[std::hash<std::string_view>{}(entry.api_key.reveal())].push_back(
        {entries_.size(), scope.key, n.at.line});
    entries_.push_back(std::move(entry));
  }

 private:
  struct place {
    std::size_t index;  ///< in the list of entries
    std::string key;
    int line;
  };

  /// Reports a key that stands in an earlier entry too; true drops it.
  bool repeats(const key_entry& entry, const node& n, const read_scope& scope) {
    const auto same_key = kept_.find(std::hash<std::string_view>{}(entry.api_key.reveal()));
    if (same_key == kept_.end()) return false;
    for (const auto& [index, key, line] : same_key->second) {
      const auto& e = entries_[index];
      if (e.api_key != entry.api_key || e.base_url != entry.base_url) continue;
      const bool equal = e.proxy_url == entry.proxy_url && e.prefix == entry.prefix &&
                         e.headers == entry.headers;
      if (equal && e.provider == kind::gemini) {
        scope.warning(n, fmt::format("equal to {} at line {}; dropped", key, line));
        return true;
      }
      if (entry.api_key.empty() || e.disabled || entry.disabled) continue;
      if (!share_a_model(e, entry)) continue;
      scope.warning(n, fmt::format("has the same api-key as {} at line {}; each cools down on its "
                                   "own, so that a used-up key is tried once for each",
                                   key, line));
      return false;
    }
    return false;
  }

  std::vector<key_entry>& entries_;
  std::unordered_map<std::size_t, std::vector<place>> kept_;  ///< by hash of the key
};

/// Nothing is known about the models of a compatible provider but what its group lists.
void check_routable(const key_entry& group, const node& n, const read_scope& scope) {
  if (!group.models.empty() || group.disabled || group.base_url.empty()) return;
  const member* m = n.find("models");
  scope.at("models").warning(m != nullptr ? *m->value : n,
                             "lists no model, so that nothing can be routed to this provider; name "
                             "what it serves: [{name: MODEL}]");
}

/// The keys of a group; each starts as a copy of it.
void read_keys(const family_reader& reader, const member& keys, const read_scope& scope,
               const key_entry& group, collection& entries) {
  if (!keys.value->is(node::kind::sequence)) {
    scope.mismatch(*keys.value, "a list of keys");
    return;
  }
  const bool compat = reader.family == kind::openai_compatibility;
  for (std::size_t i = 0; i < keys.value->items.size(); ++i) {
    const auto& n = *keys.value->items[i];
    const auto inner = scope.at(i);
    if (!n.is(node::kind::mapping)) {
      inner.mismatch(n, "a mapping with api-key");
      continue;
    }
    auto entry = group;
    read_fields(reader, n, inner, compat ? mapping_part::compat_key : mapping_part::key, entry);
    entries.keep(std::move(entry), n, inner);
  }
}

void read_group(const family_reader& reader, const node& n, std::size_t index,
                const read_scope& scope, collection& entries) {
  if (!n.is(node::kind::mapping)) {
    scope.mismatch(n, "a mapping");
    return;
  }
  const bool compat = reader.family == kind::openai_compatibility;
  key_entry entry;
  entry.provider = reader.family;
  read_fields(reader, n, scope, reader.flat && !compat ? mapping_part::flat_entry : mapping_part::group, entry);
  if (entry.name.empty()) {
    entry.name = fmt::format("{}-{}", provider::to_string(reader.family), index + 1);
  }
  if (compat) check_routable(entry, n, scope);
  const member* keys = n.find(reader.keys_name());
  const bool empty = keys == nullptr || keys->value->is(node::kind::null) ||
                     (keys->value->is(node::kind::sequence) && keys->value->items.empty());
  if (!empty) {
    read_keys(reader, *keys, scope.at(reader.keys_name()), entry, entries);
  } else if (reader.flat || compat) {
    entries.keep(std::move(entry), n, scope);
  } else {
    scope.warning(n, "a group without keys has no effect");
  }
}

auto read_family(kind family, bool flat) {
  return [reader = family_reader{.family = family, .flat = flat}](
             const node& n, const read_scope& scope, snapshot& s) {
    if (n.is(node::kind::null)) return;
    if (!n.is(node::kind::sequence)) {
      scope.mismatch(n, "a list");
      return;
    }
    collection entries{s.credentials.keys};
    for (std::size_t i = 0; i < n.items.size(); ++i) {
      read_group(reader, *n.items[i], i, scope.at(i), entries);
    }
  };
}

/// One group for each key: what the reader made of a larger group.
node_ptr write_entry(const std::vector<entry_row>& rows, const key_entry& entry, visibility v) {
  static const key_entry blank;
  std::vector<member> group;
  std::vector<member> key;
  for (const auto& row : rows) {
    auto value = row.value.write(entry, v);
    if (!value || (row.name != "name" && same(value, row.value.write(blank, v)))) continue;
    (row.where == level::key ? key : group).push_back({row.name, true, {}, std::move(value)});
  }
  group.push_back({"keys", true, {}, list_node({map_node(std::move(key))})});
  return map_node(std::move(group));
}

}  // namespace

std::vector<const key_entry*> entries_of(const snapshot& s, kind family) {
  std::vector<const key_entry*> out;
  for (const auto& entry : s.credentials.keys) {
    if (entry.provider == family) out.push_back(&entry);
  }
  return out;
}

key_row family_row(kind family, std::string text) {
  const std::string name{provider::to_string(family)};
  const auto older = family == kind::openai_compatibility ? name : name + "-api-key";
  return {.path = "api-keys." + name,
          .older = {{older, read_family(family, true)}},
          .when = applies::live,
          .text = std::move(text),
          .value = {.type = "list of groups",
                    .shown = disclosure::entries,
                    .read = read_family(family, false),
                    .write =
                        [family, rows = entry_table()](const snapshot& s, visibility v) {
                          std::vector<node_ptr> groups;
                          for (const auto* entry : entries_of(s, family)) {
                            groups.push_back(write_entry(rows, *entry, v));
                          }
                          return list_node(std::move(groups));
                        }},
          .family = family};
}

}  // namespace tidegate::config
