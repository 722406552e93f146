#include "http/management/multipart.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/rfc7230.hpp>

#include "base/text.hpp"

namespace tidegate::http::management {
namespace {

constexpr std::string_view line_end = "\r\n";

std::string unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string{text};
  std::string out;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '\\' && i + 2 < text.size()) ++i;
    out.push_back(text[i]);
  }
  return out;
}

/// The parameter of `type; name=value; ...`; empty when there is none.
std::string parameter(std::string_view header, std::string_view name) {
  const auto semicolon = header.find(';');
  if (semicolon == std::string_view::npos) return {};
  const auto rest = header.substr(semicolon);
  for (const auto& [key, value] : boost::beast::http::param_list{{rest.data(), rest.size()}}) {
    if (boost::beast::iequals(key, {name.data(), name.size()})) {
      return unquoted({value.data(), value.size()});
    }
  }
  return {};
}

bool is_named(std::string_view line, std::string_view name) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return false;
  return equal_ignoring_case(trimmed(line.substr(0, colon)), name);
}

/// Head and body of what lies between two boundaries.
result<form_part> part_of(std::string_view text) {
  const auto blank = text.find("\r\n\r\n");
  if (blank == std::string_view::npos) {
    return failed(errc::invalid_input, "a part of the form has no end of its headers");
  }
  form_part part;
  part.body = text.substr(blank + 4);
  auto head = text.substr(0, blank);
  while (!head.empty()) {
    const auto end = head.find(line_end);
    const auto line = head.substr(0, end);
    if (is_named(line, "Content-Disposition")) {
      part.name = parameter(line, "name");
      part.file_name = parameter(line, "filename");
    }
    head = end == std::string_view::npos ? std::string_view{} : head.substr(end + 2);
  }
  return part;
}

}  // namespace

result<std::vector<form_part>> form_parts(std::string_view content_type, std::string_view body) {
  const auto boundary = parameter(content_type, "boundary");
  if (boundary.empty()) return failed(errc::invalid_input, "the form has no boundary");
  const std::string first = "--" + boundary;
  const std::string next = std::string{line_end} + first;
  auto at = body.starts_with(first) ? first.size() : body.find(next);
  if (at == std::string_view::npos) {
    return failed(errc::invalid_input, "the form does not begin with its boundary");
  }
  if (!body.starts_with(first)) at += next.size();
  std::vector<form_part> parts;
  while (!body.substr(at).starts_with("--")) {
    const auto begin = body.find(line_end, at);
    const auto end = begin == std::string_view::npos ? begin : body.find(next, begin + 2);
    if (end == std::string_view::npos) {
      return failed(errc::invalid_input, "the form ends inside a part");
    }
    if (parts.size() >= parts_max) return failed(errc::limit_exceeded, "too many parts");
    auto part = part_of(body.substr(begin + 2, end - begin - 2));
    if (!part) return std::unexpected{part.error()};
    parts.push_back(std::move(*part));
    at = end + next.size();
  }
  return parts;
}

}  // namespace tidegate::http::management
