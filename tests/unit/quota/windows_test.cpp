#include "quota/windows.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "quota/outcome.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::quota {
namespace {

window with(std::optional<double> used, std::string status = "") {
  window w;
  w.used_percent = used;
  w.status = std::move(status);
  return w;
}

}  // namespace

TEST_CASE("telemetry states room when nothing is used up and something says so") {
  struct row {
    std::vector<window> windows;
    bool room;
  };
  const auto r = GENERATE(values<row>({
      {{}, false},
      {{with(3.0)}, true},
      {{with(0.0)}, true},
      {{with(99.9), with(12.0)}, true},
      {{with(100.0)}, false},
      {{with(3.0), with(104.5)}, false},
      {{with({}, "allowed")}, true},
      {{with({}, "allowed_warning")}, false},
      {{with(97.0, "allowed_warning")}, true},
      {{with({}, "allowed"), with({}, "rejected")}, false},
      {{with(100.0, "allowed")}, false},
      {{with({}), with(20.0)}, true},
      {{with({})}, false},
  }));
  CHECK(states_room({r.windows, "headers", {}}) == r.room);
}

TEST_CASE("every class of outcome has its own name") {
  std::vector<std::string_view> names;
  for (int kind = 0; kind <= static_cast<int>(outcome_class::cancelled); ++kind) {
    names.push_back(to_string(static_cast<outcome_class>(kind)));
  }
  std::ranges::sort(names);
  CHECK(std::ranges::adjacent_find(names) == names.end());
  CHECK(std::ranges::find(names, "unknown") == names.end());
}

}  // namespace tidegate::quota
