/// tidegate_upstream [PORT]: answers Chat Completions with canned bytes, as little work as possible,
/// so that the proxy in front of it is what a measurement sees. Prints `listening on PORT`; ends on
/// SIGTERM. The model in the request body chooses the answer:
///   bench-plain   a completion of about 1 KB
///   bench-stream  server-sent events: 20 pieces, 50 ms apart
///   bench-hold    one piece, then silence until the client leaves

#include <sys/prctl.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/sockets.hpp"

namespace tidegate::bench {
namespace {

using namespace std::chrono_literals;

constexpr int pieces = 20;
constexpr auto gap = 50ms;
constexpr std::size_t request_bytes_max = 8u << 20;
constexpr std::size_t connections_max = 20'000;

std::string chunk(std::string_view data) {
  std::array<char, 20> size{};
  std::snprintf(size.data(), size.size(), "%zx\r\n", data.size());
  return std::string{size.data()}.append(data).append("\r\n");
}

std::string event(std::string_view delta, std::string_view finish) {
  return chunk(R"(data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1700000000,)"
               R"("model":"bench-stream","choices":[{"index":0,"delta":{)" + std::string{delta} +
               R"(},"finish_reason":)" + std::string{finish} + "}]}\n\n");
}

std::string plain_answer() {
  const auto body =
      R"({"id":"chatcmpl-bench","object":"chat.completion","created":1700000000,"model":"bench-plain",)"
      R"("choices":[{"index":0,"message":{"role":"assistant","content":")" + std::string(800, 'x') +
      R"("},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":200,)"
      R"("total_tokens":209}})";
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

const std::string plain = plain_answer();
const std::string stream_head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
    "Transfer-Encoding: chunked\r\n\r\n";
const std::string first_piece = event(R"("role":"assistant","content":"Water ")", "null");
const std::string piece = event(R"("content":"finds its level, ")", "null");
const std::string last_piece =
    event("", R"("stop")") + chunk("data: [DONE]\n\n") + "0\r\n\r\n";
const std::string not_found = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";

struct peer {
  descriptor socket;
  std::string in;
  std::string out;
  int pieces_left = 0;  ///< of the stream under way
};

struct due {
  steady::time_point when;
  std::uint64_t peer;
  bool operator>(const due& other) const { return when > other.when; }
};

std::size_t content_length(std::string_view head) {
  for (const std::string_view name : {"\r\nContent-Length: ", "\r\ncontent-length: "}) {
    const auto at = head.find(name);
    if (at != std::string_view::npos) return std::strtoull(head.data() + at + name.size(), nullptr, 10);
  }
  return 0;
}

class upstream {
 public:
  explicit upstream(std::uint16_t port) : listener_(listen_on(port)) { poller_.add(listener_, 0); }
  std::uint16_t port() const { return port_of(listener_); }

  [[noreturn]] void run() {
    for (;;) {
      const auto next = timers_.empty() ? steady::now() + 1h : timers_.top().when;
      for (const auto& event : poller_.wait_until(next)) {
        if (event.data.u64 == 0) {
          accept_all();
        } else {
          serve(event.data.u64);
        }
      }
      send_pieces();
    }
  }

 private:
  void accept_all() {
    for (;;) {
      auto socket = accept_from(listener_);
      if (!socket.is_open()) return;
      if (peers_.size() >= connections_max) continue;
      poller_.add(socket, ++last_);
      peers_.emplace(last_, std::make_unique<peer>())
          .first->second->socket = std::move(socket);
      serve(last_);
    }
  }

  void serve(std::uint64_t id) {
    const auto found = peers_.find(id);
    if (found == peers_.end()) return;
    peer& who = *found->second;
    std::size_t size = 0;
    io how = io::moved;
    while ((how = read_some(who.socket, buffer_, size)) == io::moved) {
      who.in.append(buffer_.data(), size);
    }
    if (how == io::ended || who.in.size() > request_bytes_max || !answer_all(id, who)) {
      peers_.erase(id);
    }
  }

  bool answer_all(std::uint64_t id, peer& who) {
    for (;;) {
      const auto head = who.in.find("\r\n\r\n");
      if (head == std::string::npos) return flush(who);
      const auto whole = head + 4 + content_length(std::string_view{who.in}.substr(0, head));
      if (who.in.size() < whole) return flush(who);
      answer(id, who, std::string_view{who.in}.substr(head + 4, whole - head - 4));
      who.in.erase(0, whole);
    }
  }

  void answer(std::uint64_t id, peer& who, std::string_view body) {
    const auto at = body.find("bench-");
    const auto model = at == std::string_view::npos ? "" : body.substr(at);
    if (model.starts_with("bench-plain")) {
      who.out += plain;
    } else if (model.starts_with("bench-stream")) {
      who.out += stream_head + first_piece;
      who.pieces_left = pieces - 1;
      timers_.push({steady::now() + gap, id});
    } else if (model.starts_with("bench-hold")) {
      who.out += stream_head + first_piece;
    } else {
      who.out += not_found;
    }
  }

  void send_pieces() {
    while (!timers_.empty() && timers_.top().when <= steady::now()) {
      const auto [when, id] = timers_.top();
      timers_.pop();
      const auto found = peers_.find(id);
      if (found == peers_.end()) continue;
      peer& who = *found->second;
      who.out += --who.pieces_left > 0 ? piece : last_piece;
      if (who.pieces_left > 0) timers_.push({when + gap, id});
      if (!flush(who)) peers_.erase(id);
    }
  }

  bool flush(peer& who) {
    while (!who.out.empty()) {
      std::size_t size = 0;
      const auto how = write_some(who.socket, who.out, size);
      if (how == io::ended) return false;
      if (how == io::blocked) return true;
      who.out.erase(0, size);
    }
    return true;
  }

  poller poller_;
  descriptor listener_;
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<peer>> peers_;
  std::priority_queue<due, std::vector<due>, std::greater<>> timers_;
  std::array<char, 64 * 1024> buffer_;
};

}  // namespace
}  // namespace tidegate::bench

int main(int argc, char* argv[]) {
  // Without the script that started it there is nobody to stop it.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const auto port = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0;
  tidegate::bench::upstream server{static_cast<std::uint16_t>(port)};
  std::printf("listening on %u\n", unsigned{server.port()});
  std::fflush(stdout);
  server.run();
}
