#pragma once
/// The files of the golden cases, below tests/golden:
///
///   requests/PROTOCOL/CASE.json                what a client sends
///   answers/PROTOCOL/CASE.json and CASE.sse    what a provider answers, whole and as a stream
///   CLIENT_to_PROVIDER/CASE/request.json       the provider's request, and what it lost
///   CLIENT_to_PROVIDER/CASE/answer.json        the client's answer
///   CLIENT_to_PROVIDER/CASE/stream.sse         the client's stream
///
/// TG_UPDATE_GOLDEN=1 in the environment writes the expected files instead of comparing with them:
/// read every difference before it is committed.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "tests/support/catch.hpp"

namespace tidegate::golden {

namespace fs = std::filesystem;

inline const fs::path& root() {
  static const fs::path folder = fs::path{TIDEGATE_SOURCE_DIR} / "tests" / "golden";
  return folder;
}

inline std::optional<std::string> read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>{in}, {}};
}

/// Names of the cases of one folder of inputs.
inline std::set<std::string> cases_in(const fs::path& folder) {
  std::set<std::string> out;
  for (const auto& entry : fs::directory_iterator{root() / folder}) {
    out.insert(entry.path().stem().string());
  }
  return out;
}

/// Where two texts part, with the lines around it.
inline std::string difference(std::string_view expected, std::string_view actual) {
  std::size_t at = 0;
  while (at < expected.size() && at < actual.size() && expected[at] == actual[at]) ++at;
  const auto around = [at](std::string_view text) {
    constexpr std::size_t context = 160;
    const std::size_t begin = at < context ? 0 : at - context;
    return std::string{text.substr(begin, 2 * context)};
  };
  return "expected ..." + around(expected) + "...\n  actual ..." + around(actual) + "...";
}

/// The expected files of one ordered pair.
class expectations {
 public:
  explicit expectations(const std::string& pair) : pair_(pair) {
    if (updates_) fs::remove_all(root() / pair_);
  }

  void expect(const std::string& name, const std::string& file, const std::string& actual) {
    const fs::path place = fs::path{pair_} / name / file;
    used_.insert(place);
    if (updates_) {
      fs::create_directories((root() / place).parent_path());
      std::ofstream{root() / place, std::ios::binary} << actual;
      return;
    }
    const auto expected = read(root() / place);
    INFO(place.string());
    if (!expected) {
      FAIL_CHECK("no such golden");
    } else if (*expected != actual) {
      FAIL_CHECK(difference(*expected, actual));
    }
  }

  void expect_no_others() const {
    for (const auto& entry : fs::recursive_directory_iterator{root() / pair_}) {
      if (!entry.is_regular_file()) continue;
      const auto place = entry.path().lexically_relative(root());
      if (!used_.contains(place)) FAIL_CHECK("nothing makes " << place.string());
    }
  }

 private:
  std::string pair_;
  bool updates_ = std::getenv("TG_UPDATE_GOLDEN") != nullptr;
  std::set<fs::path> used_;
};

}  // namespace tidegate::golden
