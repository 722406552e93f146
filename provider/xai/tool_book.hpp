#pragma once
/// The tools of one call as xAI takes them: one flat list of functions and hosted tools. Tools of a
/// namespace get their names joined, free-form tools become functions with one `input`, and the
/// book knows the way back. The list of what is changed is in docs/wire/xai.md. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "protocol/canonical/tool_names.hpp"

namespace tidegate::provider::xai {

/// A call with more tools goes out as it is.
inline constexpr std::size_t tools_max = 4096;

std::string_view type_of(std::string_view object);
/// Plain text of a string member; empty when there is none.
std::string text_of(std::string_view object, std::string_view key);

/// Grok 4.6 and later; 4.20 is older than it looks.
bool makes_images(std::string_view model);

class tool_book {
 public:
  explicit tool_book(std::string_view model) : model_(model) {}

  /// Adds the elements of a `tools` list.
  void add(std::string_view list) { add(list, {}); }
  /// Adds tools that were declared elsewhere.
  void promote(std::string_view list) {
    const auto before = kept_.size();
    add(list);
    changed_ = changed_ || kept_.size() != before;
  }

  bool overgrown() const { return kept_.size() > tools_max; }
  bool changed() const { return changed_; }
  bool empty() const { return kept_.empty(); }
  std::string list() const;

  /// The `tool_choice` object as it has to be; empty: its tool is not sent. nullopt: as it is. A
  /// chosen hosted tool is spelled as a list of one.
  std::optional<std::string> tool_choice(std::string_view choice);

  /// A call of the history, or a choice, as a call of the function that was declared for it.
  /// nullopt: it is one already.
  std::optional<std::string> function_of(std::string_view object);

  /// For the answer.
  protocol::tool_names names() const { return names_.changed(); }
  bool searches_x() const { return searches_x_; }
  /// Whether the client has declared a function that goes by this name.
  bool declares(const std::string& wire) const { return declared_.contains(wire); }

 private:
  void add(std::string_view list, const std::string& name_space);
  void take(std::string_view tool, const std::string& name_space);
  std::string function(std::string_view tool, const std::string& name_space);
  bool is_refused(std::string_view tool) const;
  std::optional<std::string> choice(std::string_view entry);

  std::string_view model_;
  std::vector<std::string> kept_;
  std::unordered_set<std::string> dropped_;   ///< types, and names of free-form tools
  std::unordered_set<std::string> declared_;  ///< names as sent
  protocol::name_map names_{{.custom_as_function = true}};
  bool changed_ = false;
  bool searches_x_ = false;
};

}  // namespace tidegate::provider::xai
