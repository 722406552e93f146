#include "provider/kimi/login_headers.hpp"

#include "base/version.hpp"
#include "provider/request_parts.hpp"
#include "provider/token_reply.hpp"

namespace tidegate::provider::kimi {

void add_login_headers(upstream_request& request, std::string_view device_id) {
  set_header(request, "X-Msh-Platform", "tidegate");
  set_header(request, "X-Msh-Version", std::string{version});
  if (is_token_text(device_id)) {
    set_header(request, "X-Msh-Device-Id", std::string{device_id}, true);
  }
}

}  // namespace tidegate::provider::kimi
