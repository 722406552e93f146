#include "protocol/json_path.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "protocol/json_text.hpp"

namespace tidegate::protocol {
namespace {

/// An array of a request has fewer elements.
constexpr std::size_t index_digits_max = 6;

std::unexpected<error> wrong(std::string_view why) {
  return failed(errc::invalid_input, std::string{why});
}

std::optional<std::size_t> index_of(std::string_view key) {
  if (key.empty() || key.size() > index_digits_max || (key.size() > 1 && key[0] == '0')) {
    return std::nullopt;
  }
  std::size_t index = 0;
  for (const char c : key) {
    if (c < '0' || c > '9') return std::nullopt;
    index = index * 10 + static_cast<std::size_t>(c - '0');
  }
  return index;
}

/// Keys of real requests are plain; one that needs escapes could be written in several ways.
bool is_key(std::string_view key) {
  return !key.empty() && std::ranges::none_of(key, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
  });
}

result<path_step> named(std::string key, std::string_view append_mark) {
  if (!is_key(key)) return wrong("has an empty key, or one with quotes or control characters");
  path_step step;
  step.index = index_of(key);
  if (key == append_mark) step.what = path_step::kind::append;
  step.key = std::move(key);
  return step;
}

result<std::vector<path_step>> pointer_steps(std::string_view text) {
  std::vector<path_step> steps;
  while (!text.empty()) {
    text.remove_prefix(1);
    const auto token = text.substr(0, text.find('/'));
    text.remove_prefix(token.size());
    std::string key;
    for (std::size_t i = 0; i < token.size(); ++i) {
      if (token[i] != '~') {
        key += token[i];
      } else if (++i < token.size() && (token[i] == '0' || token[i] == '1')) {
        key += token[i] == '0' ? '~' : '/';
      } else {
        return wrong("has a ~ that is neither ~0 nor ~1");
      }
    }
    auto step = named(std::move(key), "-");
    if (!step) return std::unexpected{step.error()};
    steps.push_back(std::move(*step));
  }
  return steps;
}

/// Reads the dotted spelling from left to right.
class dotted_reader {
 public:
  explicit dotted_reader(std::string_view text) : rest_(text) {}

  result<std::vector<path_step>> run() {
    std::vector<path_step> steps;
    do {
      auto step = rest_.starts_with('#') ? selection() : key();
      if (!step) return std::unexpected{step.error()};
      steps.push_back(std::move(*step));
    } while (take('.'));
    if (!rest_.empty()) return wrong("has something behind a selection; a dot must follow it");
    return steps;
  }

 private:
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  result<path_step> key() {
    constexpr std::string_view first_marks = "@![{";
    if (!rest_.empty() && first_marks.find(rest_.front()) != std::string_view::npos) {
      return wrong("uses a modifier or several results, which are not supported");
    }
    const bool forced = rest_.starts_with(':');
    std::string key;
    while (!rest_.empty() && rest_.front() != '.') {
      const char c = rest_.front();
      if (c == '*' || c == '?') return wrong("uses a wildcard in a key, which is not supported");
      if (c == '|') return wrong("uses a pipe, which is not supported");
      if (c == '#') return wrong("has a # inside a key; write \\#");
      rest_.remove_prefix(1);
      if (c == '\\') {
        if (rest_.empty()) return wrong("ends in a backslash");
        key += rest_.front();
        rest_.remove_prefix(1);
      } else {
        key += c;
      }
    }
    if (!forced || !index_of(std::string_view{key}.substr(1))) return named(std::move(key), "-1");
    auto step = named(key.substr(1), {});
    if (step) step->index.reset();
    return step;
  }

  result<path_step> selection() {
    path_step step;
    step.what = path_step::kind::every;
    take('#');
    if (!take('(')) return step;
    const auto end = closing();
    if (end == std::string_view::npos) return wrong("has a query without its closing parenthesis");
    auto query = read_query(trimmed(rest_.substr(0, end)));
    if (!query) return std::unexpected{query.error()};
    rest_.remove_prefix(end + 1);
    step.query = std::move(*query);
    step.what = take('#') ? path_step::kind::each_of : path_step::kind::first_of;
    return step;
  }

  /// The parenthesis that ends the query, past those inside its quoted text.
  std::size_t closing() const {
    bool quoted = false;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      if (quoted && rest_[i] == '\\') {
        ++i;
      } else if (rest_[i] == '"') {
        quoted = !quoted;
      } else if (!quoted && rest_[i] == ')') {
        return i;
      }
    }
    return std::string_view::npos;
  }

  static result<std::vector<std::string>> query_keys(std::string_view path) {
    std::vector<std::string> keys;
    while (!path.empty()) {
      const auto key = path.substr(0, path.find('.'));
      if (!is_key(key) || key.find_first_of("#*?|@(") != std::string_view::npos) {
        return wrong("has a query whose path is more than plain keys, which is not supported");
      }
      keys.emplace_back(key);
      path.remove_prefix(std::min(key.size() + 1, path.size()));
    }
    return keys;
  }

  static result<element_query> read_query(std::string_view text) {
    using enum element_query::test;
    struct sign {
      std::string_view text;
      element_query::test how;
    };
    constexpr sign signs[] = {
        {"==", equal}, {"!=", differs}, {"!%", unlike}, {"%", like}, {"=", equal}};
    element_query query;
    const auto at = text.find_first_of("=!<>%\"~");
    auto keys = query_keys(trimmed(text.substr(0, at)));
    if (!keys) return std::unexpected{keys.error()};
    query.keys = std::move(*keys);
    if (at == std::string_view::npos) {
      if (query.keys.empty()) return wrong("has an empty query");
      return query;
    }
    const auto operation = text.substr(at);
    const auto known = std::ranges::find_if(
        signs, [&](const sign& one) { return operation.starts_with(one.text); });
    if (known == std::end(signs)) {
      return wrong("has a query with another operator than ==, !=, % and !%");
    }
    query.how = known->how;
    return with_value(std::move(query), trimmed(operation.substr(known->text.size())));
  }

  static result<element_query> with_value(element_query query, std::string_view value) {
    if (value.starts_with('"')) {
      auto text = decode_json_string(value);
      if (!text) return wrong("has a query whose quoted text is not a JSON string");
      query.text = std::move(*text);
    } else if (value.empty() || value.find_first_of("~#()\"[]{}") != std::string_view::npos) {
      return wrong("has a query without a plain or quoted value");
    } else {
      query.text = std::string{value};
    }
    return query;
  }

  std::string_view rest_;
};

}  // namespace

result<json_path> parse_json_path(std::string_view text) {
  if (text.empty()) return wrong("is empty");
  if (text.size() > path_bytes_max) {
    return wrong(fmt::format("is longer than {} bytes", path_bytes_max));
  }
  auto steps = text.starts_with('/') ? pointer_steps(text) : dotted_reader{text}.run();
  if (!steps) return std::unexpected{steps.error()};
  if (steps->size() > path_steps_max) {
    return wrong(fmt::format("has more than {} steps", path_steps_max));
  }
  const auto first = steps->front().what;
  if (first != path_step::kind::name && first != path_step::kind::append) {
    return wrong("must begin with a key: the body is an object");
  }
  return json_path{std::string{text}, std::move(*steps)};
}

}  // namespace tidegate::protocol
