/// Any body that the envelope accepts is JSON for a full parser as well, its members lie where it
/// says, and an edited body is JSON again.

#include "protocol/envelope.hpp"
#include "protocol/splice.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// The full parser also refuses numbers out of range and half surrogate pairs.
bool full_parser_accepts(const std::string& text) {
  try {
    (void)nlohmann::json::parse(text);
    return true;
  } catch (const nlohmann::json::out_of_range&) {
    return true;
  } catch (const nlohmann::json::parse_error&) {
    return text.find("\\u") != std::string::npos;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tidegate::protocol;
  const std::string body{reinterpret_cast<const char*>(data), size};
  const auto head = read_envelope(body);
  if (!head) return 0;
  require(full_parser_accepts(body));
  std::size_t behind = head->object_begin + 1;
  for (const member& m : head->members) {
    require(m.key_offset >= behind && body[m.key_offset] == '"');
    require(body.compare(m.key_offset + 1, m.key.size(), m.key) == 0);
    require(m.value_offset > m.key_offset + m.key.size() && m.value_size > 0);
    behind = m.value_offset + m.value_size;
  }
  require(behind <= head->object_end && body[head->object_end] == '}');

  splice edits(body, *head);
  edits.set("model", "\"other\"");
  edits.remove("stream");
  if (!head->members.empty()) edits.remove(head->members[data[0] % head->members.size()].key);
  edits.set("store", "false");
  const std::string edited = edits.str();
  const auto again = read_envelope(edited);
  require(again.has_value());
  require(again->find("stream") == nullptr && again->find("store") != nullptr);
  return 0;
}
