#pragma once
/// The model name `auto`: the newest model that the gateway lists. Pure.

#include <string>
#include <string_view>

#include "protocol/surface.hpp"
#include "provider/catalog.hpp"

namespace tidegate::provider {

/// `auto`, in any case and maybe with a suffix.
bool is_auto(std::string_view requested);

/// What to call for a requested name: the name itself, unless it is `auto` and no configured name;
/// the suffix stays. Newest is the last row of protocol/models.hpp
/// that a listed model has; models of providers that speak the surface's own protocol come before
/// others, known ones before unknown ones. With nothing listed for the surface it stays `auto`.
std::string chosen_model(const catalog& from, std::string_view requested, protocol::surface on);

}  // namespace tidegate::provider
