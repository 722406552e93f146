#include "provider/credential_document.hpp"

#include "base/bounded_json.hpp"
#include "base/text.hpp"

#include <algorithm>

namespace tidegate::provider {

namespace {

using nlohmann::ordered_json;

constexpr json_bounds file_bounds{.bytes_max = credential_text_bytes_max, .depth_max = 32};
constexpr std::size_t indent_max = 8;

}  // namespace

std::string kebab_case(std::string_view name) {
  std::string out{name};
  std::ranges::replace(out, '_', '-');
  return out;
}

result<credential_document> credential_document::parse(std::string_view text) {
  auto root = parse_bounded_ordered_json(text, file_bounds);
  if (!root) return failed(errc::invalid_input, root.error().detail);
  if (!root->is_object()) return failed(errc::invalid_input, "not a JSON object");
  credential_document made;
  made.root_ = std::move(*root);
  made.line_end_ = text.ends_with('\n');
  const auto body = trimmed(text);
  const auto line = body.find('\n');
  if (line == std::string_view::npos) return made;
  const auto first = body.find_first_not_of(" \t\r\n", line);
  const auto begin = body.rfind('\n', first) + 1;
  made.indent_ = static_cast<int>(std::min(first - begin, indent_max));
  if (body[begin] == '\t') made.blank_ = '\t';
  return made;
}

credential_document::object* credential_document::token() {
  const auto found = root_.find("token");
  return found != root_.end() && found->is_object() ? &*found : nullptr;
}

std::string credential_document::type() const {
  const auto found = root_.find("type");
  if (found == root_.end() || !found->is_string()) return {};
  return lower(trimmed(found->get_ref<const std::string&>()));
}

result<std::string> credential_document::text() const {
  std::string out = root_.dump(indent_, blank_, false, object::error_handler_t::replace);
  if (line_end_) out.push_back('\n');
  if (out.size() > credential_text_bytes_max) {
    return failed(errc::invalid_input, "the file would become too large");
  }
  return out;
}

bool replace_field(ordered_json& in, std::string_view name, const ordered_json& value) {
  bool found = false;
  for (const auto& spelling : {std::string{name}, kebab_case(name)}) {
    const auto at = in.find(spelling);
    if (at == in.end()) continue;
    *at = value;
    found = true;
  }
  return found;
}

void set_field(ordered_json& in, std::string_view name, const ordered_json& value) {
  if (!replace_field(in, name, value)) in[std::string{name}] = value;
}

bool remove_field(ordered_json& in, std::string_view name) {
  const std::string kebab = kebab_case(name);
  const auto removed = in.erase(std::string{name});
  return (name == kebab ? 0 : in.erase(kebab)) + removed > 0;
}

}  // namespace tidegate::provider
