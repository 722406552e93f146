#pragma once
/// Reads one YAML mapping field by field and collects every mistake with its line, so that a
/// script is refused once, in full. Fields not asked for by `finish` are unknown and reported.
/// Never throws; owner of nodes and problem list is the caller.

#include <yaml-cpp/yaml.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/sim/script.hpp"

namespace tidegate::sim {

class mapping {
 public:
  using problems = std::vector<std::string>;

  mapping(const YAML::Node& node, std::string where, problems& out);

  bool has(const char* key);
  YAML::Node child(const char* key);
  std::string where(const char* key) const { return where_ + "." + key; }

  void text(const char* key, std::string& out);
  void text(const char* key, std::optional<std::string>& out);
  void flag(const char* key, bool& out);
  void whole(const char* key, std::int64_t& out, std::int64_t least, std::int64_t most);
  void whole(const char* key, int& out, int least, int most);
  void real(const char* key, std::optional<double>& out, double least, double most);
  void pace(const char* key, std::chrono::milliseconds& out);
  /// Go text (`2h`, `1m30s`), days (`7d`) or a number of seconds; must be positive.
  void span(const char* key, std::optional<duration>& out);
  /// `resets-in` / `resets-at` under the given names.
  void reset_time(const char* in, const char* at, moment& out);
  /// A chunk count, or the word `opening`.
  void position(const char* key, std::optional<int>& out);
  void one_of(const char* key, std::string& out, std::initializer_list<std::string_view> words);
  void headers(const char* key, std::vector<header>& out);
  void each(const char* key, std::size_t most, const std::function<void(const YAML::Node&)>& use);

  void complain(const char* key, std::string_view what);
  void finish();

 private:
  std::optional<std::string> scalar(const char* key);

  YAML::Node node_;
  std::string where_;
  problems& problems_;
  std::vector<std::string> known_;
};

std::optional<duration> parse_span(std::string_view text);

}  // namespace tidegate::sim
