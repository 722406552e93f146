#include "config/node.hpp"

#include <algorithm>

namespace tidegate::config {

const member* node::find(std::string_view key) const noexcept {
  const auto it = std::ranges::find(members, key, &member::key);
  return it == members.end() ? nullptr : &*it;
}

node_ptr plain_node(std::string text) {
  auto n = std::make_shared<node>();
  n->form = node::kind::scalar;
  n->text = secret_string{std::move(text)};
  return n;
}

node_ptr text_node(std::string_view text) {
  auto n = std::make_shared<node>();
  n->form = node::kind::scalar;
  n->plain = false;
  n->text = secret_string{std::string{text}};
  return n;
}

node_ptr list_node(std::vector<node_ptr> items) {
  auto n = std::make_shared<node>();
  n->form = node::kind::sequence;
  n->items = std::move(items);
  return n;
}

node_ptr map_node(std::vector<member> members) {
  auto n = std::make_shared<node>();
  n->form = node::kind::mapping;
  n->members = std::move(members);
  return n;
}

bool same(const node_ptr& a, const node_ptr& b) {
  if (!a || !b) return a == b;
  if (a->form != b->form || !(a->text == b->text)) return false;
  return std::ranges::equal(a->items, b->items, same) &&
         std::ranges::equal(a->members, b->members, [](const member& x, const member& y) {
           return x.key == y.key && same(x.value, y.value);
         });
}

const member* find_path(const node& root, std::string_view path) noexcept {
  const node* here = &root;
  while (true) {
    const auto dot = path.find('.');
    const member* next = here->find(path.substr(0, dot));
    if (next == nullptr || dot == std::string_view::npos) return next;
    here = next->value.get();
    path.remove_prefix(dot + 1);
  }
}

std::string_view describe(const node& n) noexcept {
  switch (n.form) {
    case node::kind::null:
      return "nothing";
    case node::kind::scalar:
      return n.plain ? "a single value" : "a text in quotes";
    case node::kind::sequence:
      return "a list";
    case node::kind::mapping:
      return "a mapping";
  }
  return "";
}

}  // namespace tidegate::config
