#include "http/server/request.hpp"

namespace tidegate::http {

std::optional<std::string_view> request::header(std::string_view name) const {
  const auto found = headers.find({name.data(), name.size()});
  if (found == headers.end()) return std::nullopt;
  return std::string_view{found->value().data(), found->value().size()};
}

}  // namespace tidegate::http
