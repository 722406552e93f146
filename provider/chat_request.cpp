#include "provider/chat_request.hpp"

#include "provider/request_parts.hpp"

namespace tidegate::provider {

upstream_request chat_request(const request_input& in, std::string url, protocol::splice& edits) {
  upstream_request request;
  request.url = std::move(url);
  request.streams = in.head.stream;
  if (request.streams && in.head.find("stream_options") == nullptr) {
    edits.set("stream_options", R"({"include_usage":true})");
  }
  set_common_headers(request, request.streams ? "text/event-stream" : "application/json");
  if (request.streams) set_header(request, "Cache-Control", "no-cache");
  set_bearer(request, in.who);
  return request;
}

}  // namespace tidegate::provider
