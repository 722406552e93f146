#pragma once
/// A configuration value as a tree: what the parser makes of a text, and what the schema makes of
/// a snapshot. Immutable once built and shared, so an alias costs nothing. A scalar may be an API
/// key, so its text is a secret_string.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret_string.hpp"
#include "config/diagnostic.hpp"

namespace tidegate::config {

struct node;
using node_ptr = std::shared_ptr<const node>;

struct member {
  std::string key;
  bool plain = true;  ///< written without quotes
  position at;        ///< of the key
  node_ptr value;     ///< never null
};

struct node {
  enum class kind : std::uint8_t { null, scalar, sequence, mapping };

  kind form = kind::null;
  bool plain = true;   ///< a scalar without quotes: may be a number or a boolean
  secret_string text;  ///< of a scalar
  position at;
  std::vector<node_ptr> items;  ///< of a sequence
  std::vector<member> members;  ///< of a mapping, in the order of the text
  std::size_t count = 1;        ///< nodes in this tree, aliases written out
  std::size_t height = 1;       ///< levels in this tree

  bool is(kind k) const noexcept { return form == k; }
  std::string_view view() const noexcept { return text.reveal(); }
  /// The value of a key of this mapping; null when there is none or this is no mapping.
  const member* find(std::string_view key) const noexcept;
};

/// Numbers, booleans and durations.
node_ptr plain_node(std::string text);
/// Text that must stay text whatever it looks like.
node_ptr text_node(std::string_view text);
node_ptr list_node(std::vector<node_ptr> items);
node_ptr map_node(std::vector<member> members);

/// Equal trees; places and quotes do not count. Null pointers equal each other only.
bool same(const node_ptr& a, const node_ptr& b);

/// The member at a dotted path, or null.
const member* find_path(const node& root, std::string_view path) noexcept;

/// "a list", "a mapping", ... for messages.
std::string_view describe(const node& n) noexcept;

}  // namespace tidegate::config
