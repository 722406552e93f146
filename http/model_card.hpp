#pragma once
/// What a model list can tell of one model: the operator's words, else the vendors' facts
/// (protocol/models.hpp). Pure.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/models.hpp"
#include "provider/catalog.hpp"

namespace tidegate::http {

struct model_card {
  std::string id;
  std::string owned_by;
  std::string display_name;
  provider::kind provider = provider::kind::codex;
  const protocol::model_facts* facts = nullptr;  ///< null: no vendor's table has it
  std::int64_t context_window = 0;               ///< tokens; 0 = unknown
  std::int64_t max_output = 0;                   ///< tokens; 0 = unknown
  std::vector<std::string> input_modalities;     ///< empty = unknown
  std::vector<std::string> output_modalities;
  /// Words for the effort, in order. A model that takes a budget alone is given one for each
  /// word by the gateway.
  std::vector<std::string_view> efforts;
};

model_card card_of(const provider::listed_model& one);
/// In the order of the list.
std::vector<model_card> cards_of(const std::vector<provider::listed_model>& all);

}  // namespace tidegate::http
