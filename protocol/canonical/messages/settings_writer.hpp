#pragma once
/// The top-level members of a request that are no conversation. Rules: translation.md 2.8, 2.9,
/// 2.13 and http.md 5.4, 6.3: thinking leaves only a temperature of 1 and a top_p of 0.95 and more,
/// and no top_k; temperature beats top_p; a budget stays below max_tokens; a tool that must be
/// called excludes thinking.

#include <string>
#include <string_view>

#include "protocol/canonical/codec.hpp"
#include "protocol/canonical/json_out.hpp"
#include "protocol/canonical/request.hpp"

namespace tidegate::protocol::messages {

/// What the rest of a request says about thinking.
struct thinking_limits {
  bool tool_is_forced = false;
  /// A budget is refused when the turn that called the answered tools did not begin with thinking.
  bool loop_lacks_thinking = false;
};

class settings_writer {
 public:
  settings_writer(json_out& out, const canonical_request& what, const target_caps& caps,
                  lossy_notes& lost)
      : out_(out), what_(what), caps_(caps), lost_(lost) {}

  /// max_tokens and stream.
  void limits() const;
  void rest(thinking_limits limits) const;

 private:
  std::int64_t max_tokens() const;
  reasoning_wish fitted(thinking_limits limits) const;
  void thinking(const reasoning_wish& wish) const;
  void output_config(const reasoning_wish& wish) const;
  bool has_schema() const;
  std::string output_schema() const;
  void sampling(bool thinks) const;
  void temperature(double value, bool thinks) const;
  void stop() const;
  void user() const;
  void tier() const;
  void note_rest() const;

  json_out& out_;
  const canonical_request& what_;
  const target_caps& caps_;
  lossy_notes& lost_;
};

}  // namespace tidegate::protocol::messages
