/// Any bytes on a connection give requests whose parts are what HTTP allows, well-formed answers,
/// and an end. Runs the real server over a loopback socket, one connection per input; a byte in
/// front says how many bytes are sent at first.

#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/server/percent.hpp"
#include "http/server/routes.hpp"
#include "http/server/server.hpp"

namespace {

using namespace tidegate;
namespace asio = boost::asio;
namespace beast_http = boost::beast::http;

constexpr std::size_t body_bytes_max = 4096;

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_one_line(std::string_view text) {
  return text.find_first_of(std::string_view{"\r\n\0", 3}) == std::string_view::npos;
}

http::awaitable<void> check(http::request& call, http::responder& out, http::session_context&) {
  require(!call.method.empty() && !call.path.empty());
  require(is_one_line(call.method) && is_one_line(call.path) && is_one_line(call.query));
  require(call.path.find('?') == std::string::npos && call.body.size() <= body_bytes_max);
  for (const auto& field : call.headers) {
    require(is_one_line({field.name_string().data(), field.name_string().size()}));
    require(is_one_line({field.value().data(), field.value().size()}));
  }
  (void)http::match_route(call.method, call.path);
  require(http::percent_decode(call.query, true).size() <= call.query.size());
  protocol::reply reply;
  reply.status = 200;
  co_await out.send(std::move(reply));
}

class listener {
 public:
  listener() : server_{io_, [] { return settings(); }, {.serve = check}} {
    require(server_.start().has_value());
  }

  std::string converse(std::string_view head, std::string_view rest) {
    asio::ip::tcp::socket client{io_};
    client.connect({asio::ip::address_v4::loopback(), server_.port()});
    boost::system::error_code ec;
    asio::write(client, asio::buffer(head), ec);
    while (io_.poll_one() != 0) {
    }
    asio::write(client, asio::buffer(rest), ec);
    client.shutdown(asio::ip::tcp::socket::shutdown_send, ec);
    std::string answer;
    bool ended = false;
    asio::async_read(client, asio::dynamic_buffer(answer),
                     [&](const boost::system::error_code&, std::size_t) { ended = true; });
    while (!ended || server_.open_connections() > 0) io_.run_one();
    return answer;
  }

 private:
  static config::snapshot_ptr settings() {
    static const auto shared = [] {
      auto made = std::make_shared<config::snapshot>();
      made->server.host = "127.0.0.1";
      made->server.port = 0;
      made->server.head_bytes_max = 2048;
      made->server.body_bytes_max = body_bytes_max;
      return config::snapshot_ptr{made};
    }();
    return shared;
  }

  asio::io_context io_{1};
  http::server server_;
};

/// All of them, or the first one when a HEAD request makes the lengths of later ones unclear.
void check_answers(const std::string& text, bool first_only) {
  boost::beast::flat_buffer left;
  left.commit(asio::buffer_copy(left.prepare(text.size()), asio::buffer(text)));
  while (left.size() > 0) {
    beast_http::response_parser<beast_http::string_body> parser;
    boost::system::error_code ec;
    parser.eager(true);
    left.consume(parser.put(left.data(), ec));
    require(!ec && parser.is_header_done());
    const unsigned status = parser.get().result_int();
    require(status == 100 || status == 200 || status == 204 || (status >= 400 && status < 600));
    if (first_only) return;
    require(parser.is_done());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  static listener server;
  const std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
  const std::size_t first = data[0] % (text.size() + 1);
  const bool has_head = text.find("HEAD") != std::string_view::npos;
  check_answers(server.converse(text.substr(0, first), text.substr(first)), has_head);
  return 0;
}
