#pragma once
/// The model catalogue that Codex CLI asks for with `client_version`: every member that one of its
/// versions requires is there, and enumerations hold only words that all of them know, because one
/// entry that cannot be read costs the client the whole list.
/// Source: openai/codex, codex-rs/protocol/src/openai_models.rs (`ModelInfo`), 2026-02 to 2026-06.

#include <nlohmann/json.hpp>
#include <vector>

#include "http/model_card.hpp"

namespace tidegate::http {

/// `{"models":[...]}`. OpenAI's models come first, then other known ones, each newest first, then
/// the unknown ones by name.
nlohmann::ordered_json codex_catalogue(std::vector<model_card> cards);

}  // namespace tidegate::http
