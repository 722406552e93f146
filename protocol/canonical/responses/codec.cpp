#include "protocol/canonical/codec.hpp"

#include "protocol/canonical/responses/answer_in.hpp"
#include "protocol/canonical/responses/answer_out.hpp"
#include "protocol/canonical/responses/request_in.hpp"
#include "protocol/canonical/responses/request_out.hpp"

namespace tidegate::protocol {

const codec responses_codec{wire::openai_responses,    responses::decode_request,
                            responses::encode_request, responses::make_decoder,
                            responses::make_encoder,   responses::decode_answer,
                            responses::encode_answer};

}  // namespace tidegate::protocol
