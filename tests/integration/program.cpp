#include "tests/integration/program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace tidegate::test {

program::program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), TIDEGATE_PROGRAM);
  std::array<int, 2> out{};
  std::array<int, 2> in{};
  if (pipe(out.data()) != 0 || pipe2(in.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, out[0]);
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const int failed = posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(out[1]);
  ::close(in[0]);
  output_ = out[0];
  input_ = in[1];
  if (failed != 0) throw std::runtime_error("cannot start " + arguments[0]);
}

program::~program() {
  if (pid_ > 0) {
    send(SIGKILL);
    code();
  }
  ::close(output_);
  ::close(input_);
}

void program::send(int signal) { ::kill(pid_, signal); }

void program::type(std::string_view text) {
  if (::write(input_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error("the program does not read");
  }
}

int program::code() {
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string program::text_until(std::string_view mark) {
  std::string text;
  for (char c = 0; ::read(output_, &c, 1) == 1;) {
    text += c;
    if (c == '\n' && !mark.empty() && text.find(mark) != std::string::npos) break;
  }
  return text;
}

std::uint16_t port_in(const std::string& text) {
  const auto at = text.find(listening);
  if (at == std::string::npos) throw std::runtime_error("not ready: " + text);
  return static_cast<std::uint16_t>(std::stoi(text.substr(at + listening.size())));
}

}  // namespace tidegate::test
