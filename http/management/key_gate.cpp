#include "http/management/key_gate.hpp"

#include "base/log.hpp"
#include "base/time_text.hpp"
#include "http/management/key_secret.hpp"
#include "http/management/lockout.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace tidegate::http {
namespace {

using done = std::move_only_function<void(gate_answer)>;

struct asked {
  std::string address;
  bool loopback = false;
  instant now{};
  done answer;
};

}  // namespace

struct key_gate::worker {
  asio::thread_pool threads{1};
};

struct key_gate::core : std::enable_shared_from_this<core> {
  core(asio::any_io_executor executor, asio::thread_pool::executor_type off, key_verifier how)
      : on(asio::make_strand(std::move(executor))), slow(off), verify(std::move(how)) {}

  void decide(key_offer offer, done answer);
  void check_hash(key_offer offer, asked who);
  void verified(bool fits);
  void finish(asked& who, bool fits);
  void count_failure(const asked& who);

  struct verification {
    key_mark mark;
    std::vector<asked> waiting;
  };

  asio::strand<asio::any_io_executor> on;
  asio::thread_pool::executor_type slow;
  key_verifier verify;
  marker marks;
  lockout tries;
  std::optional<key_mark> good;  ///< configured secret and the key that fitted it
  std::optional<verification> running;
};

void key_gate::core::decide(key_offer offer, done answer) {
  asked who{offer.loopback ? "loopback" : address_group(offer.peer), offer.loopback, offer.now,
            std::move(answer)};
  if (const auto wait = tries.remaining(who.address, offer.now)) {
    return who.answer({gate_result::locked_out, std::chrono::ceil<std::chrono::seconds>(*wait)});
  }
  if (!offer.loopback && !offer.remote_allowed) return who.answer({gate_result::remote_refused});
  const auto key = offer.presented.reveal();
  if (key.empty()) {
    count_failure(who);
    return who.answer({gate_result::missing});
  }
  if (key.size() > management_key_bytes_max) return finish(who, false);
  const auto configured = offer.configured.reveal();
  switch (form_of(configured)) {
    case secret_form::plain:
      return finish(who, same(marks.of("plain", configured), marks.of("plain", key)));
    case secret_form::unusable:
      log::warn("management.secret-key begins like a bcrypt hash, but is none or costs too much");
      return finish(who, false);
    case secret_form::bcrypt:
      return check_hash(std::move(offer), std::move(who));
  }
}

void key_gate::core::check_hash(key_offer offer, asked who) {
  const auto mark = marks.of(offer.configured.reveal(), offer.presented.reveal());
  if (good && same(*good, mark)) return finish(who, true);
  if (running) {
    const bool joins =
        same(running->mark, mark) && running->waiting.size() < verification_waiters_max;
    if (joins) {
      running->waiting.push_back(std::move(who));
    } else {
      who.answer({gate_result::busy, std::chrono::seconds{1}});
    }
    return;
  }
  running.emplace().mark = mark;
  running->waiting.push_back(std::move(who));
  asio::post(slow, [self = shared_from_this(), key = std::move(offer.presented),
                    hash = std::move(offer.configured)] {
    const bool fits = self->verify(key.reveal(), hash.reveal());
    asio::post(self->on, [self, fits] { self->verified(fits); });
  });
}

void key_gate::core::verified(bool fits) {
  auto ended = std::move(*running);
  running.reset();
  if (fits) good = ended.mark;
  for (auto& who : ended.waiting) finish(who, fits);
}

void key_gate::core::finish(asked& who, bool fits) {
  if (fits) {
    tries.succeeded(who.address);
  } else {
    count_failure(who);
  }
  who.answer({fits ? gate_result::open : gate_result::wrong});
}

void key_gate::core::count_failure(const asked& who) {
  tries.failed(who.address, who.loopback, who.now);
  if (const auto wait = tries.remaining(who.address, who.now)) {
    log::warn("management: {} is locked out for {} after {} failed attempts", who.address,
              format_reset_time(*wait), lockout_failures);
  }
}

key_gate::key_gate(asio::any_io_executor on, key_verifier verify)
    : worker_(std::make_unique<worker>()),
      core_(std::make_shared<core>(std::move(on), worker_->threads.get_executor(),
                                   std::move(verify))) {}

key_gate::~key_gate() = default;

awaitable<gate_answer> key_gate::check(key_offer offer) {
  auto start = [core = core_](auto handler, key_offer what) {
    auto back = asio::get_associated_executor(handler);
    done answer = [back, handler = std::move(handler)](gate_answer given) mutable {
      asio::post(back,
                 [handler = std::move(handler), given]() mutable { std::move(handler)(given); });
    };
    asio::post(core->on, [core, what = std::move(what), answer = std::move(answer)]() mutable {
      core->decide(std::move(what), std::move(answer));
    });
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(gate_answer)>(
      start, asio::use_awaitable, std::move(offer));
}

}  // namespace tidegate::http
