#pragma once
/// Checks that events come in a legal order (event.hpp). Every encoder test runs through it, and
/// the relay may. One object per answer.

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "protocol/canonical/event.hpp"

namespace tidegate::protocol {

class event_order {
 public:
  /// What is wrong with this event here; nullopt when it is legal.
  std::optional<std::string> check(const event& next);
  /// What is missing when no event follows.
  std::optional<std::string> check_end() const;

 private:
  bool started_ = false;
  bool finished_ = false;
  bool failed_ = false;
  std::uint32_t opened_ = 0;
  std::set<std::uint32_t> open_;
};

}  // namespace tidegate::protocol
