#pragma once
/// A JSON text as nodes that can be moved about, for schemas. Nodes are views of the text or of the
/// tree's own strings, named by position; -1 is none. Order is kept. Pure; never throws.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/canonical/json_out.hpp"

namespace tidegate::protocol::gemini {

enum class node_kind : std::uint8_t { object, array, scalar };

struct json_node {
  node_kind kind = node_kind::scalar;
  std::string_view key;    ///< escaped; empty in arrays
  std::string_view token;  ///< scalars: as written, strings with their quotes
  int first = -1;          ///< child
  int next = -1;           ///< sibling
};

class json_tree {
 public:
  /// False when the text is no JSON. `text` must outlive the tree. The root is node 0.
  bool parse(std::string_view text);

  json_node& operator[](int node) { return nodes_[static_cast<std::size_t>(node)]; }
  const json_node& operator[](int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  std::size_t size() const { return nodes_.size(); }

  /// The child with this key; -1 = none.
  int find(int object, std::string_view key) const;
  /// Takes the child with this key out; it stays a tree of its own. -1 = none.
  int remove(int object, std::string_view key);
  /// Puts a node that stands nowhere behind the last child.
  void append(int container, int child);
  int make(node_kind kind, std::string_view key, std::string_view token = {});
  /// A string whose inside is `escaped`, which is kept here.
  int make_string(std::string_view key, std::string_view escaped);
  int copy(int node);

  bool is(int node, node_kind kind) const { return node >= 0 && (*this)[node].kind == kind; }
  /// The inside of a string; empty for everything else.
  std::string_view text(int node) const;
  std::string write(int node) const;

 private:
  friend struct tree_builder;
  void write(int node, json_out& out) const;

  std::vector<json_node> nodes_;
  std::deque<std::string> kept_;
};

}  // namespace tidegate::protocol::gemini
