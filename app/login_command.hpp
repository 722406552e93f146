#pragma once
/// `tidegate login`: the command line of account logins.

#include <CLI/CLI.hpp>
#include <string>

#include "app/login_run.hpp"

namespace tidegate::app {

/// Adds itself to the command line, which must not outlive it.
class login_command {
 public:
  explicit login_command(CLI::App& cli);
  bool chosen() const { return command_->parsed(); }
  /// What is wrong with the command line beyond its form; empty when nothing is.
  std::string mistake() const;
  int run() const;

 private:
  int import_key() const;

  CLI::App* command_;
  CLI::Option* named_config_ = nullptr;
  CLI::Option* named_port_ = nullptr;
  std::string provider_;
  std::string file_;
  std::string config_ = "./config.yaml";
  std::string location_;
  std::string prefix_;
  login_order order_;
};

}  // namespace tidegate::app
