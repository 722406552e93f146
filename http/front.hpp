#pragma once
/// What stands behind the listener: who is let in, by route and key and before the body is read,
/// and the part that answers. On the session's strand.

#include "http/exchange/services.hpp"

namespace tidegate::http {

/// `with` must outlive the server.
service make_front(services& with);

}  // namespace tidegate::http
