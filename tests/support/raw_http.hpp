#pragma once
/// A small blocking HTTP/1.1 client for tests: it writes the very bytes it is given and takes
/// answers apart without forgiving anything. Waits at most ten seconds for bytes.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidegate::test {

struct raw_response {
  int status = 0;
  std::string head;                                ///< status line and headers as received
  std::multimap<std::string, std::string> fields;  ///< names in lower case
  std::string body;                                ///< chunked framing undone
  std::size_t chunks = 0;                          ///< data chunks of a chunked body
  bool complete = false;                           ///< the body ended as its framing says

  /// The value of a header that occurs exactly once; empty otherwise.
  std::string field(const std::string& lower_name) const;
};

class raw_client {
 public:
  explicit raw_client(std::uint16_t port);
  ~raw_client();
  raw_client(const raw_client&) = delete;
  raw_client& operator=(const raw_client&) = delete;

  /// False when the peer has closed.
  bool send(std::string_view bytes);
  /// One answer; `to_head` for the answer of a HEAD request. status 0: the connection ended first.
  raw_response receive(bool to_head = false);
  /// The next bytes as they come; empty at the end of the connection.
  std::string some();
  /// True when the connection ends without another byte.
  bool closed();
  /// Everything up to the end of the connection.
  std::string rest();
  /// Ends only the client's own direction.
  void half_close();
  /// The descriptor, for a TLS client on top; it stays with this object.
  int native() const { return socket_; }
  void close();

 private:
  bool fill();
  std::optional<std::string> line();
  bool take(std::size_t count, std::string& into);
  void receive_chunks(raw_response& out);

  int socket_ = -1;
  std::string buffer_;
};

/// `GET path` with a Host header and `extra` lines, each ended by CRLF.
std::string get(std::string_view path, std::string_view extra = {});
std::string post(std::string_view path, std::string_view body, std::string_view extra = {});

}  // namespace tidegate::test
