#pragma once
/// What the simulated provider was asked: counters per key and model, and the last requests with
/// headers and body, for tests and `GET /sim/requests`. Keys are kept and shown as they came:
/// the simulator is only for invented keys. Not thread-safe; the server's strand owns it.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/sim/call.hpp"
#include "base/time.hpp"

namespace tidegate::sim {

inline constexpr std::size_t entries_max = 1000;
inline constexpr std::size_t entry_body_bytes_max = 64 * 1024;
inline constexpr std::size_t counter_pairs_max = 20'000;  ///< above it under the name "(others)"

enum class outcome : std::uint8_t {
  open,         ///< being answered
  complete,     ///< all bytes of the plan were written
  misbehaved,   ///< ended as the script wanted: cut, reset, stall
  client_left,  ///< the peer closed or reset before the end
};

std::string_view to_string(outcome how);

struct entry {
  std::uint64_t id = 0;  ///< ascending; never used twice
  instant at;
  call what;
  std::string target;
  int status = 0;  ///< 0 = no head was sent
  std::size_t rule_index = 0;
  std::size_t reply_index = 0;
  bool matched = true;  ///< false = no rule matched
  outcome ended = outcome::open;
  std::vector<header> headers;
  std::size_t body_bytes = 0;
  std::string body;  ///< its first `entry_body_bytes_max` bytes
};

struct counter {
  std::uint64_t requests = 0;
  std::uint64_t answers = 0;   ///< status 2xx
  std::uint64_t failures = 0;  ///< any other status, or no head
  std::uint64_t clients_left = 0;
};

struct journal_view {
  std::uint64_t total = 0;
  std::uint64_t in_flight = 0;
  std::map<std::pair<std::string, std::string>, counter> by_key_and_model;
  std::vector<entry> requests;  ///< oldest first
  /// Requests of one key, or of one key and model.
  std::uint64_t count(std::string_view key) const;
  std::uint64_t count(std::string_view key, std::string_view model) const;
};

class journal {
 public:
  /// Ascending from 1, also across `reset`.
  std::uint64_t next_id() { return ++last_id_; }
  void begin(entry&& what, bool keep);
  void end(std::uint64_t id, const std::string& key, const std::string& model, outcome how);
  void reset();
  journal_view view(std::size_t last) const;

 private:
  counter& counter_of(const std::string& key, const std::string& model);

  std::uint64_t last_id_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t in_flight_ = 0;
  std::uint64_t oldest_ = 1;  ///< ids below it belong to the time before a reset
  std::map<std::pair<std::string, std::string>, counter> counters_;
  std::deque<entry> entries_;
};

/// The document of `GET /sim/requests`.
std::string journal_json(const journal_view& view);

}  // namespace tidegate::sim
