#include "actors/asio/scheduler.hpp"

#include <boost/asio/post.hpp>
#include <caf/all.hpp>
#include <caf/logger.hpp>
#include <thread>

namespace tidegate::actors {
namespace {

/// Messages one actor may handle before it goes to the back of the queue.
constexpr std::size_t messages_per_turn = 64;

std::atomic<std::uint64_t> next_generation{1};

}  // namespace

void release_logger() { CAF_SET_LOGGER_SYS(nullptr); }

template <class F>
void asio_clock::locked(F&& change) {
  const std::lock_guard guard{mutex_};
  if (stopped_) return;
  change();
  rearm();
}

void asio_clock::set_ordinary_timeout(time_point t, caf::abstract_actor* self,
                                      caf::atom_value type, std::uint64_t id) {
  locked([&] { super::set_ordinary_timeout(t, self, type, id); });
}

void asio_clock::set_multi_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type,
                                   std::uint64_t id) {
  locked([&] { super::set_multi_timeout(t, self, type, id); });
}

void asio_clock::set_request_timeout(time_point t, caf::abstract_actor* self,
                                     caf::message_id id) {
  locked([&] { super::set_request_timeout(t, self, id); });
}

void asio_clock::cancel_ordinary_timeout(caf::abstract_actor* self, caf::atom_value type) {
  locked([&] { super::cancel_ordinary_timeout(self, type); });
}

void asio_clock::cancel_request_timeout(caf::abstract_actor* self, caf::message_id id) {
  locked([&] { super::cancel_request_timeout(self, id); });
}

void asio_clock::cancel_timeouts(caf::abstract_actor* self) {
  const std::lock_guard guard{mutex_};
  if (!actor_lookup_.empty()) super::cancel_timeouts(self);
}

void asio_clock::schedule_message(time_point t, caf::strong_actor_ptr receiver,
                                  caf::mailbox_element_ptr content) {
  locked([&] { super::schedule_message(t, std::move(receiver), std::move(content)); });
}

void asio_clock::schedule_message(time_point t, caf::group target, caf::strong_actor_ptr sender,
                                  caf::message content) {
  locked([&] {
    super::schedule_message(t, std::move(target), std::move(sender), std::move(content));
  });
}

void asio_clock::cancel_all() {
  schedule_map dropped;
  const std::lock_guard guard{mutex_};
  dropped.swap(schedule_);
  actor_lookup_.clear();
}

void asio_clock::shutdown() {
  schedule_map dropped;
  const std::lock_guard guard{mutex_};
  stopped_ = true;
  dropped.swap(schedule_);
  actor_lookup_.clear();
  timer_.cancel();
}

void asio_clock::rearm() {
  if (schedule_.empty()) return;
  const auto due = schedule_.begin()->first;
  if (armed_ && armed_for_ <= due) return;
  armed_ = true;
  armed_for_ = due;
  timer_.expires_at(due);
  timer_.async_wait([this](const boost::system::error_code& ec) {
    if (!ec) on_timer();
  });
}

void asio_clock::on_timer() {
  std::vector<unique_delayed_event_ptr> due;
  {
    const std::lock_guard guard{mutex_};
    armed_ = false;
    if (stopped_) return;
    const auto t = now();
    while (!schedule_.empty() && schedule_.begin()->first <= t) {
      const auto first = schedule_.begin();
      auto next = std::move(first->second);
      if (next->backlink != actor_lookup_.end()) actor_lookup_.erase(next->backlink);
      schedule_.erase(first);
      due.push_back(std::move(next));
    }
    rearm();
  }
  for (auto& next : due) ship(*next);
}

struct asio_scheduler::unit final : caf::execution_unit {
  unit(caf::actor_system* system, asio_scheduler* owner)
      : caf::execution_unit(system), scheduler(owner) {}

  // Always to the back of the queue: keeping the newest job here would let one busy actor starve
  // those it woke.
  void exec_later(caf::resumable* job) override { scheduler->post(job); }

  asio_scheduler* scheduler;
};

struct asio_scheduler::job_handler {
  asio_scheduler* scheduler;
  caf::resumable* job;

  void operator()() { scheduler->run(job); }
};

asio_scheduler::asio_scheduler(caf::actor_system& system, boost::asio::io_context& io)
    : caf::scheduler::abstract_coordinator(system),
      io_(io),
      clock_(io),
      generation_(next_generation.fetch_add(1)) {}

void asio_scheduler::init(caf::actor_system_config& config) {
  caf::scheduler::abstract_coordinator::init(config);
  max_throughput_ = messages_per_turn;
}

void asio_scheduler::start() {
  // CAF asks for a printer; nothing here prints through it.
  class silent : public caf::monitorable_actor {
   public:
    explicit silent(caf::actor_config& config) : caf::monitorable_actor(config) {}
    void enqueue(caf::mailbox_element_ptr, caf::execution_unit*) override {}
  };
  unit temporary{&system(), this};
  caf::actor_config config{&temporary};
  utility_actors_[printer_id] = caf::make_actor<silent, caf::actor>(
      system().next_actor_id(), system().node(), &system(), config);
}

void asio_scheduler::stop() {
  stopping_ = true;
  clock_.shutdown();
  while (pending_.load(std::memory_order_acquire) != 0) {
    if (io_.stopped()) io_.restart();
    if (io_.poll_one() == 0) std::this_thread::yield();
  }
}

void asio_scheduler::post(caf::resumable* job) {
  pending_.fetch_add(1, std::memory_order_relaxed);
  boost::asio::post(io_, job_handler{this, job});
}

asio_scheduler::unit& asio_scheduler::unit_of_this_thread() {
  struct cached {
    std::uint64_t generation = 0;
    unit* value = nullptr;
  };
  thread_local cached mine;
  if (mine.generation != generation_) {
    const std::lock_guard guard{units_mutex_};
    units_.push_back(std::make_unique<unit>(&system(), this));
    mine = {generation_, units_.back().get()};
    system().thread_started();
  }
  return *mine.value;
}

void asio_scheduler::run(caf::resumable* job) {
  if (stopping_.load(std::memory_order_relaxed)) {
    cleanup_and_release(job);
  } else {
    switch (job->resume(&unit_of_this_thread(), max_throughput_)) {
      case caf::resumable::resume_later: post(job); break;
      case caf::resumable::done:
      case caf::resumable::awaiting_message: caf::intrusive_ptr_release(job); break;
      case caf::resumable::shutdown_execution_unit: break;
    }
  }
  release_logger();
  pending_.fetch_sub(1, std::memory_order_release);
}

void use_asio_scheduler(caf::actor_system_config& config, boost::asio::io_context& io) {
  config.module_factories.push_back([&io](caf::actor_system& system) -> caf::actor_system::module* {
    return new asio_scheduler(system, io);
  });
}

}  // namespace tidegate::actors
