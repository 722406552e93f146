#pragma once
/// http::credential_desk over the persistence and the config actor.

#include <caf/actor_system.hpp>

#include <chrono>
#include <string>
#include <vector>

#include "actors/asio/bridge.hpp"

namespace tidegate::actors {

/// The same without the place of the credential directory.
std::string without_root(std::string text, const std::string& root);
error without_root(error why, const std::string& root);

class file_desk final : public http::credential_desk {
 public:
  /// Both outlive it.
  file_desk(caf::actor_system& system, const bridge_parts& parts)
      : system_(system), parts_(parts) {}

  http::awaitable<result<secret_string>> read(std::string file) override;
  http::awaitable<result<void>> put(std::string file, secret_string text) override;
  http::awaitable<result<void>> change(std::string file, std::string patch) override;
  http::awaitable<std::vector<result<void>>> remove(std::vector<std::string> files) override;

 private:
  http::awaitable<result<held_file_ptr>> hold(std::string file);
  http::awaitable<result<void>> replace(held_file_ptr held, secret_ptr text);
  http::awaitable<result<void>> create(std::string file, secret_ptr text);
  /// What was written comes into force.
  http::awaitable<result<void>> in_force(result<write_answer> written, std::string file);
  result<void> written_end(const result<write_answer>& written, const std::string& file) const;
  http::awaitable<result<void>> read_again();
  std::chrono::steady_clock::time_point end_of_patience() const;
  template <class Answer, class Try, class Why>
  http::awaitable<result<Answer>> patiently(Try attempt, Why why_of,
                                            std::chrono::steady_clock::time_point give_up);
  /// For a caller who knows the file by its name only.
  error told(error why, const std::string& file, const std::string& root) const;
  result<std::string> directory() const;

  caf::actor_system& system_;
  const bridge_parts& parts_;
};

}  // namespace tidegate::actors
