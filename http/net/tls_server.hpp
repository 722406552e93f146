#pragma once
/// The listener's TLS: certificate chain and key from PEM files, TLS 1.2 and 1.3, session tickets,
/// ALPN `http/1.1`. The files are looked at again when a connection comes in, at most every two
/// seconds; changed files that do not load leave the old certificate in use and are reported once.
/// Owner: the listener's strand. errc::tls_failure names file and reason.

#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "http/options.hpp"

namespace tidegate::http {

class tls_server {
 public:
  using context = boost::asio::ssl::context;

  static result<std::shared_ptr<tls_server>> load(const tls_options& files);

  /// For a new connection, which keeps it to its end.
  std::shared_ptr<context> current();
  /// Looks at the files now, whatever the time; current() calls it.
  void reload_if_changed();

 private:
  /// What tells one version of the two files from another.
  struct version {
    std::string stamp;
    friend bool operator==(const version&, const version&) = default;
  };

  explicit tls_server(tls_options files) : files_(std::move(files)) {}
  version look() const;

  tls_options files_;
  version seen_;  ///< the last version that was tried, good or bad
  std::chrono::steady_clock::time_point looked_at_{};
  std::shared_ptr<context> context_;
};

}  // namespace tidegate::http
