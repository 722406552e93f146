#pragma once
/// Random JSON texts with random blanks, from a seed.

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tidegate::test {

class json_maker {
 public:
  explicit json_maker(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  std::string blanks() {
    constexpr std::string_view kinds = " \t\n\r";
    std::string out;
    for (std::size_t n = below(4) == 0 ? below(3) : 0; n > 0; --n) out += kinds[below(4)];
    return out;
  }

  std::string string() {
    static const std::vector<std::string> parts{"a", "model", "\\\"", "\\\\", "\\u00e9", "é", "{",
                                                "}", "[", "]", ":", ",", " ", "\\n", "漢", "null"};
    std::string out = "\"";
    for (std::size_t n = below(5); n > 0; --n) out += parts[below(parts.size())];
    return out + '"';
  }

  std::string scalar() {
    static const std::vector<std::string> fixed{
        "true", "false", "null", "0", "-1", "12", "1.50", "1.0e+2", "-0.25", "9007199254740993"};
    return below(2) == 0 ? string() : fixed[below(fixed.size())];
  }

  std::string value(int depth) {
    const std::size_t kind = depth <= 0 ? 0 : below(4);
    if (kind <= 1) return scalar();
    if (kind == 2) return object(depth - 1, {});
    std::string out = "[" + blanks();
    for (std::size_t n = below(4), i = 0; i < n; ++i) {
      out += (i > 0 ? "," : "") + blanks() + value(depth - 1) + blanks();
    }
    return out + "]";
  }

  /// Keys are k0, k1 ... unless given.
  std::string object(int depth, const std::vector<std::string>& keys) {
    std::string out = "{" + blanks();
    const std::size_t count = keys.empty() ? below(4) : keys.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string key = keys.empty() ? "k" + std::to_string(i) : keys[i];
      if (i > 0) out += "," + blanks();
      out += "\"" + key + "\"" + blanks() + ":" + blanks() + value(depth) + blanks();
    }
    return out + "}";
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace tidegate::test
