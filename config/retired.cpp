#include "config/schema.hpp"

namespace tidegate::config {
namespace {

std::vector<retired_row> behaviour_rows() {
  return {
      {{"client"}},
      {{"upstream.codex.disable-codex-cloaking", "oauth.providers.codex.disable-codex-cloaking",
        "codex.disable-codex-cloaking"}},
      {{"upstream.codex.stream-bootstrap-buffering",
        "oauth.providers.codex.stream-bootstrap-buffering", "codex.stream-bootstrap-buffering"}},
      {{"upstream.codex.stream-bootstrap-timeout", "oauth.providers.codex.stream-bootstrap-timeout",
        "codex.stream-bootstrap-timeout"}},
      {{"upstream.codex.orphan-delegation-compatibility",
        "oauth.providers.codex.orphan-delegation-compatibility",
        "codex.orphan-delegation-compatibility"}},
      {{"upstream.codex.response-steering", "oauth.providers.codex.response-steering",
        "codex.response-steering"}},
      {{"oauth.providers.codex.optimize-multi-agent-v2", "codex.optimize-multi-agent-v2"}},
      {{"oauth.providers.codex.live-media-relay", "codex.live-media-relay"}},
      {{"oauth.providers.codex.identity-confuse", "codex.identity-confuse"}},
      {{"oauth.providers.codex.quota-cooldown", "codex.quota-cooldown"}},
      {{"oauth.providers.codex.header-defaults", "codex-header-defaults"}},
      {{"upstream.claude.disable-claude-cloak-mode",
        "oauth.providers.claude.disable-claude-cloak-mode", "disable-claude-cloak-mode"}},
      {{"upstream.claude.disable-cloaking-model-list",
        "oauth.providers.claude.disable-cloaking-model-list", "claude-code"}},
      {{"upstream.claude.header-defaults", "oauth.providers.claude.header-defaults",
        "claude-header-defaults"}},
      {{"upstream.xai", "oauth.providers.xai.inject-x-search", "xai"}},
      {{"oauth.providers.devin", "devin"}},
      {{"oauth.providers.aistudio", "ws-auth"}},
      {{"oauth.providers.antigravity.sensitive-words", "antigravity",
        "oauth.providers.antigravity.connection-pool",
        "oauth.providers.antigravity.signature-cache-enabled",
        "oauth.providers.antigravity.signature-bypass-strict",
        "antigravity-signature-cache-enabled", "antigravity-signature-bypass-strict",
        "quota-exceeded.antigravity-credits"}},
      {{"kimi"}},
      {{"api-keys.interactions", "interactions-api-key"}},
      {{"api-keys.meta", "meta-api-key"}},
      {{"api-keys.antigravity"}},
  };
}

}  // namespace

std::vector<retired_row> retired_table() {
  using enum support;
  std::vector<retired_row> rows{
      {{"config-version"}, accepted},
      {{"models"}},
      {{"server.trusted-proxies", "trusted-proxies"}},
      {{"server.commercial-mode", "commercial-mode"}},
      {{"server.discovery", "discovery"}},
      {{"server.github-token", "github-token"}},
      {{"management.disable-control-panel", "remote-management.disable-control-panel"}},
      {{"management.disable-auto-update-panel", "remote-management.disable-auto-update-panel"}},
      {{"management.panel-github-repository", "remote-management.panel-github-repository"}},
      {{"management.base-url", "remote-management.base-url"}},
      {{"credentials", "credential-concurrency", "credential-in-flight"}},
      {{"routing.session-affinity-subagents"}},
      {{"routing.cooldown.status-code", "cooldown-status-code"}},
      {{"requests.nonstream-keepalive-interval", "nonstream-keepalive-interval"}},
      {{"requests.streaming.bootstrap-retries", "streaming.bootstrap-retries"}},
      {{"oauth.auth-auto-refresh-workers", "auth-auto-refresh-workers"}},
      {{"oauth.settings", "oauth-settings"}},
      {{"oauth.responses-tools"}},
      {{"quota-exceeded.switch-project"}},
      {{"quota-exceeded.switch-preview-model"}},
      {{"multimedia", "disable-image-generation", "gpt-image-2-base-model",
        "video-result-auth-cache-ttl"}},
      {{"observability.logs.request-log", "request-log"}},
      {{"observability.logs.logging-to-file", "logging-to-file"}},
      {{"observability.logs.logs-max-total-size-mb", "logs-max-total-size-mb"}},
      {{"observability.logs.error-logs-max-files", "error-logs-max-files"}},
      {{"observability.usage", "usage-statistics-enabled", "redis-usage-queue-retention-seconds"}},
      {{"observability.pprof", "pprof"}},
      {{"plugins"}},
      {{"generative-language-api-key"}, obsolete},
      {{"auth"}, obsolete},
      {{"ampcode"}, obsolete},
      {{"amp-upstream-url"}, obsolete},
      {{"amp-upstream-api-key"}, obsolete},
      {{"amp-restrict-management-to-localhost"}, obsolete},
      {{"amp-model-mappings"}, obsolete},
  };
  for (auto& row : behaviour_rows()) rows.push_back(std::move(row));
  return rows;
}

std::vector<std::string> entry_ignored_table() {
  return {
      "websockets", "alpha-search",        "disable-codex-cloaking",   "rebuild-mid-system-message",
      "cloak",      "fingerprint-profile", "experimental-cch-signing", "support-prompt-cache-key"};
}

}  // namespace tidegate::config
