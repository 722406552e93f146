#include "config/print.hpp"

#include "config/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tidegate::config {
namespace {

std::string quoted_scalar(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// Keys of the schema stay bare; anything else is quoted.
std::string key_form(std::string_view key) {
  const bool bare = !key.empty() && key.front() >= 'a' && key.front() <= 'z' &&
                    std::ranges::all_of(key, [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
                    });
  const bool word = key == "null" || key == "true" || key == "false" || key == "yes" ||
                    key == "no" || key == "on" || key == "off" || key == "y" || key == "n";
  return bare && !word ? std::string{key} : quoted_scalar(key);
}

bool is_block(const node& n) {
  return !n.items.empty() || !n.members.empty();
}

std::string scalar_form(const node& n) {
  const auto text = escape(n.view());
  return n.plain ? text : quoted_scalar(text);
}

void emit(const node& n, std::size_t indent, std::string& out) {
  const std::string pad(indent, ' ');
  for (const auto& m : n.members) {
    out += pad + key_form(m.key) + ":";
    if (is_block(*m.value)) {
      out += '\n';
      emit(*m.value, indent + 2, out);
    } else {
      out += ' ' + to_flow(*m.value) + '\n';
    }
  }
  for (const auto& item : n.items) {
    if (!is_block(*item)) {
      out += pad + "- " + to_flow(*item) + '\n';
      continue;
    }
    const auto start = out.size();
    emit(*item, indent + 2, out);
    out.replace(start + indent, 2, "- ");
  }
}

/// Grows the tree of sections around the values.
struct section {
  std::string name;
  std::vector<section> inner;
  node_ptr value;

  section& at(std::string_view key) {
    const auto it = std::ranges::find(inner, key, &section::name);
    return it != inner.end() ? *it : inner.emplace_back(section{std::string{key}, {}, nullptr});
  }

  node_ptr tree() const {
    if (value) return value;
    std::vector<member> members;
    for (const auto& child : inner) members.push_back({child.name, true, {}, child.tree()});
    return map_node(std::move(members));
  }
};

void place(section& root, std::string_view path, node_ptr value) {
  section* here = &root;
  for (auto dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    here = &here->at(path.substr(0, dot));
    path.remove_prefix(dot + 1);
  }
  here->at(path).value = std::move(value);
}

}  // namespace

std::string to_yaml(const node& n) {
  if (!is_block(n)) return to_flow(n) + '\n';
  std::string out;
  emit(n, 0, out);
  return out;
}

std::string to_flow(const node& n) {
  std::string out;
  switch (n.form) {
    case node::kind::null:
      return "null";
    case node::kind::scalar:
      return scalar_form(n);
    case node::kind::sequence:
      for (const auto& item : n.items) out += (out.empty() ? "" : ", ") + to_flow(*item);
      return '[' + out + ']';
    case node::kind::mapping:
      for (const auto& m : n.members) {
        out += (out.empty() ? "" : ", ") + key_form(m.key) + ": " + to_flow(*m.value);
      }
      return '{' + out + '}';
  }
  return out;
}

std::string print_config(const schema& table, const snapshot& s, visibility secrets) {
  section root;
  root.at("config-version").value = plain_node("8");
  for (const auto& row : table.keys) {
    if (auto value = row.value.write(s, secrets)) place(root, row.path, std::move(value));
  }
  return to_yaml(*root.tree());
}

std::string print_config(const snapshot& s, visibility secrets) {
  return print_config(gateway_schema(), s, secrets);
}

}  // namespace tidegate::config
