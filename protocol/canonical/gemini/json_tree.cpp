#include "protocol/canonical/gemini/json_tree.hpp"

#include "protocol/canonical/gemini/json_scan.hpp"

namespace tidegate::protocol::gemini {

struct tree_builder {
  json_tree& tree;
  std::vector<int> open_nodes;
  std::vector<int> last_children;

  int add(node_kind kind, std::string_view key, std::string_view token) {
    const int node = tree.make(kind, key, token);
    if (open_nodes.empty()) return node;
    int& last = last_children.back();
    (last < 0 ? tree[open_nodes.back()].first : tree[last].next) = node;
    last = node;
    return node;
  }
  void open(std::string_view key, bool array) {
    const int node = add(array ? node_kind::array : node_kind::object, key, {});
    open_nodes.push_back(node);
    last_children.push_back(-1);
  }
  void close() {
    open_nodes.pop_back();
    last_children.pop_back();
  }
  void scalar(std::string_view key, std::string_view token) { add(node_kind::scalar, key, token); }
};

bool json_tree::parse(std::string_view text) {
  nodes_.reserve(text.size() / 12 + 8);
  tree_builder builder{*this, {}, {}};
  return json_scan{text, builder}.run();
}

int json_tree::find(int object, std::string_view key) const {
  if (!is(object, node_kind::object)) return -1;
  for (int at = (*this)[object].first; at >= 0; at = (*this)[at].next) {
    if ((*this)[at].key == key) return at;
  }
  return -1;
}

int json_tree::remove(int object, std::string_view key) {
  if (!is(object, node_kind::object)) return -1;
  int before = -1;
  for (int at = (*this)[object].first; at >= 0; before = at, at = (*this)[at].next) {
    if ((*this)[at].key != key) continue;
    (before < 0 ? (*this)[object].first : (*this)[before].next) = (*this)[at].next;
    (*this)[at].next = -1;
    return at;
  }
  return -1;
}

void json_tree::append(int container, int child) {
  int last = (*this)[container].first;
  if (last < 0) {
    (*this)[container].first = child;
    return;
  }
  while ((*this)[last].next >= 0) last = (*this)[last].next;
  (*this)[last].next = child;
}

int json_tree::make(node_kind kind, std::string_view key, std::string_view token) {
  nodes_.push_back({kind, key, token, -1, -1});
  return static_cast<int>(nodes_.size()) - 1;
}

int json_tree::make_string(std::string_view key, std::string_view escaped) {
  return make(node_kind::scalar, key, kept_.emplace_back('"' + std::string{escaped} + '"'));
}

int json_tree::copy(int node) {
  const json_node from = (*this)[node];
  const int made = make(from.kind, from.key, from.token);
  int last = -1;
  for (int at = from.first; at >= 0; at = (*this)[at].next) {
    const int child = copy(at);
    (last < 0 ? (*this)[made].first : (*this)[last].next) = child;
    last = child;
  }
  return made;
}

std::string_view json_tree::text(int node) const {
  if (!is(node, node_kind::scalar) || !(*this)[node].token.starts_with('"')) return {};
  const std::string_view token = (*this)[node].token;
  return token.substr(1, token.size() - 2);
}

std::string json_tree::write(int node) const {
  std::string out;
  json_out into(out);
  write(node, into);
  return out;
}

void json_tree::write(int node, json_out& out) const {
  const json_node& what = (*this)[node];
  if (what.kind == node_kind::scalar) {
    out.raw(what.token);
    return;
  }
  const bool object = what.kind == node_kind::object;
  object ? out.begin_object() : out.begin_array();
  for (int at = what.first; at >= 0; at = (*this)[at].next) {
    if (object) out.key((*this)[at].key);
    write(at, out);
  }
  object ? out.end_object() : out.end_array();
}

}  // namespace tidegate::protocol::gemini
