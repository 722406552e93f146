#pragma once
/// CAF's scheduler on the Asio threads: every runnable actor is a handler posted to the
/// io_context, every timeout one steady_timer. One pool of threads runs sockets and actors alike
/// (docs/architecture.md gives the figures). Owner: the actor_system, which calls start and stop.
///
/// Shutdown: the actor_system is destroyed while the io threads still run or after they ended;
/// stop() drains the posted jobs itself.

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/detail/simple_actor_clock.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>
#include <memory>
#include <mutex>
#include <vector>

namespace tidegate::actors {

/// CAF's timeout queue behind a mutex, driven by one timer. Due messages are shipped outside the
/// lock: shipping enqueues, and enqueueing may ask for another timeout.
class asio_clock : public caf::detail::simple_actor_clock {
 public:
  using super = caf::detail::simple_actor_clock;

  explicit asio_clock(boost::asio::io_context& io) : timer_(io) {}

  void set_ordinary_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type,
                            std::uint64_t id) override;
  void set_multi_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type,
                         std::uint64_t id) override;
  void set_request_timeout(time_point t, caf::abstract_actor* self, caf::message_id id) override;
  void cancel_ordinary_timeout(caf::abstract_actor* self, caf::atom_value type) override;
  void cancel_request_timeout(caf::abstract_actor* self, caf::message_id id) override;
  void cancel_timeouts(caf::abstract_actor* self) override;
  void schedule_message(time_point t, caf::strong_actor_ptr receiver,
                        caf::mailbox_element_ptr content) override;
  void schedule_message(time_point t, caf::group target, caf::strong_actor_ptr sender,
                        caf::message content) override;
  void cancel_all() override;

  void shutdown();

 private:
  template <class F>
  void locked(F&& change);
  void rearm();
  void on_timer();

  std::mutex mutex_;
  boost::asio::steady_timer timer_;
  time_point armed_for_{};
  bool armed_ = false;
  bool stopped_ = false;
};

class asio_scheduler : public caf::scheduler::abstract_coordinator {
 public:
  asio_scheduler(caf::actor_system& system, boost::asio::io_context& io);

  void enqueue(caf::resumable* job) override { post(job); }
  caf::actor_clock& clock() noexcept override { return clock_; }
  void init(caf::actor_system_config& config) override;
  void start() override;
  void stop() override;

 private:
  struct unit;
  struct job_handler;

  void post(caf::resumable* job);
  void run(caf::resumable* job);
  unit& unit_of_this_thread();

  boost::asio::io_context& io_;
  asio_clock clock_;
  const std::uint64_t generation_;  ///< tells this scheduler's threads from those of an earlier one
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> pending_{0};
  std::mutex units_mutex_;
  std::vector<std::unique_ptr<unit>> units_;  ///< one per thread; outlive every actor
};

/// Spawning leaves a reference to the system's logger in the thread, and the system's destructor
/// waits for the last one: whoever spawns on an io thread calls this afterwards.
void release_logger();

/// Makes an actor_system built from `config` run on `io`, which must outlive it.
void use_asio_scheduler(caf::actor_system_config& config, boost::asio::io_context& io);

}  // namespace tidegate::actors
