/// The rotation against a model that scans: same picks for any sequence of changes.

#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "quota/rotation.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/quota/fixtures.hpp"

namespace tidegate::quota {
namespace {

using namespace testing;

/// Selection as the rules state it, with a scan over all members for every pick.
class scanning_model {
 public:
  explicit scanning_model(strategy how) : how_{how} {}

  void put(const member_info& info) {
    auto [at, is_new] = members_.try_emplace(info.id);
    const bool reweighted = !is_new && at->second.info.weight != info.weight;
    if (is_new || at->second.info.priority != info.priority) forget_empty_tier(at->second, is_new);
    at->second.info = info;
    if (reweighted) {
      for (auto& [id, m] : members_) m.credit = 0;
    }
  }
  void remove(const credential_id& id) {
    const auto at = members_.find(id);
    if (at == members_.end()) return;
    forget_empty_tier(at->second, false);
    members_.erase(at);
  }
  void set_ready(const credential_id& id) {
    if (members_.contains(id)) members_[id].blocked = false;
  }
  void set_blocked(const credential_id& id, std::optional<instant> until) {
    if (!members_.contains(id)) return;
    members_[id].blocked = true;
    members_[id].until = until;
  }

  std::optional<credential_id> pick(instant now, const std::vector<credential_id>& tried) {
    std::vector<entry*> open;
    for (auto& [id, m] : members_) {
      const bool ready = !m.blocked || (m.until && *m.until <= now);
      const bool can = how_ != strategy::weighted_round_robin || m.info.weight > 0;
      if (ready && can && std::ranges::find(tried, id) == tried.end()) open.push_back(&m);
    }
    if (open.empty()) return std::nullopt;
    const int top = (*std::ranges::max_element(open, {}, [](entry* m) {
                      return m->info.priority;
                    }))->info.priority;
    std::erase_if(open, [top](entry* m) { return m->info.priority != top; });
    return choose(open, top)->info.id;
  }

 private:
  struct entry {
    member_info info;
    bool blocked = false;
    std::optional<instant> until;
    std::int64_t credit = 0;
  };

  entry* choose(const std::vector<entry*>& open, int priority) {
    switch (how_) {
      case strategy::fill_first:
        return open.front();
      case strategy::round_robin: {
        const auto last = cursor_.find(priority);
        auto next = last == cursor_.end()
                        ? open.begin()
                        : std::ranges::find_if(
                              open, [&](entry* m) { return m->info.id > last->second; });
        if (next == open.end()) next = open.begin();
        cursor_[priority] = (*next)->info.id;
        return *next;
      }
      case strategy::weighted_round_robin: {
        std::int64_t total = 0;
        for (entry* m : open) {
          m->credit += m->info.weight;
          total += m->info.weight;
        }
        entry* best = *std::ranges::max_element(open, {}, [](entry* m) { return m->credit; });
        best->credit -= total;
        return best;
      }
    }
    return nullptr;
  }

  /// A priority without members loses its cursor.
  void forget_empty_tier(const entry& leaving, bool is_new) {
    if (is_new) return;
    const auto peers = std::ranges::count_if(members_, [&](const auto& m) {
      return m.second.info.priority == leaving.info.priority;
    });
    if (peers == 1) cursor_.erase(leaving.info.priority);
  }

  strategy how_;
  std::map<credential_id, entry> members_;
  std::map<int, credential_id> cursor_;
};

struct step {
  int what = 0;
  int id = 0;
  int priority = 0;
  int weight = 0;
  int seconds = 0;
  std::vector<int> tried;
};

credential_id name(int i) { return {"c" + std::to_string(i)}; }

/// What RapidCheck prints of a counterexample.
std::ostream& operator<<(std::ostream& out, const step& s) {
  return out << "{what " << s.what << ", id " << s.id << ", priority " << s.priority << ", weight "
             << s.weight << ", seconds " << s.seconds << ", tried " << s.tried.size() << '}';
}

rc::Gen<step> any_step() {
  return rc::gen::build<step>(
      rc::gen::set(&step::what, rc::gen::inRange(0, 14)),
      rc::gen::set(&step::id, rc::gen::inRange(0, 50)),
      rc::gen::set(&step::priority, rc::gen::weightedElement<int>({{6, 0}, {1, 1}, {1, -1}})),
      rc::gen::set(&step::weight, rc::gen::weightedElement<int>({{5, 1}, {3, 3}, {2, 7}, {1, 0}})),
      rc::gen::set(&step::seconds, rc::gen::inRange(0, 40)),
      rc::gen::set(&step::tried, rc::gen::scale(0.1, rc::gen::container<std::vector<int>>(
                                                         rc::gen::inRange(0, 50)))));
}

std::vector<credential_id> names(const std::vector<int>& ids) {
  std::vector<credential_id> out;
  for (const int i : ids) out.push_back(name(i));
  return out;
}

/// Applies a change to anything with the interface of a rotation.
template <class Selection>
void change(Selection& to, const step& s, instant now) {
  switch (s.what) {
    case 0:
    case 1:
    case 2: to.put({name(s.id), s.priority, s.weight}); break;
    case 3: to.remove(name(s.id)); break;
    case 4: to.set_ready(name(s.id)); break;
    case 5: to.set_blocked(name(s.id), std::nullopt); break;
    case 6:
    case 7: to.set_blocked(name(s.id), now + std::chrono::seconds{s.seconds}); break;
    default: break;
  }
}

void look(rotation& at, instant now) {
  for (int i = 0; i < 50; ++i) {
    at.is_ready(name(i), now);
    at.find(name(i));
    at.pick_exactly(name(i), now);
  }
  at.next_ready_at();
}

std::vector<step> steps() {
  return *rc::gen::scale(3.0, rc::gen::container<std::vector<step>>(any_step()));
}

strategy any_strategy() {
  return *rc::gen::element(strategy::round_robin, strategy::weighted_round_robin,
                           strategy::fill_first);
}

}  // namespace

TEST_CASE("picks exactly what a scan over all members would pick, looking or not [T68]") {
  REQUIRE(rc::check("rotation equals its scanning model", [] {
    const auto how = any_strategy();
    rotation fast{how};
    rotation watched{how};
    scanning_model slow{how};
    instant now = t0;
    for (const step& s : steps()) {
      now += std::chrono::seconds{s.seconds} / 8;
      change(fast, s, now);
      change(watched, s, now);
      change(slow, s, now);
      look(watched, now);
      if (s.what < 8) continue;
      const auto tried = names(s.tried);
      const auto picked = fast.pick(now, tried);
      RC_ASSERT((picked == slow.pick(now, tried)));
      RC_ASSERT((picked == watched.pick(now, tried)));
      if (picked) RC_ASSERT(fast.is_ready(*picked, now));
    }
  }));
}

TEST_CASE("round-robin serves every ready member once per turn") {
  REQUIRE(rc::check("any n picks in a row over n ready members are distinct", [] {
    const auto ids = *rc::gen::nonEmpty(rc::gen::unique<std::vector<int>>(rc::gen::inRange(0, 50)));
    rotation pool{strategy::round_robin};
    for (const int i : ids) pool.put({name(i)});
    const int skipped = *rc::gen::inRange(0, 100);
    for (int i = 0; i < skipped; ++i) pool.pick(t0, {});
    std::vector<credential_id> turn;
    for (std::size_t i = 0; i < ids.size(); ++i) turn.push_back(pool.pick(t0, {}).value());
    std::ranges::sort(turn);
    RC_ASSERT((std::ranges::adjacent_find(turn) == turn.end()));
  }));
}

TEST_CASE("smooth weighting serves every member by its weight per cycle") {
  REQUIRE(rc::check("a cycle of all weights picks each member as often as it weighs", [] {
    const auto weights = *rc::gen::nonEmpty(
        rc::gen::scale(0.2, rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 9))));
    rotation pool{strategy::weighted_round_robin};
    int total = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      pool.put({name(static_cast<int>(i)), 0, weights[i]});
      total += weights[i];
    }
    std::map<std::string, int> served;
    for (int i = 0; i < total; ++i) ++served[pool.pick(t0, {}).value().value];
    for (std::size_t i = 0; i < weights.size(); ++i) {
      RC_ASSERT((served[name(static_cast<int>(i)).value] == weights[i]));
    }
  }));
}

TEST_CASE("ten thousand members are served in turn without a scan") {
  constexpr int members = 10'000;
  rotation pool{GENERATE(strategy::round_robin, strategy::weighted_round_robin)};
  for (int i = 0; i < members; ++i) pool.put({name(i), 0, 1});
  for (int i = 0; i < members; i += 2) pool.set_blocked(name(i), t0 + 1h);
  std::map<std::string, int> served;
  for (int i = 0; i < members; ++i) ++served[pool.pick(t0, {}).value().value];
  CHECK(served.size() == members / 2);
  CHECK(std::ranges::all_of(served, [](const auto& s) { return s.second == 2; }));
  CHECK(pool.next_ready_at() == t0 + 1h);
}

}  // namespace tidegate::quota
