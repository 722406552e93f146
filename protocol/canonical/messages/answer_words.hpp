#pragma once
/// The words of an answer in both directions: stop reasons (translation.md 2.11), error types
/// (http.md 2.5) and token counts (translation.md 2.10).

#include <cstddef>
#include <string_view>

#include "protocol/canonical/event.hpp"
#include "protocol/canonical/json_out.hpp"

namespace tidegate::protocol::messages {

/// `calls`: how many tool calls the answer has. Any makes it a stop for tools, unless it was cut or
/// refused; none never does.
finish_reason reason_of(std::string_view stop_reason, std::size_t calls);

std::string_view stop_reason_of(const finish_event& finish, std::size_t calls);

/// 0 for an unknown type.
int status_of_error(std::string_view type);

/// Values of `later` win field by field.
void merge(usage& into, const usage& later);

/// The value of `usage`. Input without its cached part; without `whole` an unknown input is left
/// out, else it is 0.
void write_usage(json_out& out, const usage& counts, bool whole);

}  // namespace tidegate::protocol::messages
