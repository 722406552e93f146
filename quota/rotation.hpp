#pragma once
/// Selection among ready members of one pool. Cost per pick does not grow with the number of
/// members: O(log n) for round-robin and fill-first, O(distinct weights * log n) for smooth weighted.
/// Owner: the pool actor. Pure. Rules: spec/quota.md 4.1 and 4.2.
///
/// A member is ready, or blocked until an instant (expiry is a comparison with `now`, never an
/// event), or blocked without end. Only the highest priority that has a ready member is used.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "quota/options.hpp"

namespace tidegate::quota {

struct member_info {
  credential_id id;
  int priority = 0;
  std::int64_t weight = 1;
};

class rotation {
 public:
  explicit rotation(strategy how);

  /// Adds a ready member or replaces its priority and weight (block state and order are kept;
  /// a changed weight resets smooth-weighted credits).
  void put(const member_info& member);
  void remove(const credential_id& id);

  void set_ready(const credential_id& id);
  /// `until` empty: blocked until set_ready.
  void set_blocked(const credential_id& id, std::optional<instant> until);

  /// The next member, skipping `tried`; moves the cursor. Weight 0 is never picked under the
  /// weighted strategy. nullopt when none is ready.
  std::optional<credential_id> pick(instant now, std::span<const credential_id> tried);

  /// Whether this member could be picked now (affinity, pin); looking does not move anything.
  bool is_ready(const credential_id& id, instant now) const;
  /// Takes this very member if it is ready; under affinity a bound pick moves no cursor.
  bool pick_exactly(const credential_id& id, instant now);

  std::size_t size() const;
  /// Earliest instant at which a blocked member becomes ready; none when there is none.
  std::optional<instant> next_ready_at() const;
  const member_info* find(const credential_id& id) const;

 private:
};

}  // namespace tidegate::quota
