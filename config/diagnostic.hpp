#pragma once
/// What is wrong or doubtful in a configuration text, with its place. Lines and columns count from
/// one; zero means that the finding concerns the whole text. No finding repeats a secret.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidegate::config {

enum class severity : std::uint8_t {
  error,    ///< the text is refused
  warning,  ///< the text is used; this part of it has no effect or not the one expected
};

struct position {
  int line = 0;    ///< from 1; 0 = no place
  int column = 0;  ///< from 1; 0 = no place
};

struct diagnostic {
  severity level = severity::error;
  std::string key;   ///< dotted path as the file spells it, may be empty
  int line = 0;      ///< from 1; 0 = the whole text
  int column = 0;    ///< from 1; 0 = the whole text
  std::string text;  ///< what is wrong and what would be right
};

/// More findings than this are counted, not kept.
inline constexpr std::size_t diagnostics_max = 200;

/// Collects findings while one text is read. Single-threaded.
class report {
 public:
  void error(std::string key, position at, std::string text);
  void warning(std::string key, position at, std::string text);

  bool failed() const noexcept { return failed_; }
  bool full() const noexcept { return list_.size() >= diagnostics_max; }

  /// The findings in the order of the text; the report is empty afterwards.
  std::vector<diagnostic> take();

 private:
  void add(severity level, std::string key, position at, std::string text);

  std::vector<diagnostic> list_;
  std::size_t dropped_ = 0;
  bool failed_ = false;
};

/// A value as a message may show it: quoted, control characters replaced, at most 60 bytes.
std::string shown(std::string_view value);

}  // namespace tidegate::config
