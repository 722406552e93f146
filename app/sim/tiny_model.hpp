#pragma once
/// The model of a reply that follows its request (docs/sim.md): it does what the last user text
/// orders line by line, and knows nothing else. Pure: equal conversations get equal answers.
///
///   say TEXT             the answer's text
///   call NAME ARGUMENTS  a tool call; ARGUMENTS is a JSON object
///   then                 what follows waits for the results of the calls above
///   finish WORD          stop, length or content_filter
///   report               the text tells the tool results and media since the last user turn
///   recall               the text tells the system prompt, the tools and how many thoughts came
///                        back signed
///
/// Where nothing gives text or calls: an instance of the wanted schema, else the report, else what
/// it heard.

#include "app/sim/conversation.hpp"
#include "app/sim/script.hpp"

namespace tidegate::sim {

/// `from` gives chunks; its text and calls are replaced.
answer answer_to(const conversation& what, protocol::wire vendor, const answer& from);

}  // namespace tidegate::sim
