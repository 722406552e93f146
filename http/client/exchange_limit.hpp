#pragma once
/// Puts the bound of one phase on the session's watchdog while it lives.

#include "http/client/exchange.hpp"

namespace tidegate::http::upstream {

class exchange::limit {
 public:
  limit(exchange& of, phase in) : of_(of) {
    of_.limited_ = in;
    of_.timeouts_.expect(of_.patience_in(in), [late = &of] { late->interrupt(errc::timed_out); });
  }
  ~limit() {
    if (!of_.limited_) return;  // abandoned meanwhile: the watchdog may serve somebody else
    of_.limited_.reset();
    of_.timeouts_.relax();
  }
  limit(const limit&) = delete;
  limit& operator=(const limit&) = delete;

  void extend() { of_.timeouts_.extend(of_.patience_in(*of_.limited_)); }

 private:
  exchange& of_;
};

}  // namespace tidegate::http::upstream
