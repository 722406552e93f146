#pragma once
/// Turns a rendered message into steps on the socket, with the pacing and the faults of its
/// reply. Pure; plan.cpp decides what is said, this decides how it goes out.

#include <string_view>
#include <vector>

#include "app/sim/frames.hpp"
#include "app/sim/plan.hpp"

namespace tidegate::sim {

struct message {
  int status = 200;
  std::vector<header> headers;
  stream_frames frames;
  bool chunked = false;
};

/// `error_frame` is the event of `fault::error_after`.
plan perform(message&& what, const reply& how, std::string_view error_frame);

/// Frames that go out before the reply's fault strikes; all of them without one.
int frames_before_fault(const stream_frames& frames, const reply& how);

/// A plan of one step after a delay, without an answer.
plan only_step(step_kind kind, std::chrono::milliseconds delay);

}  // namespace tidegate::sim
