#include "app/command_line.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "actors/config_source.hpp"
#include "app/credentials_command.hpp"
#include "app/login_command.hpp"
#include "app/named_files.hpp"
#include "app/process.hpp"
#include "app/sim/run.hpp"
#include "base/version.hpp"
#include "config/check.hpp"
#include "config/print.hpp"
#include "config/suggest.hpp"

namespace tidegate::app {
namespace {

constexpr int wrong_command_line = 2;

constexpr const char* codes =
    "Exit code: 0 done, 1 the configuration or the environment is wrong, 2 the command line is.";
constexpr const char* serve_footer =
    "Signals: SIGTERM and SIGINT stop the gateway: no new requests, running ones may finish within\n"
    "server.timeouts.drain; a second one cuts these at once. SIGHUP reads the configuration again.\n"
    "Exit code: 0 stopped by a signal, requests cut or not, 1 not started, 2 the command line is "
    "wrong.";
constexpr const char* sim_footer =
    "Signals: SIGTERM and SIGINT stop it at once.\n"
    "Exit code: 0 stopped by a signal, 1 not started, 2 the command line is wrong.";

/// The configuration file of a command: an option, or the same without its name.
struct file_choice {
  std::string option = "./config.yaml";
  std::string plain;

  void add_to(CLI::App* command) {
    auto* named = command->add_option("-c,--config", option, "configuration file (YAML)");
    named->capture_default_str();
    command->add_option("FILE", plain, "the same without --config")->excludes(named);
  }
  const std::string& path() const { return plain.empty() ? option : plain; }
};

/// Prints what is wrong, one finding a line.
void print_problems(const std::vector<std::string>& problems, std::FILE* to) {
  for (const auto& problem : problems) std::fprintf(to, "%s\n", problem.c_str());
}

int check_config(const std::string& path) {
  const auto found = actors::file_config_source(path).read();
  print_problems(found.problems, stdout);
  if (!found.snapshot) return 1;
  const auto unusable = unusable_files(path, *found.snapshot);
  print_problems(unusable, stdout);
  if (!unusable.empty()) return 1;
  std::printf("%s: ok, %zu credentials\n", path.c_str(), found.credentials->size());
  return 0;
}

int print_config(const std::string& path, bool redact) {
  const auto found = actors::file_config_source(path).read();
  print_problems(found.problems, stderr);
  if (!found.snapshot) return 1;
  const auto secrets = redact ? config::visibility::masked : config::visibility::revealed;
  std::fputs(config::print_config(*found.snapshot, secrets).c_str(), stdout);
  return 0;
}

int simulate(const sim::options& what) {
  if (const auto why = unreadable(what.script)) {
    std::fprintf(stderr, "tidegate sim: %s: %s\n", what.script.c_str(), why->c_str());
    return 1;
  }
  return sim::run_sim(what);
}

/// "unknown WHAT "NAME" (did you mean OTHER?)".
std::string unknown(std::string_view what, const std::string& name,
                    const std::vector<std::string>& known) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  return "unknown " + std::string{what} + " " + config::shown(name) +
         config::did_you_mean(config::nearest(name, names));
}

std::vector<std::string> command_names(const CLI::App& cli) {
  std::vector<std::string> out;
  for (const auto* command : cli.get_subcommands([](const auto*) { return true; })) {
    out.push_back(command->get_name());
  }
  return out;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> out;
  for (const auto* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) out.push_back("--" + name);
  }
  return out;
}

/// What is wrong with the command line, in our words where the library's leave the reason out.
std::string explain(const CLI::App& cli, const CLI::ParseError& reason) {
  const auto chosen = cli.get_subcommands();
  const auto rest = cli.remaining(true);
  if (!rest.empty() && rest.front().starts_with('-')) {
    const auto& where = chosen.empty() ? cli : *chosen.front();
    return unknown("option", rest.front().substr(0, rest.front().find('=')), option_names(where));
  }
  if (!rest.empty() && chosen.empty()) {
    return unknown("command", rest.front(), command_names(cli));
  }
  if (!rest.empty()) return "unexpected argument " + config::shown(rest.front());
  if (chosen.empty()) {
    std::string names;
    for (const auto& name : command_names(cli)) names += (names.empty() ? "" : ", ") + name;
    return "a command is needed: " + names;
  }
  if (dynamic_cast<const CLI::ExcludesError*>(&reason) != nullptr) {
    return "the configuration file is named twice; give FILE or --config FILE";
  }
  return reason.what();
}

int refuse(const CLI::App& cli, const std::string& why) {
  const auto chosen = cli.get_subcommands();
  const auto command = chosen.empty() ? std::string{} : " " + chosen.front()->get_name();
  std::fprintf(stderr, "tidegate%s: %s\nMore with: tidegate%s --help\n", command.c_str(),
               why.c_str(), command.c_str());
  return wrong_command_line;
}

}  // namespace

int run(int argc, char* argv[]) {
  CLI::App cli{"Tidegate: a gateway in front of LLM providers that tells the truth about quota"};
  cli.set_version_flag("--version", "tidegate " + std::string{version});
  cli.require_subcommand(1);

  file_choice file;
  auto* serve = cli.add_subcommand("serve", "run the gateway in the foreground");
  file.add_to(serve);
  serve->footer(serve_footer);
  auto* check = cli.add_subcommand("check-config", "list every mistake of a configuration file");
  file.add_to(check);
  check->footer(codes);
  auto* print = cli.add_subcommand("print-config", "print the configuration as it is understood");
  file.add_to(print);
  print->footer(codes);
  bool effective = false;
  bool redact = false;
  print->add_flag("--effective", effective, "with defaults filled in (always so; kept for scripts)");
  print->add_flag("--redact", redact, "mask every secret");
  auto* upstream = cli.add_subcommand("sim", "run the scripted upstream, a test tool");
  sim::options sim_options;
  upstream->add_option("-s,--script", sim_options.script, "script file (YAML, docs/sim.md)")
      ->required();
  upstream->add_option("-p,--port", sim_options.port, "port on 127.0.0.1; 0 picks a free one");
  upstream->footer(sim_footer);
  const login_command login{cli};
  const credentials_command credentials{cli};
  cli.footer(
      "Each command has its own --help: options, signals, exit codes.\n"
      "Documentation: README.md and docs/.");

  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& reason) {
    return reason.get_exit_code() == 0 ? cli.exit(reason) : refuse(cli, explain(cli, reason));
  }
  if (*upstream) return simulate(sim_options);
  if (login.chosen()) {
    const auto wrong = login.mistake();
    return wrong.empty() ? login.run() : refuse(cli, wrong);
  }
  if (credentials.chosen()) {
    const auto wrong = credentials.mistake();
    return wrong.empty() ? credentials.run() : refuse(cli, wrong);
  }
  if (file.path().empty()) return refuse(cli, "the name of the configuration file is empty");
  if (*serve) return serve_forever(file.path());
  if (*check) return check_config(file.path());
  return print_config(file.path(), redact);
}

}  // namespace tidegate::app
