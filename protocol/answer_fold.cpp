#include "protocol/answer_fold.hpp"

#include "protocol/gemini_fold.hpp"
#include "protocol/stream.hpp"

namespace tidegate::protocol {

std::unique_ptr<answer_fold> make_answer_fold(wire form, std::size_t bytes_max) {
  if (form == wire::gemini) return std::make_unique<gemini_fold>(bytes_max);
  return std::make_unique<responses_fold>(bytes_max);
}

}  // namespace tidegate::protocol
