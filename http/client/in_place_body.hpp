#pragma once
/// A Beast body whose bytes stay in the read buffer: the parser's output is moved to the front of
/// its own input, which it has already passed. One piece then spans all chunks of one read.

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/optional.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "http/net/asio.hpp"

namespace tidegate::http::upstream {

struct in_place_body {
  /// Set `front` to the start of the bytes given to the parser before each call of put().
  struct value_type {
    char* front = nullptr;
    std::size_t size = 0;
  };

  class reader {
   public:
    template <bool isRequest, class Fields>
    explicit reader(boost::beast::http::header<isRequest, Fields>&, value_type& into)
        : into_(into) {}

    void init(const boost::optional<std::uint64_t>&, error_code& ec) { ec = {}; }

    template <class Buffers>
    std::size_t put(const Buffers& buffers, error_code& ec) {
      ec = {};
      std::size_t taken = 0;
      for (auto at = asio::buffer_sequence_begin(buffers); at != asio::buffer_sequence_end(buffers);
           ++at) {
        const asio::const_buffer bytes(*at);
        if (bytes.size() == 0) continue;
        std::memmove(into_.front + into_.size, bytes.data(), bytes.size());
        into_.size += bytes.size();
        taken += bytes.size();
      }
      return taken;
    }

    void finish(error_code& ec) { ec = {}; }

   private:
    value_type& into_;
  };
};

}  // namespace tidegate::http::upstream
