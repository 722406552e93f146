#include "provider/catalog.hpp"

#include "protocol/thinking.hpp"
#include "provider/model_pattern.hpp"
#include "provider/provider.hpp"
#include "provider/text_match.hpp"
#include "quota/block_set.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace tidegate::provider {

namespace {

std::string base_name(std::string_view name) {
  return lower(quota::canonical_model(name));
}

bool has_suffix(std::string_view name) {
  return !protocol::split_suffix(name).value.empty();
}

bool serves_families(const credential& who) {
  return who.models.empty() || who.auth == auth_kind::account;
}

/// The provider's own spelling of a listed name; `name` is in lower case.
std::string family_spelling(const descriptor& of, const std::string& name) {
  for (const auto listed : of.listed_models) {
    if (equal_ignoring_case(listed, name)) return std::string{listed};
  }
  return name;
}

/// Names that an account's aliases take away, in lower case.
std::vector<std::string> replaced_names(const credential& who) {
  std::vector<std::string> names;
  if (who.auth != auth_kind::account) return names;
  std::unordered_set<std::string> kept;
  for (const auto& entry : who.models) {
    if (entry.fork || equal_ignoring_case(entry.alias, entry.name))
      kept.insert(base_name(entry.name));
  }
  for (const auto& entry : who.models) {
    if (matches_any(who.excluded_models, base_name(entry.alias))) continue;
    auto name = base_name(entry.name);
    if (!name.empty() && !kept.contains(name)) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void order(std::vector<route_member>& members) {
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return a.credential->id < b.credential->id; });
}

/// Both ordered; a credential in both stays as `first` has it.
std::vector<route_member> merged(std::vector<route_member> first,
                                 std::vector<route_member> second) {
  if (first.empty()) return second;
  if (second.empty()) return first;
  std::vector<route_member> all;
  all.reserve(first.size() + second.size());
  std::merge(std::make_move_iterator(first.begin()), std::make_move_iterator(first.end()),
             std::make_move_iterator(second.begin()), std::make_move_iterator(second.end()),
             std::back_inserter(all),
             [](const auto& a, const auto& b) { return a.credential->id < b.credential->id; });
  const auto same = [](const auto& a, const auto& b) {
    return a.credential->id == b.credential->id;
  };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  return all;
}

}  // namespace

catalog::catalog(std::vector<credential_ptr> credentials, const quota::routing_options& routing)
    : credentials_(std::move(credentials)), force_prefix_(routing.force_model_prefix) {
  std::vector<credential_ptr> by_id;
  for (const auto& who : credentials_) {
    if (!who->disabled) by_id.push_back(who);
  }
  std::sort(by_id.begin(), by_id.end(), [](const auto& a, const auto& b) { return a->id < b->id; });
  for (const auto& who : by_id) {
    add_configured(who);
    if (serves_families(*who)) add_family(who);
  }
  list_models();
}

void catalog::add_configured(const credential_ptr& who) {
  const auto visible = [&](const std::string& name) {
    return !name.empty() && !matches_any(who->excluded_models, base_name(name));
  };
  for (const auto& entry : who->models) {
    const auto& alias = entry.alias.empty() ? entry.name : entry.alias;
    if (visible(entry.name) && visible(alias)) add_name(who, alias, entry, true);
  }
  const auto replaced = replaced_names(*who);
  for (const auto& entry : who->models) {
    if (!visible(entry.name) || has_suffix(entry.name)) continue;
    if (std::ranges::binary_search(replaced, base_name(entry.name))) continue;
    add_name(who, entry.name, entry, false);
  }
}

void catalog::add_name(const credential_ptr& who, const std::string& client_name,
                       const model_entry& entry, bool as_alias) {
  const std::string shown_name{trimmed(client_name)};
  const std::string& prefix = who->prefix;
  const auto put = [&](const std::string& shown) {
    named& at = exact_[lower(shown)];
    if (at.serving.model.empty()) at.serving.model = shown;
    auto& members = at.serving.members;
    const bool present = !members.empty() && members.back().credential == who;
    if (!as_alias && present) return;
    if (as_alias && !at.listed) {
      at.owned_by = who->provider_name;
      at.provider = who->provider;
      at.first = entry;
      at.listed = true;
    }
    if (!present) members.push_back({who, {}, false});
    auto& member = members.back();
    auto& pool = member.upstream_models;
    if (pool.size() < alias_pool_max &&
        std::find(pool.begin(), pool.end(), entry.name) == pool.end()) {
      pool.push_back(entry.name);
    }
    member.force_mapping = member.force_mapping || (as_alias && entry.force_mapping);
  };
  if (prefix.empty() || !force_prefix_ || equal_ignoring_case(prefix, shown_name)) put(shown_name);
  if (!prefix.empty()) put(prefix + "/" + shown_name);
}

void catalog::add_family(const credential_ptr& who) {
  auto& families = families_[static_cast<std::size_t>(who->provider)];
  auto hidden = who->excluded_models;
  for (auto& name : replaced_names(*who)) hidden.push_back(std::move(name));
  if (const auto unreachable = descriptor_of(who->provider).odd.unreachable) {
    if (const auto pattern = unreachable(*who); !pattern.empty()) hidden.emplace_back(pattern);
  }
  families[std::move(hidden)][lower(who->prefix)].push_back(who);
}

std::vector<route_member> catalog::family_members(kind k, const std::string& name) const {
  std::vector<route_member> found;
  const auto& families = families_[static_cast<std::size_t>(k)];
  if (families.empty()) return found;
  const descriptor& of = descriptor_of(k);
  const auto add = [&](const std::vector<credential_ptr>& group, const std::string& upstream) {
    for (const auto& who : group) found.push_back({who, {upstream}, false});
  };
  if (of.is_family(name)) {
    const std::string upstream = family_spelling(of, name);
    for (const auto& [excluded, by_prefix] : families) {
      if (matches_any(excluded, name)) continue;
      for (const auto& [prefix, group] : by_prefix) {
        if (prefix.empty() || !force_prefix_ || prefix == name) add(group, upstream);
      }
    }
  }
  const auto slash = name.find('/');
  if (slash != std::string::npos && slash > 0 && of.is_family(name.substr(slash + 1))) {
    const std::string rest = name.substr(slash + 1);
    const std::string upstream = family_spelling(of, rest);
    for (const auto& [excluded, by_prefix] : families) {
      const auto group = by_prefix.find(name.substr(0, slash));
      if (group == by_prefix.end() || matches_any(excluded, rest)) continue;
      add(group->second, upstream);
    }
  }
  order(found);
  return found;
}

std::string catalog::key_of(std::string_view model) const {
  std::string whole = lower(trimmed(model));
  if (has_suffix(whole) && exact_.contains(whole)) return whole;
  return base_name(whole);
}

std::optional<route> catalog::find(std::string_view model) const {
  const std::string key = key_of(model);
  if (key.empty()) return std::nullopt;
  route out{key, {}};
  if (const auto configured = exact_.find(key); configured != exact_.end()) {
    out = configured->second.serving;
  }
  std::vector<route_member> by_family;
  for (std::size_t k = 0; k < kind_count && !has_suffix(key); ++k) {
    auto more = family_members(static_cast<kind>(k), key);
    by_family = merged(std::move(by_family), std::move(more));
  }
  out.members = merged(std::move(out.members), std::move(by_family));
  if (out.members.empty()) return std::nullopt;
  return out;
}

void catalog::list_models() {
  for (const auto& [key, entry] : exact_) {
    if (!entry.listed) continue;
    models_.push_back({entry.serving.model, entry.owned_by, entry.provider, entry.first});
  }
  std::unordered_set<std::string> taken;
  const auto list = [&](const std::string& key, std::string shown, const credential& who,
                        std::string_view model) {
    const auto configured = exact_.find(key);
    if (configured != exact_.end() && configured->second.listed) return;
    if (!taken.insert(key).second) return;
    model_entry behind{.name = std::string{model}, .alias = shown};
    models_.push_back({std::move(shown), who.provider_name, who.provider, std::move(behind)});
  };
  const auto list_group = [&](const std::string& prefix, const credential& who,
                              std::string_view model) {
    const std::string name = lower(model);
    if (prefix.empty() || !force_prefix_ || prefix == name) {
      list(name, std::string{model}, who, model);
    }
    if (prefix.empty()) return;
    list(prefix + "/" + name, who.prefix + "/" + std::string{model}, who, model);
  };
  for (std::size_t k = 0; k < kind_count; ++k) {
    if (families_[k].empty()) continue;
    for (const auto model : descriptor_of(static_cast<kind>(k)).listed_models) {
      for (const auto& [excluded, by_prefix] : families_[k]) {
        if (matches_any(excluded, lower(model))) continue;
        for (const auto& [prefix, group] : by_prefix) list_group(prefix, *group.front(), model);
      }
    }
  }
  std::sort(models_.begin(), models_.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
}

}  // namespace tidegate::provider
