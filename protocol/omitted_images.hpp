#pragma once
/// A Chat body that is passed on to a model without eyes: in results of tools a text stands for each
/// picture, since no user chose to send it (http.md 6.2). What the user sends is the provider's to
/// judge. The body was read as an envelope, so it is JSON. Pure; never throws.

#include <optional>
#include <string>
#include <string_view>

#include "protocol/envelope.hpp"

namespace tidegate::protocol {

inline constexpr std::string_view omitted_image = "[image omitted: unsupported by upstream]";

/// The body with the texts in place of the pictures; nullopt when there are none.
std::optional<std::string> without_result_images(const std::string& body, const envelope& head);

}  // namespace tidegate::protocol
