#pragma once
/// Selection among ready members of one pool, without a scan: a pick costs O(log n) for round-robin
/// and fill-first, O(distinct weights * log n) for smooth weighted.
/// Owner: the pool actor. Pure. Rules: spec/quota.md 4.1 and 4.2.
///
/// A member is ready, or blocked until an instant (expiry is a comparison with `now`, never an
/// event), or blocked without end. Only the highest priority that has a ready member is used; a
/// priority whose ready members were all tried gives way to the next one.
///
/// Round-robin keeps one cursor per priority. Smooth weighted gives every ready, untried member its
/// weight per pick and takes the sum from the one chosen; members of equal weight gain alike, so
/// a group holds the common gain once and is ordered by what differs. A member that is not ready
/// keeps its credit as it was.

#include <cstddef>
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
  rotation(rotation&&) = default;
  rotation& operator=(rotation&&) = default;

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
  /// Takes this very member if it is ready; a bound pick moves no cursor and costs no credit.
  bool pick_exactly(const credential_id& id, instant now);

  std::size_t size() const;
  /// Earliest instant at which a blocked member becomes ready; none when there is none.
  std::optional<instant> next_ready_at() const;
  const member_info* find(const credential_id& id) const;

 private:
  struct member {
    member_info info;
    bool ready = false;            ///< not blocked
    std::optional<instant> until;  ///< end of the block; none = without end
    std::int64_t credit = 0;       ///< while ready: without the group's gain
  };
  struct by_id {
    using is_transparent = void;
    bool operator()(const member* a, const member* b) const { return a->info.id < b->info.id; }
    bool operator()(const member* a, const credential_id& b) const { return a->info.id < b; }
    bool operator()(const credential_id& a, const member* b) const { return a < b->info.id; }
  };
  struct by_credit {
    bool operator()(const member* a, const member* b) const;
  };
  struct by_expiry {
    bool operator()(const member* a, const member* b) const;
  };
  /// Ready members of one weight; a member's credit is its own plus `gain`.
  struct weight_group {
    std::set<member*, by_credit> ready;
    std::int64_t gain = 0;
  };
  /// Members of one priority.
  struct tier {
    std::size_t members = 0;
    std::set<member*, by_id> ready;                 ///< round-robin and fill-first
    std::map<std::int64_t, weight_group> weighted;  ///< smooth weighted, by weight
    std::int64_t weight_sum = 0;                    ///< of the ready members
    std::optional<credential_id> cursor;            ///< last picked
  };

  bool is_weighted() const { return how_ == strategy::weighted_round_robin; }
  bool can_be_picked(const member& m) const { return !is_weighted() || m.info.weight > 0; }
  void attach(member& m);
  void detach(member& m);
  void make_ready(member& m);
  /// Puts a member where its block state says: into its tier or among the waiting ones.
  void stand(member& m);
  void stand_down(member& m);
  void enter(tier& in, member& m);
  void leave(tier& in, member& m);
  void reset_credits();
  const member* next_in_order(const tier& in, std::span<const credential_id> tried) const;
  const member* pick_weighted(tier& in, std::span<const credential_id> tried);
  member* take_richest(tier& in);

  strategy how_;
  std::unordered_map<credential_id, member> members_;
  std::map<int, tier, std::greater<>> tiers_;
  std::set<int, std::greater<>> ready_priorities_;  ///< tiers with a ready member
  std::set<member*, by_expiry> waiting_;            ///< blocked until an instant
};

}  // namespace tidegate::quota
