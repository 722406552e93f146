#include "provider/plain_reply.hpp"

#include "provider/text_match.hpp"

namespace tidegate::provider {

header_lookup headers_of(const plain_reply& of) {
  return [&of](std::string_view name) -> std::optional<std::string_view> {
    for (const auto& [key, value] : of.headers) {
      if (lower(key) == lower(name)) return value;
    }
    return std::nullopt;
  };
}

}  // namespace tidegate::provider
