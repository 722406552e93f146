#include "provider/antigravity/provider.hpp"
#include "provider/classify.hpp"
#include "provider/claude/provider.hpp"
#include "provider/codex/body.hpp"
#include "provider/codex/provider.hpp"
#include "provider/gemini/provider.hpp"
#include "provider/kimi/provider.hpp"
#include "provider/openai_compatibility/provider.hpp"
#include "provider/vertex/provider.hpp"
#include "provider/xai/provider.hpp"

#include <algorithm>
#include <array>

namespace tidegate::provider {

namespace {

descriptor codex_row() {
  return {kind::codex,
          "codex",
          codex::speaks,
          codex::serves,
          codex::build_request,
          codex::read_account,
          codex::classify,
          codex::classify_frame,
          codex::windows,
          codex::frame_windows,
          codex::listed_models(),
          codex::is_family,
          {}};
}

descriptor openai_compatibility_row() {
  return {kind::openai_compatibility,
          "openai-compatibility",
          openai_compatibility::speaks,
          openai_compatibility::serves,
          openai_compatibility::build_request,
          nullptr,
          openai_compatibility::classify,
          openai_compatibility::classify_frame,
          no_windows,
          no_frame_windows,
          openai_compatibility::listed_models(),
          openai_compatibility::is_family,
          {}};
}

descriptor claude_row() {
  return {kind::claude,
          "claude",
          claude::speaks,
          claude::serves,
          claude::build_request,
          claude::read_account,
          claude::classify,
          claude::classify_frame,
          claude::windows,
          no_frame_windows,
          claude::listed_models(),
          claude::is_family,
          {}};
}

descriptor gemini_row() {
  return {kind::gemini,
          "gemini",
          gemini::speaks,
          gemini::serves,
          gemini::build_request,
          nullptr,
          gemini::classify,
          gemini::classify_frame,
          no_windows,
          no_frame_windows,
          gemini::listed_models(),
          gemini::is_family,
          {}};
}

descriptor vertex_row() {
  return {kind::vertex,
          "vertex",
          vertex::speaks,
          vertex::serves,
          vertex::build_request,
          vertex::read_account,
          vertex::classify,
          vertex::classify_frame,
          no_windows,
          no_frame_windows,
          vertex::listed_models(),
          vertex::is_family,
          {.unreachable = vertex::unreachable}};
}

descriptor antigravity_row() {
  return {kind::antigravity,
          "antigravity",
          antigravity::speaks,
          antigravity::serves,
          antigravity::build_request,
          antigravity::read_account,
          antigravity::classify,
          antigravity::classify_frame,
          no_windows,
          no_frame_windows,
          antigravity::listed_models(),
          antigravity::is_family,
          {.is_local = antigravity::is_local}};
}

descriptor xai_row() {
  return {kind::xai,
          "xai",
          xai::speaks,
          xai::serves,
          xai::build_request,
          xai::read_account,
          xai::classify,
          xai::classify_frame,
          no_windows,
          no_frame_windows,
          xai::listed_models(),
          xai::is_family,
          {}};
}

descriptor kimi_row() {
  return {kind::kimi,
          "kimi",
          kimi::speaks,
          kimi::serves,
          kimi::build_request,
          kimi::read_account,
          kimi::classify,
          kimi::classify_frame,
          no_windows,
          no_frame_windows,
          kimi::listed_models(),
          kimi::is_family,
          {}};
}

}  // namespace

std::span<const descriptor> registry() {
  static const std::array<descriptor, kind_count> rows{
      codex_row(),  openai_compatibility_row(), claude_row(), gemini_row(),
      vertex_row(), antigravity_row(),          xai_row(),    kimi_row()};
  return rows;
}

bool stores_nothing(const credential& who) {
  return who.provider == kind::codex && codex::is_chatgpt_backend(who);
}

bool can_serve(const descriptor& who, protocol::surface s) {
  return who.serves(s) || protocol::generates(s);
}

bool serves_natively(const descriptor& who, protocol::surface s, std::string_view upstream_model) {
  return who.serves(s) && who.speaks(s, upstream_model).form == protocol::wire_of(s);
}

const descriptor& descriptor_of(kind k) {
  const auto rows = registry();
  const auto at =
      std::find_if(rows.begin(), rows.end(), [k](const auto& row) { return row.id == k; });
  TG_ASSERT(at != rows.end());
  return *at;
}

}  // namespace tidegate::provider
