#pragma once
/// `tidegate credentials`: the command line of credential files.

#include <CLI/CLI.hpp>
#include <string>

#include "base/error.hpp"
#include "config/snapshot.hpp"

namespace tidegate::app {

/// Adds itself to the command line, which must not outlive it.
class credentials_command {
 public:
  explicit credentials_command(CLI::App& cli);
  bool chosen() const { return command_->parsed(); }
  /// What is wrong with the command line beyond its form; empty when nothing is.
  std::string mistake() const;
  int run() const;

 private:
  result<void> act(const config::snapshot_ptr& settings) const;
  result<void> import(const config::snapshot& settings) const;
  result<void> change(const config::snapshot& settings, bool disabled) const;
  result<void> remove(const config::snapshot& settings) const;
  result<void> reset(const config::snapshot_ptr& settings) const;
  result<void> refresh(const config::snapshot_ptr& settings) const;
  void say(const std::string& text, const char* done) const;

  CLI::App* command_;
  CLI::Option* named_config_ = nullptr;
  CLI::Option* named_file_ = nullptr;
  std::string action_;
  std::string what_;
  std::string name_;
  std::string config_ = "./config.yaml";
  bool as_json_ = false;
};

}  // namespace tidegate::app
