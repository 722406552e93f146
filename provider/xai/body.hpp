#pragma once
/// The edits that xAI needs on a Responses body: members it refuses go, tools and history are
/// written as it takes them. Everything else stays byte for byte. The list is in docs/wire/xai.md.
/// Pure.

#include <memory>

#include "protocol/splice.hpp"
#include "provider/provider.hpp"

namespace tidegate::provider::xai {

/// What has to be done to the answer in turn.
std::unique_ptr<answer_edit> edit_body(protocol::splice& edits, const request_input& in);

}  // namespace tidegate::provider::xai
