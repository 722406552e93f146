#include "protocol/canonical/messages/place.hpp"

namespace tidegate::protocol::messages {

bool place::fail(std::string_view what) {
  if (failed()) return false;
  for (const part& one : steps_) {
    if (one.position) {
      detail_ += '[' + std::to_string(*one.position) + ']';
      continue;
    }
    if (!detail_.empty()) detail_ += '.';
    detail_ += one.key;
  }
  if (!detail_.empty()) detail_ += ' ';
  detail_ += what;
  return false;
}

}  // namespace tidegate::protocol::messages
