#include <algorithm>

#include "protocol/canonical/gemini/schema_cleaner.hpp"

namespace tidegate::protocol::gemini {
namespace {

int rank_of(std::string_view type) {
  return type == "object" ? 2 : type == "array" ? 1 : 0;
}

}  // namespace

bool schema_cleaner::compose(int schema, state& now) {
  if (const int ref = tree_.remove(schema, "$ref"); ref >= 0) {
    put_reference(schema, tree_.text(ref), now);
    return true;
  }
  if (const int all = tree_.remove(schema, "allOf"); all >= 0) {
    if (tree_.is(all, node_kind::array)) {
      for (int at = tree_[all].first; at >= 0;) {
        const int next = tree_[at].next;
        merge(schema, at);
        at = next;
      }
    }
    return true;
  }
  for (const auto word : {"anyOf", "oneOf"}) {
    const int any = tree_.remove(schema, word);
    if (any < 0) continue;
    if (tree_.is(any, node_kind::array)) put_branch(schema, any, now);
    return true;
  }
  return false;
}

int schema_cleaner::target_of(std::string_view pointer) const {
  if (!pointer.starts_with("#/")) return -1;
  pointer.remove_prefix(2);
  int at = 0;
  for (bool first = true;; first = false) {
    const auto slash = pointer.find('/');
    const std::string_view step = pointer.substr(0, slash);
    at = first && step == "$defs"         ? defs_
         : first && step == "definitions" ? definitions_
                                          : tree_.find(at, step);
    if (at < 0 || slash == std::string_view::npos) return at;
    pointer.remove_prefix(slash + 1);
  }
}

void schema_cleaner::put_reference(int schema, std::string_view pointer, state& now) {
  const int target = target_of(pointer);
  const bool cyclic = std::ranges::find(active_, target) != active_.end();
  if (target <= 0 || cyclic || tree_.size() > schema_nodes_max) {
    const auto slash = pointer.rfind('/');
    now.hints.push_back("See: " + std::string{pointer.substr(slash + 1)});
    if (tree_.find(schema, "type") < 0) {
      tree_.append(schema, tree_.make_string("type", "object"));
    }
    lossy_ = true;
    return;
  }
  active_.push_back(target);
  ++now.references;
  merge(schema, tree_.copy(target));
}

std::unordered_set<std::string_view> schema_cleaner::keys_of(int object) const {
  std::unordered_set<std::string_view> out;
  for (int at = tree_[object].first; at >= 0; at = tree_[at].next) out.insert(tree_[at].key);
  return out;
}

int schema_cleaner::last_of(int container) const {
  int last = tree_[container].first;
  while (last >= 0 && tree_[last].next >= 0) last = tree_[last].next;
  return last;
}

void schema_cleaner::merge(int into, int from) {
  if (!tree_.is(from, node_kind::object)) return;
  auto known = keys_of(into);
  int last = last_of(into);
  for (int at = tree_[from].first; at >= 0;) {
    const int next = tree_[at].next;
    tree_[at].next = -1;
    if (known.insert(tree_[at].key).second) {
      (last < 0 ? tree_[into].first : tree_[last].next) = at;
      last = at;
    } else if (tree_[at].key == "properties" || tree_[at].key == "required") {
      merge_member(tree_.find(into, tree_[at].key), at);
    }
    at = next;
  }
}

void schema_cleaner::merge_member(int own, int other) {
  const bool map = tree_[other].key == "properties";
  const auto kind = map ? node_kind::object : node_kind::array;
  if (!tree_.is(own, kind) || !tree_.is(other, kind)) return;
  map ? merge(own, other) : unite(own, other);
}

bool schema_cleaner::contains(int array, std::string_view token) const {
  for (int at = tree_[array].first; at >= 0; at = tree_[at].next) {
    if (tree_[at].token == token) return true;
  }
  return false;
}

void schema_cleaner::unite(int own, int other) {
  std::unordered_set<std::string_view> known;
  for (int at = tree_[own].first; at >= 0; at = tree_[at].next) known.insert(tree_[at].token);
  int last = last_of(own);
  for (int at = tree_[other].first; at >= 0;) {
    const int next = tree_[at].next;
    tree_[at].next = -1;
    if (known.insert(tree_[at].token).second) {
      (last < 0 ? tree_[own].first : tree_[last].next) = at;
      last = at;
    }
    at = next;
  }
}

std::string schema_cleaner::type_of(int schema) const {
  if (const auto type = tree_.text(tree_.find(schema, "type")); !type.empty())
    return lower_case(type);
  if (const int ref = tree_.find(schema, "$ref"); ref >= 0) {
    const int target = target_of(tree_.text(ref));
    const auto type = tree_.text(tree_.find(target, "type"));
    return type.empty() ? "object" : lower_case(type);
  }
  if (tree_.find(schema, "properties") >= 0) return "object";
  return tree_.find(schema, "items") >= 0 ? "array" : "string";
}

void schema_cleaner::put_branch(int schema, int any, state& now) {
  int best = -1;
  std::unordered_set<std::string> known;
  std::vector<std::string> types;
  for (int at = tree_[any].first; at >= 0; at = tree_[at].next) {
    const std::string type = type_of(at);
    if (type == "null") {
      now.nullable = true;
      continue;
    }
    if (best < 0 || rank_of(type) > rank_of(type_of(best))) best = at;
    if (known.insert(type).second) types.push_back(type);
  }
  if (best < 0) return;
  if (types.size() > 1) {
    now.hints.push_back(accepts(types));
    lossy_ = true;
  }
  merge(schema, best);
}

}  // namespace tidegate::protocol::gemini
