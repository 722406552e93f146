#pragma once
/// Where a reader is in a body, so that an error can name the member. The first failure stays.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidegate::protocol::messages {

class place {
 public:
  /// Goes one step down for its own lifetime.
  class step {
   public:
    step(place& in, std::string_view key) : in_(in) { in_.steps_.push_back({key, {}}); }
    step(place& in, std::size_t position) : in_(in) { in_.steps_.push_back({{}, position}); }
    step(const step&) = delete;
    step& operator=(const step&) = delete;
    ~step() { in_.steps_.pop_back(); }

   private:
    place& in_;
  };

  /// Always false, so that a reader can return it.
  bool fail(std::string_view what);
  bool fail(std::string_view key, std::string_view what) {
    const step down(*this, key);
    return fail(what);
  }
  bool failed() const { return !detail_.empty(); }
  const std::string& detail() const { return detail_; }

 private:
  struct part {
    std::string_view key;
    std::optional<std::size_t> position;
  };

  std::vector<part> steps_;
  std::string detail_;
};

}  // namespace tidegate::protocol::messages
