/// The renewer's part that remembers what was given out: until a file has taken it, and in place of
/// which token it came.

#include <algorithm>
#include <caf/all.hpp>
#include <utility>

#include "actors/renewer.hpp"

namespace tidegate::actors {

void renewer_state::remember(given what) {
  if (given_.size() >= given_max) {
    const auto taken = std::ranges::find(given_, true, &given::written);
    given_.erase(taken == given_.end() ? given_.begin() : taken);
  }
  given_.push_back(std::move(what));
}

renewer_state::given_tokens::iterator renewer_state::newest_for(
    const secret_string& refresh_token) {
  auto found = std::ranges::find(given_, refresh_token, &given::replaces);
  for (std::size_t steps = 0; found != given_.end() && steps < given_.size(); ++steps) {
    const auto next = std::ranges::find(given_, found->fresh.refresh_token, &given::replaces);
    if (next == given_.end() || next == found) break;
    found = next;
  }
  return found;
}

renewer_state::given_tokens::iterator renewer_state::unwritten_of(const credential_id& id) {
  return std::ranges::find_if(
      given_, [&](const given& one) { return !one.written && one.wanted.who->id == id; });
}

void renewer_state::look(const renewal_request& found) {
  const auto& token = found.who->refresh_token;
  if (stopping_ || token.empty()) return;
  if (newest_for(token) != given_.end()) return save(found);
  for (auto& [id, flight] : flights_) {
    const bool same = flight.current->refresh_token == token && id != found.who->id;
    if (same) flight.elsewhere = found;
  }
}

void renewer_state::arm_write(const credential_id& id) {
  const auto kept = unwritten_of(id);
  if (kept == given_.end() || stopping_ || std::exchange(kept->armed, true)) return;
  self_->delayed_send(self_, write_look, write_atom_v, id);
}

void renewer_state::write_again(const credential_id& id) {
  const auto kept = unwritten_of(id);
  if (kept == given_.end()) return;
  kept->armed = false;
  if (stopping_ || ++kept->looks > write_looks_max) return;
  save(kept->wanted);
}

}  // namespace tidegate::actors
