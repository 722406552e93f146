#pragma once
/// What `explain` says, in words and as JSON: the verdict a call would get now, and for each
/// credential whether it could take the call and, if not, what blocks it, until when and on which
/// evidence. Pure; any thread.

#include "base/time.hpp"
#include "http/ports.hpp"
#include "protocol/failure.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tidegate::http::management {

/// Everything known when one surface is explained.
struct explain_facts {
  const explanation& told;
  protocol::surface surface;
  std::string_view model;  ///< as asked
  const std::vector<credential_view>& views;
  /// Upstream names behind the model, by credential id.
  const std::map<std::string, std::vector<std::string>>& upstream;
  instant now;
};

std::string_view to_string(quota::verdict_kind kind);

/// One sentence: `eligible`, or what keeps the candidate from being picked. `view` may be null.
std::string why(const quota::candidate& who, const credential_view* view, instant now);

/// Status, headers and body that a client would read.
nlohmann::ordered_json answer_entry(const protocol::reply& reply);

nlohmann::ordered_json explain_entry(const explain_facts& facts);

/// A credential that is no candidate; `reason` is one sentence.
nlohmann::ordered_json bystander_entry(const provider::credential& who, std::string_view reason);

}  // namespace tidegate::http::management
