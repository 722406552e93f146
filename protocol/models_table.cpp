/// The rows of protocol/models.hpp. A release behind a name needs no row; a version does.

#include "protocol/models.hpp"

#include <array>

namespace tidegate::protocol {
namespace {

using enum thinking_level;

constexpr std::array<std::string_view, 1> text{"text"};
constexpr std::array<std::string_view, 2> seeing{"text", "image"};
constexpr std::array<std::string_view, 3> watching{"text", "image", "video"};
constexpr std::array<std::string_view, 4> hearing{"text", "image", "audio", "video"};

constexpr thinking_caps fixed{};

constexpr thinking_caps words(level_set levels) {
  return {.levels = levels};
}

// Anthropic. Adaptive thinking with an effort came with 4.6; 4.7 and 4.8 take no budget any more.
constexpr thinking_caps claude_budget{
    .budget_min = 1024, .budget_max = 128'000, .zero_allowed = true};
constexpr thinking_caps claude_hybrid(level_set levels) {
  return {.budget_min = 1024, .budget_max = 128'000, .zero_allowed = true, .levels = levels};
}
constexpr thinking_caps claude_words{.zero_allowed = true,
                                     .levels = {low, medium, high, xhigh, max}};
constexpr thinking_caps claude_dynamic{
    .zero_allowed = true, .dynamic_allowed = true, .levels = {low, medium, high, xhigh, max}};

// Google.
constexpr thinking_caps gemini_budget(std::int64_t least, std::int64_t most, bool zero) {
  return {.budget_min = least, .budget_max = most, .zero_allowed = zero, .dynamic_allowed = true};
}
constexpr thinking_caps gemini_hybrid(level_set levels, std::int64_t most = 32'768) {
  return {.budget_min = 128, .budget_max = most, .dynamic_allowed = true, .levels = levels};
}
constexpr level_set from_minimal{minimal, low, medium, high};
constexpr level_set from_low{low, medium, high};

// OpenAI.
constexpr thinking_caps gpt_none_to_high = words({none, low, medium, high});
constexpr thinking_caps gpt_none_to_xhigh = words({none, low, medium, high, xhigh});
constexpr thinking_caps gpt_low_to_xhigh = words({low, medium, high, xhigh});
constexpr thinking_caps gpt_low_to_max = words({low, medium, high, xhigh, max});

// Moonshot.
constexpr thinking_caps kimi_words(level_set levels, bool zero = true) {
  return {.zero_allowed = zero, .levels = levels};
}

constexpr std::array table{
    model_facts{"claude-3-5-haiku", "Claude Haiku 3.5", 200'000, 8192, seeing, text, fixed},
    model_facts{"claude-3-5-sonnet", "Claude Sonnet 3.5", 200'000, 8192, seeing, text, fixed},
    model_facts{"claude-3-7-sonnet", "Claude Sonnet 3.7", 200'000, 64'000, seeing, text,
                claude_budget},
    model_facts{"claude-sonnet-4", "Claude Sonnet 4", 200'000, 64'000, seeing, text, claude_budget},
    model_facts{"claude-sonnet-4-0", "Claude Sonnet 4", 200'000, 64'000, seeing, text,
                claude_budget},
    model_facts{"claude-opus-4", "Claude Opus 4", 200'000, 32'000, seeing, text, claude_budget},
    model_facts{"claude-opus-4-0", "Claude Opus 4", 200'000, 32'000, seeing, text, claude_budget},
    model_facts{"claude-opus-4-1", "Claude Opus 4.1", 200'000, 32'000, seeing, text, claude_budget},
    model_facts{"claude-haiku-4-5", "Claude Haiku 4.5", 200'000, 64'000, seeing, text,
                claude_budget},
    model_facts{"claude-sonnet-4-5-thinking", "Claude Sonnet 4.5 (Thinking)", 200'000, 64'000,
                seeing, text, claude_budget},
    model_facts{"claude-sonnet-4-5", "Claude Sonnet 4.5", 200'000, 64'000, seeing, text,
                claude_budget},
    model_facts{"claude-opus-4-5-thinking", "Claude Opus 4.5 (Thinking)", 200'000, 64'000, seeing,
                text, claude_budget},
    model_facts{"claude-opus-4-5", "Claude Opus 4.5", 200'000, 64'000, seeing, text, claude_budget},
    model_facts{"claude-sonnet-4-6", "Claude Sonnet 4.6", 200'000, 64'000, seeing, text,
                claude_hybrid({low, medium, high, max})},
    model_facts{"claude-opus-4-6-thinking", "Claude Opus 4.6 (Thinking)", 200'000, 64'000, seeing,
                text, claude_budget},
    model_facts{"claude-opus-4-6", "Claude Opus 4.6", 1'000'000, 128'000, seeing, text,
                claude_hybrid({low, medium, high, max})},
    model_facts{"claude-opus-4-7", "Claude Opus 4.7", 1'000'000, 128'000, seeing, text,
                claude_words},
    model_facts{"claude-opus-4-8", "Claude Opus 4.8", 1'000'000, 128'000, seeing, text,
                claude_words},
    model_facts{"claude-opus-5", "Claude Opus 5", 1'000'000, 128'000, seeing, text, claude_dynamic},
    model_facts{"claude-sonnet-5", "Claude Sonnet 5", 1'000'000, 128'000, seeing, text,
                claude_dynamic},
    model_facts{"claude-fable-5", "Claude Fable 5", 1'000'000, 128'000, seeing, text,
                claude_hybrid({low, medium, high, xhigh, max})},

    model_facts{"gpt-4o", "GPT-4o", 128'000, 16'384, seeing, text, fixed},
    model_facts{"gpt-4o-mini", "GPT-4o mini", 128'000, 16'384, seeing, text, fixed},
    model_facts{"gpt-4.1", "GPT-4.1", 1'047'576, 32'768, seeing, text, fixed},
    model_facts{"gpt-4.1-mini", "GPT-4.1 mini", 1'047'576, 32'768, seeing, text, fixed},
    model_facts{"gpt-4.1-nano", "GPT-4.1 nano", 1'047'576, 32'768, seeing, text, fixed},
    model_facts{"o1", "o1", 200'000, 100'000, seeing, text, words(from_low)},
    model_facts{"o3", "o3", 200'000, 100'000, seeing, text, words(from_low)},
    model_facts{"o3-mini", "o3-mini", 200'000, 100'000, text, text, words(from_low)},
    model_facts{"o4-mini", "o4-mini", 200'000, 100'000, seeing, text, words(from_low)},
    model_facts{"gpt-5", "GPT-5", 400'000, 128'000, seeing, text, words(from_minimal)},
    model_facts{"gpt-5-mini", "GPT-5 mini", 400'000, 128'000, seeing, text, words(from_minimal)},
    model_facts{"gpt-5-nano", "GPT-5 nano", 400'000, 128'000, seeing, text, words(from_minimal)},
    model_facts{"gpt-5-chat", "GPT-5 Chat", 128'000, 16'384, seeing, text, fixed},
    model_facts{"gpt-5-codex", "GPT-5 Codex", 400'000, 128'000, seeing, text, words(from_low)},
    model_facts{"gpt-5.1", "GPT-5.1", 400'000, 128'000, seeing, text, gpt_none_to_high},
    model_facts{"gpt-5.1-codex", "GPT-5.1 Codex", 400'000, 128'000, seeing, text, words(from_low)},
    model_facts{"gpt-5.1-codex-mini", "GPT-5.1 Codex mini", 400'000, 128'000, seeing, text,
                words(from_low)},
    model_facts{"gpt-5.1-codex-max", "GPT-5.1 Codex Max", 400'000, 128'000, seeing, text,
                gpt_low_to_xhigh},
    model_facts{"gpt-5.2", "GPT-5.2", 400'000, 128'000, seeing, text, gpt_none_to_xhigh},
    model_facts{"gpt-5.2-codex", "GPT-5.2 Codex", 400'000, 128'000, seeing, text, gpt_low_to_xhigh},
    model_facts{"gpt-5.3-codex", "GPT-5.3 Codex", 400'000, 128'000, seeing, text, gpt_low_to_xhigh},
    model_facts{"gpt-5.3-codex-spark", "GPT-5.3 Codex Spark", 128'000, 128'000, text, text,
                gpt_low_to_xhigh},
    model_facts{"gpt-5.4", "GPT-5.4", 1'050'000, 128'000, seeing, text, gpt_none_to_xhigh},
    model_facts{"gpt-5.4-mini", "GPT-5.4 mini", 400'000, 128'000, seeing, text, gpt_none_to_xhigh},
    model_facts{"gpt-5.4-nano", "GPT-5.4 nano", 400'000, 128'000, seeing, text, gpt_none_to_xhigh},
    model_facts{"gpt-5.5", "GPT-5.5", 272'000, 128'000, seeing, text, gpt_none_to_xhigh},
    model_facts{"gpt-5.6-sol", "GPT-5.6 Sol", 372'000, 128'000, seeing, text, gpt_low_to_max},
    model_facts{"gpt-5.6-terra", "GPT-5.6 Terra", 372'000, 128'000, seeing, text, gpt_low_to_max},
    model_facts{"gpt-5.6-luna", "GPT-5.6 Luna", 372'000, 128'000, seeing, text, gpt_low_to_max},
    model_facts{"codex-auto-review", "Codex Auto Review", 272'000, 128'000, seeing, text,
                gpt_low_to_xhigh},
    model_facts{"gpt-oss-20b", "gpt-oss-20b", 131'072, 131'072, text, text, words(from_low)},
    model_facts{"gpt-oss-120b", "gpt-oss-120b", 131'072, 131'072, text, text, words(from_low)},

    model_facts{"gemini-2.0-flash", "Gemini 2.0 Flash", 1'048'576, 8192, hearing, text, fixed},
    model_facts{"gemini-2.0-flash-lite", "Gemini 2.0 Flash-Lite", 1'048'576, 8192, hearing, text,
                fixed},
    model_facts{"gemini-2.5-pro", "Gemini 2.5 Pro", 1'048'576, 65'536, hearing, text,
                gemini_budget(128, 32'768, false)},
    model_facts{"gemini-2.5-flash", "Gemini 2.5 Flash", 1'048'576, 65'536, hearing, text,
                gemini_budget(0, 24'576, true)},
    model_facts{"gemini-2.5-flash-lite", "Gemini 2.5 Flash-Lite", 1'048'576, 65'536, hearing, text,
                gemini_budget(512, 24'576, true)},
    model_facts{"gemini-3-pro-low", "Gemini 3 Pro (Low)", 1'048'576, 65'536, hearing, text,
                gemini_hybrid({low, high})},
    model_facts{"gemini-3-pro-high", "Gemini 3 Pro (High)", 1'048'576, 65'536, hearing, text,
                gemini_hybrid({low, high})},
    model_facts{"gemini-3-pro", "Gemini 3 Pro", 1'048'576, 65'536, hearing, text,
                gemini_hybrid({low, high})},
    model_facts{"gemini-3-pro-image", "Gemini 3 Pro Image", 1'048'576, 65'536, seeing, seeing,
                gemini_hybrid({low, high})},
    model_facts{"gemini-3-flash", "Gemini 3 Flash", 1'048'576, 65'536, hearing, text,
                gemini_hybrid(from_minimal)},
    model_facts{"gemini-3.1-pro", "Gemini 3.1 Pro", 1'048'576, 65'536, hearing, text,
                gemini_hybrid(from_low)},
    model_facts{"gemini-3.1-flash-image", "Gemini 3.1 Flash Image", 1'048'576, 65'536, seeing,
                seeing, gemini_hybrid({minimal, high})},
    model_facts{"gemini-3.1-flash-lite", "Gemini 3.1 Flash-Lite", 1'048'576, 65'536, hearing, text,
                gemini_hybrid(from_minimal)},
    model_facts{"gemini-3.5-flash", "Gemini 3.5 Flash", 1'048'576, 65'536, hearing, text,
                gemini_hybrid(from_minimal)},
    model_facts{"gemini-3.5-flash-lite", "Gemini 3.5 Flash-Lite", 1'048'576, 65'536, hearing, text,
                gemini_hybrid(from_minimal)},
    model_facts{"gemini-3.6-flash", "Gemini 3.6 Flash", 1'048'576, 65'536, hearing, text,
                gemini_hybrid(from_minimal)},
    model_facts{"gemini-3.7-flash", "Gemini 3.7 Flash", 1'048'576, 65'536, hearing, text,
                gemini_hybrid(from_low, 65'535)},
    model_facts{"gemini-3.8-flash", "Gemini 3.8 Flash", 1'048'576, 65'536, hearing, text,
                gemini_hybrid(from_low, 65'535)},

    model_facts{"grok-3-mini", "Grok 3 Mini", 131'072, 32'768, text, text, words({low, high})},
    model_facts{"grok-3-mini-fast", "Grok 3 Mini Fast", 131'072, 32'768, text, text,
                words({low, high})},
    model_facts{"grok-4", "Grok 4", 256'000, 65'536, seeing, text, fixed},
    model_facts{"grok-code-fast-1", "Grok Code Fast 1", 256'000, 65'536, text, text, fixed},
    model_facts{"grok-4.20-0309-reasoning", "Grok 4.20 Reasoning", 2'000'000, 65'536, seeing, text,
                fixed},
    model_facts{"grok-4.20-0309-non-reasoning", "Grok 4.20", 2'000'000, 65'536, seeing, text,
                fixed},
    model_facts{"grok-4.3", "Grok 4.3", 1'000'000, 65'536, seeing, text,
                thinking_caps{.zero_allowed = true, .levels = {none, low, medium, high}}},
    model_facts{"grok-4.5", "Grok 4.5", 500'000, 65'536, seeing, text, words(from_low)},
    model_facts{"grok-4.6", "Grok 4.6", 500'000, 65'536, seeing, text, gpt_low_to_xhigh},

    model_facts{"kimi-k2", "Kimi K2", 131'072, 32'768, text, text, fixed},
    model_facts{"kimi-k2-thinking", "Kimi K2 Thinking", 131'072, 32'768, text, text,
                kimi_words({low, high})},
    model_facts{"kimi-k2.5", "Kimi K2.5", 262'144, 32'768, watching, text, kimi_words({low, high})},
    model_facts{"kimi-k2.6", "Kimi K2.6", 262'144, 65'536, watching, text, kimi_words({low, high})},
    model_facts{"kimi-k2.7-code", "Kimi K2.7 Code", 262'144, 65'536, watching, text,
                kimi_words({low, high}, false)},
    model_facts{"kimi-k3", "Kimi K3", 1'048'576, 65'536, watching, text,
                kimi_words({low, high, max})},
};

}  // namespace

std::span<const model_facts> known_models() {
  return table;
}

}  // namespace tidegate::protocol
