#include "app/runtime.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <caf/all.hpp>
#include <future>
#include <random>
#include <thread>

#include "actors/asio/ask.hpp"
#include "actors/asio/bridge.hpp"
#include "actors/asio/file_watch.hpp"
#include "actors/asio/scheduler.hpp"
#include "actors/config.hpp"
#include "actors/gateway.hpp"
#include "actors/inspector.hpp"
#include "actors/persistence.hpp"
#include "base/log.hpp"
#include "http/client/client.hpp"
#include "http/client/fetch.hpp"
#include "http/front.hpp"
#include "http/management/state.hpp"
#include "http/server/server.hpp"

namespace tidegate::app {
namespace {

namespace asio = boost::asio;

class system_clock_port final : public wall_clock {
 public:
  instant now() const noexcept override {
    return std::chrono::time_point_cast<duration>(std::chrono::system_clock::now());
  }
};

double random_fraction() {
  thread_local std::mt19937_64 engine{std::random_device{}()};
  return std::uniform_real_distribution<double>{0.0, 1.0}(engine);
}

/// The upstream client as the port of the renewals; stops answering when the client is gone.
auto fetch_port(http::client& upstream) {
  return [&upstream](actors::fetch_request wanted, const actors::fetch_answer& done) {
    const std::shared_ptr<const http::request_options> options{wanted.config,
                                                               &wanted.config->requests};
    auto proxy = wanted.proxy.empty() ? options->proxy_url : wanted.proxy;
    http::fetch(upstream, {std::move(wanted.what), std::move(proxy), options}, done);
  };
}

actors::environment_ptr environment_of(const runtime_options& options, http::client& upstream) {
  auto env = std::make_shared<actors::environment>();
  env->clock = options.clock ? options.clock : std::make_shared<system_clock_port>();
  env->random = random_fraction;
  env->fetch = fetch_port(upstream);
  return env;
}

/// How often a drain looks whether the last request is done.
constexpr std::chrono::milliseconds drain_look{10};
constexpr int detached_looks_max = 500;
constexpr auto renewals_patience = http::fetch_patience + std::chrono::seconds{5};
constexpr std::chrono::seconds hurried_renewals_patience{2};

/// True when the last request ended within the bound and before anybody was in a hurry.
bool drain(http::server& listener, std::chrono::seconds bound, const std::function<bool()>& hurry) {
  listener.begin_drain();
  const auto give_up = std::chrono::steady_clock::now() + bound;
  while (listener.active_requests() > 0) {
    const bool asked = hurry();
    if (asked || std::chrono::steady_clock::now() >= give_up) {
      log::warn("{} requests cut {}", listener.active_requests(),
                asked ? "on request" : "at the end of the drain time");
      return false;
    }
    std::this_thread::sleep_for(drain_look);
  }
  return true;
}

/// Tokens that a provider is giving out are on disk before its connection goes.
void await_renewals(caf::actor_system& system, const actors::gateway_actor& gateway,
                    const std::function<bool()>& hurry) {
  caf::scoped_actor self{system};
  auto done = self->request(gateway, caf::infinite, actors::flush_atom_v);
  auto give_up = std::chrono::steady_clock::now() + renewals_patience;
  for (bool asked = false; !self->has_next_message();) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= give_up) {
      log::warn("a token renewal was cut{}", asked ? " on request" : "");
      return;
    }
    if (!asked && hurry()) {
      asked = true;
      give_up = std::min(give_up, now + hurried_renewals_patience);
    }
    std::this_thread::sleep_for(drain_look);
  }
  done.receive([](bool) {}, [](const caf::error&) { log::error("a token renewal was cut"); });
}

}  // namespace

struct runtime::parts {
  explicit parts(runtime_options from) : options(std::move(from)) {
    const unsigned wanted = options.threads != 0 ? options.threads
                                                 : std::max(1U, std::thread::hardware_concurrency());
    io = std::make_unique<asio::io_context>(static_cast<int>(wanted));
    work.emplace(io->get_executor());
    actors::use_asio_scheduler(caf_config, *io);
    caf_config.add_message_types<caf::id_block::tidegate>();
    caf_config.set("scheduler.max-threads", wanted);
    system = std::make_unique<caf::actor_system>(caf_config);
    for (unsigned i = 0; i < wanted; ++i) {
      threads.emplace_back([context = io.get()] { context->run(); });
    }
  }

  runtime_options options;
  std::unique_ptr<asio::io_context> io;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work;
  caf::actor_system_config caf_config;
  std::unique_ptr<caf::actor_system> system;
  std::vector<std::thread> threads;

  actors::environment_ptr env;
  std::shared_ptr<actors::published_directory> published;
  actors::persistence_actor persistence;
  actors::gateway_actor gateway;
  actors::config_actor config;
  actors::inspector_actor inspector;
  std::unique_ptr<http::control> plane;
  std::unique_ptr<http::client> upstream;
  std::unique_ptr<http::services> services;
  std::unique_ptr<http::server> listener;
  std::unique_ptr<actors::file_watch> watch;
  bool stopped = false;
};

runtime::runtime(runtime_options options)
    : parts_(std::make_unique<parts>(std::move(options))) {}

runtime::~runtime() { drain_and_stop(); }

result<void> runtime::start() {
  auto& p = *parts_;
  auto& system = *p.system;
  p.upstream = std::make_unique<http::client>(*p.io);
  p.env = environment_of(p.options, *p.upstream);
  p.published = std::make_shared<actors::published_directory>();
  // Detached: both block on the disk.
  p.persistence = system.spawn<caf::detached>(actors::persistence, p.env);
  p.gateway = system.spawn(actors::gateway, p.env, p.persistence, p.published);

  actors::applied_config first;
  auto snapshot = std::make_shared<config::snapshot>(*p.options.first.snapshot);
  snapshot->generation = 1;
  first.config = std::move(snapshot);
  first.credentials = p.options.first.credentials;
  first.unusable_files = p.options.first.unusable_files;
  first.files = p.options.first.files;
  bool applied = false;
  {
    caf::scoped_actor self{system};
    self->request(p.gateway, caf::infinite, actors::apply_atom_v, first)
        .receive([&](bool ok) { applied = ok; }, [](const caf::error&) {});
  }
  if (!applied) return failed(errc::unavailable, "the configuration could not be put in force");

  p.config = system.spawn<caf::detached>(actors::config, p.env, p.options.source, first, p.gateway);
  p.inspector = system.spawn(
      actors::inspector, p.gateway,
      std::vector<caf::actor>{caf::actor_cast<caf::actor>(p.config),
                              caf::actor_cast<caf::actor>(p.gateway)});
  actors::bridge_parts bridge{p.gateway, p.config,    p.persistence,
                              p.inspector, p.published, p.env, p.options.lock_waits};
  p.plane = actors::make_bridge(system, std::move(bridge));
  p.services = std::make_unique<http::services>(http::services{*p.plane, *p.upstream, nullptr});
  p.listener = std::make_unique<http::server>(
      *p.io, [plane = p.plane.get()] { return plane->config(); }, http::make_front(*p.services));
  p.services->listener = p.listener.get();
  p.services->management = http::make_management_state(p.io->get_executor());
  p.watch = std::make_unique<actors::file_watch>(
      *p.io, actors::watched_directories(p.options.config_path, *p.options.first.snapshot),
      [config = p.config] { caf::anon_send(config, actors::touched_atom_v); },
      [config = p.config] { caf::anon_send(config, actors::poll_atom_v); });
  return p.listener->start();
}

std::string runtime::url() const {
  const auto& tls = parts_->options.first.snapshot->server.tls;
  auto host = parts_->listener->host();
  if (host.empty()) host = "0.0.0.0";
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return std::string{tls.enable ? "https" : "http"} + "://" + host + ":" + std::to_string(port());
}

std::uint16_t runtime::port() const { return parts_->listener->port(); }

void runtime::reload() {
  if (parts_->config) caf::anon_send(parts_->config, actors::reload_atom_v);
}

bool runtime::drain_and_stop() {
  return drain_and_stop([] { return false; });
}

bool runtime::drain_and_stop(const std::function<bool()>& hurry) {
  auto& p = *parts_;
  if (std::exchange(p.stopped, true)) return true;
  bool in_time = true;
  // Asked for once, it holds for all that follows.
  const std::function<bool()> hurried = [&hurry, said = false]() mutable {
    return said = said || hurry();
  };
  if (p.listener) {
    // 1. No new requests; the running ones may finish.
    const auto config = p.plane->config();
    const auto bound = config ? config->server.drain_timeout : std::chrono::seconds{0};
    in_time = drain(*p.listener, bound, hurried);
    // 2. Sessions end on their strands.
    std::promise<void> gone;
    p.listener->stop([&gone] { gone.set_value(); });
    // They may wait for a renewal that has not begun.
    await_renewals(*p.system, p.gateway, hurried);
    gone.get_future().wait();
    p.upstream->stop();
  }
  p.watch.reset();
  // 3. Nothing can change cooldowns any more: what is pending goes to disk.
  if (p.persistence) {
    caf::scoped_actor self{*p.system};
    if (p.config) self->send_exit(p.config, caf::exit_reason::user_shutdown);
    if (p.gateway) self->send_exit(p.gateway, caf::exit_reason::user_shutdown);
    if (p.inspector) self->send_exit(p.inspector, caf::exit_reason::user_shutdown);
    self->request(p.persistence, std::chrono::seconds{30}, actors::flush_atom_v)
        .receive([](bool) {},
                 [](const caf::error&) { log::error("cooldowns were not flushed in time"); });
    self->send_exit(p.persistence, caf::exit_reason::user_shutdown);
  }
  // 4. Handles, then the system while the threads still run, then the threads.
  p.listener.reset();
  p.plane.reset();
  p.config = nullptr;
  p.inspector = nullptr;
  p.gateway = nullptr;
  p.persistence = nullptr;
  // A detached actor lives until its last pending timeout has fired, and the system waits for it.
  for (auto looks = 0; p.system->detached_actors() > 0 && looks < detached_looks_max; ++looks) {
    std::this_thread::sleep_for(drain_look);
  }
  p.system.reset();
  p.work.reset();
  p.io->stop();
  for (auto& thread : p.threads) thread.join();
  p.services.reset();
  p.upstream.reset();
  return in_time;
}

}  // namespace tidegate::app
