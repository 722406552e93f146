#pragma once
/// The program itself as a child process, as a user starts it.

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace tidegate::test {

/// The program with these arguments; standard output and standard error are one text. Killed, not
/// asked, when it goes out of scope.
class program {
 public:
  explicit program(std::vector<std::string> arguments);
  ~program();
  program(const program&) = delete;
  program& operator=(const program&) = delete;

  void send(int signal);
  /// Types into its standard input, which stays open until the end.
  void type(std::string_view text);
  /// Waits for the end. Exit code, or minus the signal that ended it.
  int code();
  /// Up to the line that holds `mark`, or to the end of the output.
  std::string text_until(std::string_view mark);

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  int input_ = -1;
};

/// A gateway's line when it is ready, up to the port.
inline constexpr std::string_view listening = "listening on http://127.0.0.1:";

/// The port in that line; throws with the text when there is none.
std::uint16_t port_in(const std::string& text);

}  // namespace tidegate::test
