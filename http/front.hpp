#pragma once
/// The one handler of the listener: route, client key, then the part that answers. On the
/// session's strand.

#include "http/exchange/services.hpp"

namespace tidegate::http {

/// `with` must outlive the server.
handler make_front(services& with);

}  // namespace tidegate::http
