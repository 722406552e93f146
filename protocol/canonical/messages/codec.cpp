#include "protocol/canonical/messages/messages.hpp"

namespace tidegate::protocol {

const codec messages_codec = {
    wire::anthropic_messages,      &messages::decode_request, &messages::encode_request,
    &messages::make_decoder,       &messages::make_encoder,   &messages::decode_answer,
    &messages::encode_answer,
};

}  // namespace tidegate::protocol
