#include "app/sim/perform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/sim/head.hpp"

namespace tidegate::sim {

using std::chrono::milliseconds;

namespace {

enum class ending : std::uint8_t { clean, cut, reset, stall, malformed, bad_json, error_event };

/// Where and how the body stops being what it should be.
struct stop_at {
  ending how = ending::clean;
  std::optional<int> chunks;  ///< absent = after everything
};

stop_at stop_of(const fault& faults) {
  if (faults.close_after_head) return {ending::cut, 0};
  if (faults.empty_stream) return {ending::clean, 0};
  if (faults.cut_after) return {ending::cut, faults.cut_after};
  if (faults.reset_after) return {ending::reset, faults.reset_after};
  if (faults.stall_after) return {ending::stall, faults.stall_after};
  if (faults.malformed_after) return {ending::malformed, faults.malformed_after};
  if (faults.bad_json_after) return {ending::bad_json, faults.bad_json_after};
  if (faults.error_after) return {ending::error_event, faults.error_after};
  return {};
}

struct piece {
  std::string bytes;
  milliseconds before{0};
};

std::vector<piece> pieces_of(stream_frames&& frames, const reply& how, const stop_at& stop) {
  std::vector<piece> out;
  const auto add = [&](std::vector<std::string>& group) {
    for (auto& bytes : group) out.push_back({std::move(bytes), milliseconds{0}});
  };
  if (stop.chunks == 0) return out;
  add(frames.opening);
  auto texts = frames.content.size();
  if (stop.chunks) texts = std::min(texts, static_cast<std::size_t>(std::max(*stop.chunks, 0)));
  for (std::size_t i = 0; i < texts; ++i)
    out.push_back({std::move(frames.content[i]), i == 0 ? how.first_chunk_delay : how.gap});
  if (stop.chunks) return out;
  if (how.faults.no_terminator && !frames.closing.empty()) frames.closing.pop_back();
  add(frames.closing);
  return out;
}

/// Collects bytes into as few writes as the pauses allow.
class step_writer {
 public:
  explicit step_writer(const fault& faults) : faults_(faults) {}

  void pause(milliseconds wait) {
    if (wait.count() == 0) return;
    flush();
    step next;
    next.kind = step_kind::pause;
    next.wait = wait;
    steps_.push_back(std::move(next));
  }

  void write(std::string_view bytes) { pending_ += bytes; }

  void end(step_kind kind) {
    flush();
    step next;
    next.kind = kind;
    steps_.push_back(std::move(next));
  }

  std::vector<step> take() {
    flush();
    return std::move(steps_);
  }

 private:
  void flush() {
    if (pending_.empty()) return;
    step next;
    next.bytes = std::exchange(pending_, {});
    next.slice = faults_.dribble_bytes;
    next.wait = faults_.dribble_gap;
    for (auto at = next.bytes.find(id_marker); at != std::string::npos;
         at = next.bytes.find(id_marker, at + id_marker.size()))
      next.id_at.push_back(at);
    steps_.push_back(std::move(next));
  }

  const fault& faults_;
  std::string pending_;
  std::vector<step> steps_;
};

void write_ending(const stop_at& stop, bool chunked, std::string_view error_frame,
                  step_writer& out) {
  const auto frame = [&](std::string_view bytes) {
    out.write(chunked ? fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes) : std::string{bytes});
  };
  switch (stop.how) {
    case ending::clean:
      break;
    case ending::bad_json:
      frame("data: {\"broken\": \n\n");
      break;
    case ending::error_event:
      frame(error_frame);
      break;
    case ending::cut:
      return out.end(step_kind::close);
    case ending::reset:
      return out.end(step_kind::reset);
    case ending::stall:
      return out.end(step_kind::stall);
    case ending::malformed:
      out.write("no-size\r\ndata: {}\r\n");
      return out.end(step_kind::close);
  }
  if (chunked) out.write("0\r\n\r\n");
}

/// Frames with their framing, cut short when `limit` body bytes are reached; false = cut.
bool write_pieces(const std::vector<piece>& pieces, bool chunked, std::optional<std::size_t> limit,
                  step_writer& out) {
  std::size_t sent = 0;
  for (const auto& part : pieces) {
    if (part.bytes.empty()) continue;
    out.pause(part.before);
    auto bytes = std::string_view{part.bytes};
    if (limit) bytes = bytes.substr(0, *limit - sent);
    if (!bytes.empty())
      out.write(chunked ? fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes) : std::string{bytes});
    sent += bytes.size();
    if (limit && sent >= *limit) return false;
  }
  return true;
}

}  // namespace

plan perform(message&& what, const reply& how, std::string_view error_frame) {
  const auto& faults = how.faults;
  const auto stop = stop_of(faults);
  std::int64_t length = 0;
  for (const auto* group : {&what.frames.opening, &what.frames.content, &what.frames.closing})
    for (const auto& bytes : *group) length += static_cast<std::int64_t>(bytes.size());
  if (stop.how == ending::malformed) what.chunked = true;
  if (faults.length_off_by != 0) what.chunked = false;
  if (stop.how == ending::clean && stop.chunks) length = 0;
  const auto pieces = pieces_of(std::move(what.frames), how, stop);

  plan out;
  out.status = what.status;
  out.keep_alive = !how.close && faults.length_off_by == 0;
  const auto declared = std::max<std::int64_t>(length + faults.length_off_by, 0);
  step_writer steps{faults};
  steps.pause(how.delay);
  steps.write(head_text(what.status, what.headers,
                        what.chunked ? std::nullopt : std::optional{declared}, out.keep_alive));
  if (write_pieces(pieces, what.chunked, faults.cut_after_bytes, steps)) {
    write_ending(stop, what.chunked, error_frame, steps);
  } else {
    steps.end(step_kind::close);
  }
  out.steps = steps.take();
  return out;
}

int frames_before_fault(const stream_frames& frames, const reply& how) {
  return static_cast<int>(pieces_of(stream_frames{frames}, how, stop_of(how.faults)).size());
}

plan only_step(step_kind kind, milliseconds delay) {
  const fault none;
  step_writer steps{none};
  steps.pause(delay);
  steps.end(kind);
  plan out;
  out.keep_alive = false;
  out.steps = steps.take();
  return out;
}

}  // namespace tidegate::sim
