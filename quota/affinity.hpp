#pragma once
/// Session affinity: which credential a session's model is bound to. Bounded, least recently used
/// goes first, entries expire. Owner: the pool actor. Pure.

#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace tidegate::quota {

inline constexpr std::size_t affinity_entries_max = 65'536;

class affinity {
 public:
  explicit affinity(std::chrono::seconds ttl);
  affinity(affinity&&) = default;
  affinity& operator=(affinity&&) = default;

  /// The bound credential; refreshes the expiry.
  std::optional<credential_id> find(std::string_view session, instant now);
  void bind(std::string_view session, const credential_id& to, instant now);
  /// Removes the binding if it still points there.
  void unbind(std::string_view session, const credential_id& from);
  /// Drops every binding to a removed credential.
  void forget(const credential_id& gone);
  std::size_t size() const { return entries_.size(); }

 private:
  struct entry {
    std::string session;
    credential_id to;
    instant expires;
  };
  void refresh(std::list<entry>::iterator bound, instant now);
  void drop(std::list<entry>::iterator bound);

  std::chrono::seconds ttl_;
  std::list<entry> order_;  ///< most recently used first
  /// Its keys are views of the sessions in order_.
  std::unordered_map<std::string_view, std::list<entry>::iterator> entries_;
};

}  // namespace tidegate::quota
