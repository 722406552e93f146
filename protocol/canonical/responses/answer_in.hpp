#pragma once
/// Responses answers as events: streams frame by frame, and whole bodies, which are read as the
/// terminal event of a stream without others. Grammar: translation.md 3 (Resp). Unknown events of
/// the protocol are passed over; frames of another protocol and broken JSON end with a failure.

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "protocol/canonical/codec.hpp"

namespace tidegate::protocol::responses {

std::unique_ptr<stream_decoder> make_decoder(tool_names names);

/// errc::invalid_input: not JSON, no response, or one that is not finished. A failed response is a
/// failed_event.
result<std::vector<event>> decode_answer(const std::string& body, const tool_names& names);

/// How a finished response ended; `called` and `refused` are what its items were.
finish_event finish_of(const nlohmann::json& response, bool called, bool refused);
usage usage_of(const nlohmann::json& response);
/// The error of a failed response or of an `error` event.
failed_event failure_of(const nlohmann::json& event);
failed_event broken_stream(std::string message);

}  // namespace tidegate::protocol::responses
