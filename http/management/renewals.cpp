/// New tokens on request, for one account or for all of them.

#include "base/log.hpp"
#include "http/management/selector.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidegate::http::management {
namespace {

struct renewal_order {
  selector who;
  bool everybody = false;
};

/// How one account's renewal ended.
struct renewal_end {
  std::string name;
  int status = 200;  ///< what it is answered with alone
  std::string why;   ///< empty = it has new tokens
};

result<renewal_order> renewal_order_of(const request& in) {
  const auto body = body_object(in);
  if (!body) return std::unexpected{body.error()};
  auto who = selector_of(*body);
  if (!who) return std::unexpected{who.error()};
  const auto all = body->value("all", json{});
  if (!all.is_null() && !all.is_boolean()) {
    return failed(errc::invalid_input, "all is true or false");
  }
  const bool everybody = all == true;
  if (!everybody && !who->names_one()) {
    return failed(errc::invalid_input, "name, auth_index or all is required");
  }
  if (everybody && who->names_one()) {
    return failed(errc::invalid_input, "all and a name exclude each other; nothing was renewed");
  }
  return renewal_order{std::move(*who), everybody};
}

std::string way_back(provider::kind of) {
  using provider::kind;
  if (of == kind::codex || of == kind::kimi || of == kind::xai) {
    return fmt::format("log in again: tidegate login {}", provider::to_string(of));
  }
  if (of == kind::vertex) return "import a key again: tidegate login vertex KEY.json";
  return "import a login again: tidegate credentials import FILE";
}

renewal_end end_of(const credential_view& before, const result<credential_view>& after) {
  constexpr const char* gone = "its file was renamed or deleted meanwhile; nothing was renewed";
  renewal_end end{name_of(*before.record), 200, {}};
  if (!after && after.error().code != errc::not_found) {
    end.status = mistake(after.error()).status;
    end.why = after.error().detail.empty() ? to_string(after.error().code) : after.error().detail;
  } else if (!after) {
    end.status = 409;
    end.why = gone;
  } else if (after->token.successes <= before.token.successes) {
    // One that is still running is left alone by whoever was to tell its end.
    const bool ended = after->token.state != "running" && !after->token.reason.empty();
    const bool rejected = after->token.state == "rejected";
    end.status = ended && !rejected ? 503 : 409;
    end.why = ended ? after->token.reason : gone;
    if (ended && rejected) end.why += "; " + way_back(before.record->provider);
  }
  return end;
}

protocol::reply renewals_reply(const std::vector<renewal_end>& ends) {
  auto files = ordered_json::array();
  std::size_t refused = 0;
  int worst = 200;
  for (const auto& end : ends) {
    const bool fresh = end.why.empty();
    ordered_json entry{{"name", end.name}, {"status", fresh ? "ok" : "error"}};
    if (!fresh) entry["error"] = end.why;
    files.push_back(std::move(entry));
    refused += fresh ? 0 : 1;
    worst = std::max(worst, end.status);
  }
  if (refused == 0) return json_reply(200, {{"status", "ok"}, {"files", std::move(files)}});
  if (refused < ends.size()) {
    return json_reply(207, {{"status", "partial"}, {"files", std::move(files)}});
  }
  return failure_reply(
      worst, {{"status", "error"}, {"error", "no token was renewed"}, {"files", std::move(files)}});
}

}  // namespace

awaitable<protocol::reply> renew_credentials(services& with, const request& in) {
  const auto order = renewal_order_of(in);
  if (!order) co_return mistake(order.error());
  const auto all = co_await with.plane.credentials();
  if (!all) co_return mistake(all.error());
  std::vector<renewal_end> ends;
  for (const auto& view : *all) {
    if (!order->everybody && !order->who.matches(view)) continue;
    if (view.token.state == "none") {
      if (order->everybody) continue;
      co_return mistake(400, "this credential has no token to renew");
    }
    const auto after = co_await with.plane.renew(view.record->id);
    ends.push_back(end_of(view, after));
  }
  if (ends.empty() && !order->everybody) co_return mistake(404, "auth not found");
  const auto fresh = std::ranges::count_if(ends, [](const auto& end) { return end.why.empty(); });
  if (fresh > 0) {
    log::info("management: tokens of {} of {} credentials renewed from {}", fresh, ends.size(),
              in.peer);
  }
  if (!order->everybody && ends.size() == 1 && fresh == 0) {
    co_return failure_reply(ends.front().status, {{"error", ends.front().why}});
  }
  co_return renewals_reply(ends);
}

}  // namespace tidegate::http::management
