#include "app/sim/shape.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace tidegate::sim {
namespace {

using json = nlohmann::ordered_json;
using verdict = std::optional<std::string>;

class matcher {
 public:
  explicit matcher(const json& named) : named_(named) {}

  verdict match(const json& value, const json& shape, const std::string& path, int depth) const {
    if (depth > shape_depth_max) return at(path, "is nested too deeply");
    if (shape.is_string())
      return match_word(value, shape.get_ref<const std::string&>(), path, depth);
    if (shape.is_array()) return match_list(value, shape.front(), path, depth);
    if (shape.contains("$by")) return match_tagged(value, shape, path, depth);
    return match_object(value, shape, path, depth);
  }

 private:
  static verdict at(const std::string& path, std::string_view what) {
    return path.empty() ? std::string{what} : fmt::format("{}: {}", path, what);
  }

  static std::string below(const std::string& path, std::string_view key) {
    return path.empty() ? std::string{key} : fmt::format("{}.{}", path, key);
  }

  /// An objection from deeper inside tells more than that no alternative fits.
  verdict match_word(const json& value, std::string_view words, const std::string& path,
                     int depth) const {
    verdict deeper;
    for (std::string_view rest = words; !rest.empty();) {
      const auto end = std::min(rest.find('|'), rest.size());
      auto found = match_one(value, rest.substr(0, end), path, depth);
      if (!found) return std::nullopt;
      const bool inside = found->size() > path.size() && (*found)[path.size()] == '.';
      if (inside || path.empty()) deeper = std::move(found);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return deeper ? deeper : at(path, fmt::format("must be {}", words));
  }

  verdict match_one(const json& value, std::string_view word, const std::string& path,
                    int depth) const {
    if (word.starts_with('@')) return match(value, named(word.substr(1)), path, depth + 1);
    const bool fits =
        word == "any" || (word == "string" && value.is_string()) ||
        (word == "number" && value.is_number()) ||
        (word == "integer" && value.is_number_integer()) ||
        (word == "boolean" && value.is_boolean()) || (word == "null" && value.is_null()) ||
        (word == "object" && value.is_object()) ||
        (word.starts_with('\'') && value == word.substr(1, word.size() - 2));
    return fits ? verdict{} : at(path, fmt::format("must be {}", word));
  }

  const json& named(std::string_view name) const {
    const auto found = named_.find(name);
    TG_ASSERT(found != named_.end());
    return *found;
  }

  verdict match_list(const json& value, const json& shape, const std::string& path,
                     int depth) const {
    if (!value.is_array()) return at(path, "must be a list");
    for (std::size_t i = 0; i < value.size(); ++i) {
      auto found = match(value[i], shape, below(path, std::to_string(i)), depth + 1);
      if (found) return found;
    }
    return std::nullopt;
  }

  verdict match_tagged(const json& value, const json& shape, const std::string& path,
                       int depth) const {
    if (!value.is_object()) return at(path, "must be an object");
    const auto& key = shape["$by"].get_ref<const std::string&>();
    const auto tag = value.find(key);
    const std::string name = tag == value.end()     ? "$else"
                             : tag->is_string() ? tag->get<std::string>()
                                                : "";
    const auto chosen = shape.find(name);
    if (chosen == shape.end() || name == "$by") {
      return at(below(path, key), fmt::format("'{}' is not supported here", name));
    }
    return match(value, *chosen, path, depth + 1);
  }

  verdict match_object(const json& value, const json& shape, const std::string& path,
                       int depth) const {
    if (!value.is_object()) return at(path, "must be an object");
    const auto each = shape.find("$each");
    for (const auto& [key, member] : value.items()) {
      const json* known = each != shape.end() ? &*each : member_shape(shape, key);
      if (known == nullptr) return at(below(path, key), "is not known here");
      if (auto found = match(member, *known, below(path, key), depth + 1)) return found;
    }
    for (const auto& [key, unused] : shape.items()) {
      if (!key.ends_with('!')) continue;
      const auto name = key.substr(0, key.size() - 1);
      if (!value.contains(name)) return at(below(path, name), "is required");
    }
    return std::nullopt;
  }

  static const json* member_shape(const json& shape, const std::string& key) {
    auto found = shape.find(key);
    if (found == shape.end()) found = shape.find(key + '!');
    return found == shape.end() ? nullptr : &*found;
  }

  const json& named_;
};

}  // namespace

shape_table::shape_table(std::string_view text)
    : named_(json::parse(text.begin(), text.end(), nullptr, false)) {
  TG_ASSERT(named_.is_object() && named_.contains("request"));
}

std::optional<std::string> shape_table::objection(const json& value) const {
  return matcher{named_}.match(value, named_["request"], "", 0);
}

}  // namespace tidegate::sim
