#pragma once
/// The actor that alone writes files. Writes are collected per credential and flushed once per
/// debounce interval, so a crash loses at most that interval. Runs detached: it blocks on the disk.

#include <caf/typed_event_based_actor.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "actors/environment.hpp"
#include "actors/interfaces.hpp"
#include "persistence/store.hpp"

namespace tidegate::actors {

/// Name of the operator switches' file in the credential directory; hidden, so never taken for a
/// credential.
inline constexpr std::string_view switches_file = ".operator-switches.json";
inline constexpr std::size_t switches_file_bytes_max = 4 * 1024 * 1024;

/// Longest time between a change of cooldowns and its file.
inline constexpr std::chrono::milliseconds save_debounce{250};

class persistence_state {
 public:
  static inline const char* name = "persistence";
  using pointer = persistence_actor::stateful_pointer<persistence_state>;

  void start(pointer self, environment_ptr env);
  void save(const save_request_ptr& wanted);
  restored_ptr load(const load_request& wanted);
  switches_ptr load_switches(const std::string& root) const;
  write_answer save_switches(const std::string& root, const switches& now);
  held_answer hold(const std::string& root, const std::string& file) const;
  held_answer reread(const held_file& held) const;
  write_answer keep(const held_file& held) const;
  write_answer write(const held_file& held, const secret_string& text);
  held_answer read(const std::string& root, const std::string& file) const;
  write_answer create(const std::string& root, const std::string& file, const secret_string& text);
  write_answer remove(const std::string& root, const std::string& file) const;
  void confirm(const std::string& root, const std::string& file) const;
  bool flush();
  void on_tick();
  inspection inspect() const;

 private:
  /// One for as long as the directory is the same: it is cleared of temp files once.
  tidegate::persistence::cooldown_store& store_of(const std::string& root);

  pointer self_ = nullptr;
  environment_ptr env_;
  std::optional<std::pair<std::string, tidegate::persistence::cooldown_store>> store_;
  std::map<credential_id, save_request_ptr> pending_;  ///< newest per credential
  bool armed_ = false;
  std::uint64_t written_ = 0;
  std::uint64_t failures_ = 0;
};

persistence_actor::behavior_type persistence(persistence_state::pointer self, environment_ptr env);

}  // namespace tidegate::actors
