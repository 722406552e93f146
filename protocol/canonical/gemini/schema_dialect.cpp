#include <algorithm>
#include <array>

#include "protocol/canonical/gemini/json_tree.hpp"
#include "protocol/canonical/gemini/schema.hpp"

namespace tidegate::protocol::gemini {
namespace {

constexpr std::array<std::string_view, 9> dialect_words{
    "STRING\"",  "OBJECT\"", "ARRAY\"",    "NUMBER\"",          "INTEGER\"",
    "BOOLEAN\"", "NULL\"",   "nullable\"", "propertyOrdering\""};

std::string lower(std::string_view word) {
  std::string out{word};
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

class dialect_reader {
 public:
  explicit dialect_reader(json_tree& tree) : tree_(tree) {}

  void convert(int schema) {
    if (!tree_.is(schema, node_kind::object)) return;
    convert_type(schema);
    tree_.remove(schema, "propertyOrdering");
    for (const auto key :
         {"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"}) {
      unquote(tree_.find(schema, key));
    }
    convert(tree_.find(schema, "items"));
    convert_children(tree_.find(schema, "properties"));
    for (const auto key : {"anyOf", "oneOf", "allOf", "prefixItems"}) {
      convert_children(tree_.find(schema, key));
    }
  }

 private:
  void convert_type(int schema) {
    const int nullable = tree_.remove(schema, "nullable");
    const int type = tree_.find(schema, "type");
    const std::string_view word = tree_.text(type);
    const bool null = nullable >= 0 && tree_[nullable].token == "true";
    if (word.empty()) {
      if (null) allow_null(tree_.find(schema, "anyOf"));
      return;
    }
    const int name = tree_.make_string({}, lower(word));
    if (!null) {
      tree_[type].token = tree_[name].token;
      return;
    }
    tree_[type].kind = node_kind::array;
    tree_[type].first = name;
    tree_.append(type, tree_.make_string({}, "null"));
  }

  void allow_null(int branches) {
    if (!tree_.is(branches, node_kind::array)) return;
    const int null = tree_.make(node_kind::object, {});
    tree_.append(null, tree_.make_string("type", "null"));
    tree_.append(branches, null);
  }

  /// Google writes 64-bit numbers as strings.
  void unquote(int node) {
    const std::string_view digits = tree_.text(node);
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (!digits.empty() && std::ranges::all_of(digits, is_digit)) tree_[node].token = digits;
  }

  void convert_children(int container) {
    if (container < 0) return;
    for (int at = tree_[container].first; at >= 0; at = tree_[at].next) convert(at);
  }

  json_tree& tree_;
};

}  // namespace

bool is_google_dialect(std::string_view json) {
  for (auto at = json.find('"'); at != std::string_view::npos; at = json.find('"', at + 1)) {
    const std::string_view left = json.substr(at + 1);
    if (left.empty()) return false;
    const char c = left.front();
    if ((c < 'A' || c > 'Z') && c != 'n' && c != 'p') continue;
    const auto starts = [&](std::string_view word) { return left.starts_with(word); };
    if (std::ranges::any_of(dialect_words, starts)) return true;
  }
  return false;
}

std::string to_json_schema(std::string_view google) {
  json_tree tree;
  if (!tree.parse(google)) return std::string{google};
  dialect_reader{tree}.convert(0);
  return tree.write(0);
}

}  // namespace tidegate::protocol::gemini
