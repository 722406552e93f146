#include "protocol/canonical/gemini/schema.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "protocol/canonical/gemini/schema_cleaner.hpp"

namespace tidegate::protocol::gemini {
namespace {

constexpr int depth_max = 64;
/// Unions in references in unions at one place.
constexpr int rounds_max = 16;

using words = std::string_view;
constexpr std::array<words, 9> kept{"type",    "properties",  "required",
                                    "items",   "description", "enum",
                                    "minimum", "maximum",     "propertyOrdering"};
constexpr std::array<words, 13> told{
    "minLength",   "maxLength", "pattern",          "minItems",         "maxItems",
    "uniqueItems", "format",    "exclusiveMinimum", "exclusiveMaximum", "default",
    "examples",    "example",   "multipleOf"};
/// Say nothing about what is valid.
constexpr std::array<words, 13> silent{
    "$schema",          "$id",     "$comment",   "$defs",     "definitions", "title", "nullable",
    "enumDescriptions", "prefill", "deprecated", "encrypted", "enumTitles",  "strict"};
constexpr std::array<words, 11> structure{"properties",
                                          "required",
                                          "items",
                                          "enum",
                                          "$ref",
                                          "anyOf",
                                          "oneOf",
                                          "allOf",
                                          "const",
                                          "$schema",
                                          "additionalProperties"};

template <class List>
bool has(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

}  // namespace

std::string lower_case(std::string_view word) {
  std::string out{word};
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string accepts(const std::vector<std::string>& types) {
  std::string hint = "Accepts: " + types.front();
  for (std::size_t i = 1; i < types.size(); ++i) hint += " | " + types[i];
  return hint;
}

void schema_cleaner::clean_root() {
  wrap_bare_properties();
  defs_ = tree_.find(0, "$defs");
  definitions_ = tree_.find(0, "definitions");
  clean(0, 0);
  const int type = tree_.find(0, "type");
  if (tree_.text(type) == "object") return;
  lossy_ = lossy_ || type >= 0;
  tree_.remove(0, "type");
  tree_.append(0, tree_.make_string("type", "object"));
}

bool schema_cleaner::clean(int schema, int depth) {
  if (!tree_.is(schema, node_kind::object) || depth > depth_max) {
    tree_[schema] = {node_kind::object, tree_[schema].key, {}, -1, tree_[schema].next};
    return false;
  }
  state now;
  for (int round = 0; round < rounds_max && compose(schema, now); ++round) {
  }
  clean_enum(schema, now);
  clean_type(schema, now);
  if (keeps_nullable_ && now.nullable && depth > 0 && tree_.find(schema, "nullable") < 0) {
    tree_.append(schema, tree_.make(node_kind::scalar, "nullable", "true"));
  }
  sweep(schema, now);
  clean_properties(schema, depth);
  clean_items(schema, depth);
  describe(schema, now);
  active_.resize(active_.size() - now.references);
  return now.nullable;
}

void schema_cleaner::wrap_bare_properties() {
  if (tree_[0].first < 0) return;
  for (int at = tree_[0].first; at >= 0; at = tree_[at].next) {
    if (!tree_.is(at, node_kind::object) || has(structure, tree_[at].key)) return;
  }
  const int properties = tree_.make(node_kind::object, "properties");
  tree_[properties].first = tree_[0].first;
  tree_[0].first = tree_.make_string("type", "object");
  tree_.append(0, properties);
}

void schema_cleaner::clean_enum(int schema, state& now) {
  if (const int one = tree_.remove(schema, "const"); one >= 0) {
    if (tree_.find(schema, "enum") < 0) {
      tree_[one].key = {};
      const int values = tree_.make(node_kind::array, "enum");
      tree_.append(values, one);
      tree_.append(schema, values);
    }
  }
  const int listed = tree_.remove(schema, "enum");
  if (!tree_.is(listed, node_kind::array)) return;
  std::vector<std::string> words;
  for (int at = tree_[listed].first; at >= 0; at = tree_[at].next) {
    const json_node& value = tree_[at];
    if (value.token == "null") now.nullable = true;
    if (value.kind != node_kind::scalar || value.token == "null") continue;
    lossy_ = lossy_ || !value.token.starts_with('"');
    words.emplace_back(value.token.starts_with('"') ? tree_.text(at) : value.token);
  }
  if (words.empty()) return;
  const int values = tree_.make(node_kind::array, "enum");
  std::string hint = "Allowed: ";
  int last = -1;
  for (const auto& word : words) {
    const int value = tree_.make_string({}, word);
    (last < 0 ? tree_[values].first : tree_[last].next) = value;
    last = value;
    if (&word != &words.front()) hint += ", ";
    hint += word;
  }
  tree_.append(schema, values);
  tree_.remove(schema, "type");
  tree_.append(schema, tree_.make_string("type", "string"));
  if (words.size() >= 2 && words.size() <= 10) now.hints.push_back(std::move(hint));
}

void schema_cleaner::clean_type(int schema, state& now) {
  if (tree_[schema].first < 0) return;
  const int nullable = tree_.find(schema, "nullable");
  if (nullable >= 0 && tree_[nullable].token == "true") now.nullable = true;
  const int type = tree_.find(schema, "type");
  if (tree_.is(type, node_kind::array)) {
    std::vector<std::string> names;
    for (int at = tree_[type].first; at >= 0; at = tree_[at].next) {
      const std::string name = lower_case(tree_.text(at));
      if (name == "null") now.nullable = true;
      if (!name.empty() && name != "null") names.push_back(name);
    }
    lossy_ = lossy_ || names.size() > 1 || now.nullable;
    if (names.size() > 1) now.hints.push_back(accepts(names));
    set_type(schema, names.empty() ? "string" : names.front());
  } else if (const auto word = tree_.text(type); !word.empty() && lower_case(word) != word) {
    tree_[type].token = tree_[tree_.make_string({}, lower_case(word))].token;
  }
}

void schema_cleaner::set_type(int schema, std::string_view name) {
  const int made = tree_.make_string({}, name);
  const int type = tree_.find(schema, "type");
  tree_[type].kind = node_kind::scalar;
  tree_[type].first = -1;
  tree_[type].token = tree_[made].token;
}
void schema_cleaner::hint_of(int member, state& now) {
  const json_node what = tree_[member];
  const bool text = what.token.starts_with('"');
  const std::string value = text ? std::string{tree_.text(member)} : escape(tree_.write(member));
  now.hints.push_back(std::string{what.key} + ": " + value);
}

void schema_cleaner::sweep(int schema, state& now) {
  int last = -1;
  int at = std::exchange(tree_[schema].first, -1);
  while (at >= 0) {
    const int next = std::exchange(tree_[at].next, -1);
    const std::string_view key = tree_[at].key;
    if (has(kept, key) || (keeps_nullable_ && key == "nullable")) {
      (last < 0 ? tree_[schema].first : tree_[last].next) = at;
      last = at;
    } else if (has(told, key)) {
      hint_of(at, now);
      lossy_ = lossy_ || (key != "default" && !key.starts_with("example"));
    } else if (key == "additionalProperties" && tree_[at].token == "false") {
      now.hints.emplace_back("No extra properties allowed");
    } else if (key == "prefixItems" && tree_.is(at, node_kind::array) &&
               tree_.find(schema, "items") < 0 && tree_[at].first >= 0) {
      (last < 0 ? tree_[schema].first : tree_[last].next) = at;
      last = at;
      tree_[at].key = "items";
      lossy_ = true;
    } else {
      lossy_ =
          lossy_ || !(has(silent, key) || key.starts_with("x-") || key == "additionalProperties");
    }
    at = next;
  }
}

void schema_cleaner::clean_properties(int schema, int depth) {
  const int properties = tree_.find(schema, "properties");
  if (properties < 0) return prune_required(schema, {});
  if (!tree_.is(properties, node_kind::object)) {
    tree_.remove(schema, "properties");
    return prune_required(schema, {});
  }
  std::vector<std::string_view> optional;
  for (int at = tree_[properties].first; at >= 0; at = tree_[at].next) {
    const int required = tree_.find(at, "required");
    if (tree_.is(required, node_kind::scalar)) {
      if (tree_[required].token == "true") require(schema, tree_[at].key);
      tree_.remove(at, "required");
    }
    if (clean(at, depth + 1)) optional.push_back(tree_[at].key);
  }
  prune_required(schema, optional);
}

void schema_cleaner::require(int schema, std::string_view name) {
  int required = tree_.find(schema, "required");
  if (!tree_.is(required, node_kind::array)) {
    tree_.remove(schema, "required");
    required = tree_.make(node_kind::array, "required");
    tree_.append(schema, required);
  }
  const int entry = tree_.make_string({}, name);
  if (!contains(required, tree_[entry].token)) tree_.append(required, entry);
}

void schema_cleaner::prune_required(int schema, const std::vector<std::string_view>& optional) {
  const int required = tree_.find(schema, "required");
  if (required < 0) return;
  const int properties = tree_.find(schema, "properties");
  std::unordered_set<std::string_view> known;
  if (tree_.is(properties, node_kind::object)) known = keys_of(properties);
  for (const auto name : optional) known.erase(name);
  int last = -1;
  const bool list = tree_.is(required, node_kind::array);
  int at = std::exchange(tree_[required].first, -1);
  while (list && at >= 0) {
    const int next = std::exchange(tree_[at].next, -1);
    const std::string_view name = tree_.text(at);
    if (known.contains(name)) {
      (last < 0 ? tree_[required].first : tree_[last].next) = at;
      last = at;
    }
    at = next;
  }
  if (last < 0) tree_.remove(schema, "required");
}

void schema_cleaner::clean_items(int schema, int depth) {
  const int items = tree_.find(schema, "items");
  if (items < 0) return;
  if (tree_.is(items, node_kind::array)) {
    const int first = tree_[items].first;
    lossy_ = lossy_ || (first >= 0 && tree_[first].next >= 0);
    tree_[items].kind = node_kind::object;
    tree_[items].first = tree_.is(first, node_kind::object) ? tree_[first].first : -1;
  }
  clean(items, depth + 1);
}

void schema_cleaner::describe(int schema, const state& now) {
  if (now.hints.empty()) return;
  const int description = tree_.find(schema, "description");
  std::string text{tree_.text(description)};
  for (const auto& hint : now.hints) {
    text += text.empty() ? hint : " (" + hint + ")";
  }
  const int made = tree_.make_string("description", text);
  if (description < 0) return tree_.append(schema, made);
  tree_[description] = {node_kind::scalar, "description", tree_[made].token, -1,
                        tree_[description].next};
}

namespace {

clean_schema cleaned(std::string_view json, bool keeps_nullable) {
  json_tree tree;
  const bool usable =
      tree.parse(json) && tree.is(0, node_kind::object) && tree.size() <= schema_nodes_max;
  if (!usable) return {R"({"type":"object","properties":{}})", true};
  schema_cleaner cleaner(tree, keeps_nullable);
  cleaner.clean_root();
  return {tree.write(0), cleaner.lossy()};
}

}  // namespace

clean_schema cleaned_schema(std::string_view json) { return cleaned(json, false); }

clean_schema cleaned_nullable_schema(std::string_view json) { return cleaned(json, true); }

}  // namespace tidegate::protocol::gemini
