#include "http/client/names.hpp"

#include <fmt/format.h>

#include <utility>

namespace tidegate::http::upstream {

using clock = std::chrono::steady_clock;

awaitable<result<addresses>> names::resolve(std::string host, const strand& on,
                                            interruption& stop) {
  error_code not_a_literal;
  const auto literal = asio::ip::make_address(host, not_a_literal);
  if (!not_a_literal) co_return addresses(1, literal);

  const auto self = shared_from_this();
  auto bell = std::make_shared<parking>(on);
  std::shared_ptr<pending> entry;
  bool first = false;
  {
    const std::lock_guard lock(guard_);
    auto& kept = by_host_[host];
    if (kept && kept->found && kept->found->has_value() && kept->good_until > clock::now()) {
      co_return *kept->found;
    }
    first = !kept || kept->found;
    if (first) kept = std::make_shared<pending>();
    entry = kept;
    entry->waiting.push_back(bell);
    if (by_host_.size() > names_max) make_room();
  }
  if (first) {
    ask_(host, [self, host, entry](result<addresses> found) {
      self->finish(host, entry, std::move(found));
    });
  }
  co_await stop.park(bell);
  const std::lock_guard lock(guard_);
  if (!entry->found) co_return failed(errc::cancelled, "the name look-up was given up");
  co_return *entry->found;
}

void names::finish(const std::string& host, const std::shared_ptr<pending>& entry,
                   result<addresses> found) {
  if (found && found->size() > addresses_per_name_max) found->resize(addresses_per_name_max);
  if (found && found->empty()) found = failed(errc::io_failure, "no address");
  if (!found) {
    found = failed(errc::io_failure,
                   fmt::format("{} does not resolve: {}", host, found.error().detail));
  }
  const std::lock_guard lock(guard_);
  entry->found = std::make_shared<const result<addresses>>(std::move(found));
  entry->good_until = clock::now() + name_lifetime;
  for (const auto& waiting : std::exchange(entry->waiting, {})) {
    if (const auto bell = waiting.lock()) bell->wake_from_outside();
  }
}

void names::make_room() {
  const auto now = clock::now();
  std::erase_if(by_host_, [&](const auto& kept) {
    return kept.second->found && kept.second->good_until <= now;
  });
  if (by_host_.size() > names_max) {
    std::erase_if(by_host_, [](const auto& kept) { return kept.second->found != nullptr; });
  }
}

names::lookup system_lookup(asio::io_context& io) {
  return [&io](const std::string& host, const names::answer& answer) {
    auto resolver = std::make_shared<tcp::resolver>(io);
    const auto answered = [resolver, answer](const error_code& ec,
                                             const tcp::resolver::results_type& entries) {
      if (ec) return answer(failed(errc::io_failure, ec.message()));
      addresses found;
      for (const auto& entry : entries) found.push_back(entry.endpoint().address());
      answer(std::move(found));
    };
    try {
      resolver->async_resolve(host, "", answered);
    } catch (const std::exception& e) {
      answer(failed(errc::io_failure, e.what()));
    }
  };
}

}  // namespace tidegate::http::upstream
