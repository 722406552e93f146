#include "app/command_line.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "actors/config_source.hpp"
#include "app/named_files.hpp"
#include "app/process.hpp"
#include "app/sim/run.hpp"
#include "base/version.hpp"
#include "config/check.hpp"
#include "config/print.hpp"

namespace tidegate::app {
namespace {

constexpr const char* default_config = "./config.yaml";

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

}  // namespace

int run(int argc, char* argv[]) {
  CLI::App cli{"Tidegate: a gateway in front of LLM providers that tells the truth about quota"};
  cli.set_version_flag("--version", "tidegate " + std::string{version});
  cli.require_subcommand(1);
  cli.footer(
      "Signals: SIGTERM and SIGINT drain and stop, SIGHUP reloads the configuration.\n"
      "Documentation: README.md and docs/.");

  std::string path = default_config;
  const auto config_option = [&](CLI::App* command) {
    command->add_option("-c,--config", path, "configuration file (YAML)")->capture_default_str();
  };

  auto* serve = cli.add_subcommand("serve", "run the gateway in the foreground");
  config_option(serve);
  auto* check = cli.add_subcommand("check-config", "list every mistake of a configuration file");
  config_option(check);
  auto* print = cli.add_subcommand("print-config", "print the configuration as it is understood");
  config_option(print);
  bool effective = false;
  bool redact = false;
  print->add_flag("--effective", effective, "with defaults filled in (always so; kept for scripts)");
  print->add_flag("--redact", redact, "mask every secret");
  auto* simulate = cli.add_subcommand("sim", "run the scripted upstream, a test tool");
  sim::options sim_options;
  simulate->add_option("-s,--script", sim_options.script, "script file (YAML, docs/sim.md)")
      ->required();
  simulate->add_option("-p,--port", sim_options.port, "port on 127.0.0.1; 0 picks a free one");

  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& reason) {
    return cli.exit(reason) == 0 ? 0 : 2;
  }
  if (*serve) return serve_forever(path);
  if (*check) return check_config(path);
  if (*print) return print_config(path, redact);
  return sim::run_sim(sim_options);
}

}  // namespace tidegate::app
