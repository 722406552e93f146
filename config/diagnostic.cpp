#include "config/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace tidegate::config {
namespace {

constexpr std::size_t shown_bytes_max = 60;
constexpr std::size_t key_bytes_max = 200;

std::string printable(std::string_view value, std::size_t bytes_max) {
  std::string out;
  for (const char c : value.substr(0, bytes_max)) {
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  if (value.size() > bytes_max) out += "...";
  return out;
}

}  // namespace

void report::add(severity level, std::string key, position at, std::string text) {
  if (level == severity::error) failed_ = true;
  if (full()) {
    ++dropped_;
    return;
  }
  const auto before = [](const position& p, const diagnostic& d) {
    return std::tie(p.line, p.column) < std::tie(d.line, d.column);
  };
  list_.insert(std::upper_bound(list_.begin(), list_.end(), at, before),
               {level, printable(key, key_bytes_max), at.line, at.column, std::move(text)});
}

void report::error(std::string key, position at, std::string text) {
  add(severity::error, std::move(key), at, std::move(text));
}

void report::warning(std::string key, position at, std::string text) {
  add(severity::warning, std::move(key), at, std::move(text));
}

std::vector<diagnostic> report::take() {
  if (dropped_ > 0) {
    list_.push_back({failed_ ? severity::error : severity::warning, "", 0, 0,
                     fmt::format("{} more findings are not shown", dropped_)});
  }
  dropped_ = 0;
  failed_ = false;
  return std::exchange(list_, {});
}

std::string shown(std::string_view value) {
  return '"' + printable(value, shown_bytes_max) + '"';
}

}  // namespace tidegate::config
