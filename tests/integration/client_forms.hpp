#pragma once
/// The four client protocols as tests of the whole gateway need them: how each asks, and how an
/// error looks to it before and after the first byte.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/integration/rig.hpp"

namespace tidegate::test {

enum class client { responses, chat, messages, gemini };
inline constexpr client every_client[] = {client::responses, client::chat, client::messages,
                                          client::gemini};
std::string to_string(client who);

/// The models of two_keys_each(), one per provider.
inline const std::vector<std::string> every_model{"gpt-x", "chat-x", "claude-x", "gemini-x"};

/// Asks "say it"; a Gemini stream comes as events.
raw_response ask(rig& gateway, client who, const std::string& model, bool stream,
                 const std::string& extra_headers = {});

/// Fails the test unless the body is an error of exactly this client's shape; answers its message.
std::string error_message(client who, const raw_response& answer);

/// The `data:` of every event, in order.
std::vector<std::string> data_of(const std::string& stream);

/// Fails the test unless the stream ends with an error of this client's shape and has no good
/// ending anywhere; answers the error's message.
std::string stream_error(client who, const std::string& stream);

/// What only a whole answer's stream has.
std::string good_ending(client who);

}  // namespace tidegate::test
