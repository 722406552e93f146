#include "protocol/payload_rules.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/wildcard.hpp"
#include "protocol/canonical/gemini/json_scan.hpp"
#include "protocol/json_items.hpp"
#include "protocol/json_object.hpp"
#include "protocol/json_text.hpp"
#include "protocol/path_edit.hpp"
#include "protocol/splice.hpp"
#include "protocol/thinking.hpp"

namespace tidegate::protocol {
namespace {

using step_span = std::span<const path_step>;

/// A configured value: a string equals strings only.
bool same_scalar(std::string_view found, std::string_view wanted) {
  const bool text = wanted.starts_with('"');
  if (text != found.starts_with('"')) return false;
  if (!text) return scalar_equals(found, wanted);
  const auto plain = decode_json_string(wanted);
  return plain && scalar_equals(found, *plain);
}

std::string without_suffix(std::string_view model) {
  return lower(split_suffix(model).base);
}

/// The body with the members that rules have changed so far.
class draft {
 public:
  draft(const std::string& body, const envelope& head) : body_(body), head_(head) {}

  void apply(const payload_param& param, edit_kind how) {
    const step_span steps{param.path.steps};
    const auto* known = member_of(steps.front().key);
    const auto key = known != nullptr ? known->key : std::string_view{steps.front().key};
    auto* change = change_of(key);
    std::optional<std::string_view> value;
    if (change != nullptr) {
      if (change->raw) value = *change->raw;
    } else if (known != nullptr) {
      value = value_of(body_, *known);
    }
    auto next = after(value, steps.subspan(1), how, param.raw);
    if (!next) return;
    if (change == nullptr) change = &changes_.emplace_back(std::string{key}, std::nullopt);
    change->raw = std::move(*next);
  }

  std::vector<std::string_view> find(const json_path& path) const {
    const step_span steps{path.steps};
    const auto* known = member_of(steps.front().key);
    if (known == nullptr) return {};
    return find_values(value_of(body_, *known), steps.subspan(1));
  }

  result<std::optional<std::string>> finish(std::size_t spare_bytes) const {
    constexpr std::string_view too_large = "payload rules make this request too large";
    if (too_large_) return failed(errc::limit_exceeded, std::string{too_large});
    if (changes_.empty()) return std::nullopt;
    splice edits{body_, head_};
    for (const auto& one : changes_) {
      one.raw ? edits.set(one.key, *one.raw) : edits.remove(one.key);
    }
    const auto size = edits.size();
    if (size > size_max()) return failed(errc::limit_exceeded, std::string{too_large});
    std::string text;
    text.reserve(size + spare_bytes);
    for (const auto piece : edits.pieces()) text += piece;
    return text;
  }

 private:
  /// nullopt: the member is not there.
  using member_value = std::optional<std::string>;

  struct changed_member {
    std::string key;  ///< as the body spells it
    member_value raw;
  };

  /// What becomes of a member; nullopt when it stays as it is.
  std::optional<member_value> after(std::optional<std::string_view> value, step_span inside,
                                    edit_kind how, std::string_view raw) {
    if (!value) {
      auto made = how == edit_kind::remove ? std::nullopt : created(inside, raw);
      return made ? std::optional<member_value>{std::move(made)} : std::nullopt;
    }
    if (inside.empty()) {
      if (how == edit_kind::remove) return member_value{};
      if (how == edit_kind::fill || *value == raw) return std::nullopt;
      return member_value{std::string{raw}};
    }
    auto next = edited(*value, inside, how, raw);
    too_large_ = too_large_ || !next || (*next && (*next)->size() > size_max());
    if (too_large_ || !*next) return std::nullopt;
    return std::move(*next);
  }

  std::size_t size_max() const { return body_.size() + payload_growth_max; }

  const member* member_of(std::string_view name) const {
    const auto found = std::ranges::find_if(
        head_.members, [&](const member& one) { return key_is(one.key, name); });
    return found == head_.members.end() ? nullptr : &*found;
  }

  changed_member* change_of(std::string_view key) {
    const auto found = std::ranges::find(changes_, key, &changed_member::key);
    return found == changes_.end() ? nullptr : &*found;
  }

  const std::string& body_;
  const envelope& head_;
  std::vector<changed_member> changes_;
  bool too_large_ = false;
};

class rule_match {
 public:
  rule_match(const payload_call& call, const draft& body)
      : call_(call),
        body_(body),
        names_{without_suffix(call.upstream_model), without_suffix(call.requested_model)} {}

  bool operator()(const payload_rule& rule) const {
    return std::ranges::any_of(rule.models, [&](const auto& one) { return matches(one); });
  }

 private:
  bool matches(const payload_selector& one) const {
    return (!one.protocol || *one.protocol == call_.to) && (!one.from || *one.from == call_.from) &&
           std::ranges::any_of(
               names_, [&](const auto& name) { return matches_wildcard(one.name, name); }) &&
           headers_match(one) && body_matches(one);
  }

  bool headers_match(const payload_selector& one) const {
    return std::ranges::all_of(one.headers, [&](const auto& wanted) {
      const auto value = call_.header(wanted.first);
      return value && matches_wildcard(wanted.second, *value);
    });
  }

  bool has_value(const payload_param& wanted) const {
    return std::ranges::any_of(body_.find(wanted.path), [&](std::string_view found) {
      return same_scalar(found, wanted.raw);
    });
  }

  bool exists(const json_path& path) const {
    return std::ranges::any_of(body_.find(path), [](auto found) { return found != "null"; });
  }

  bool body_matches(const payload_selector& one) const {
    const auto has = [&](const payload_param& wanted) { return has_value(wanted); };
    const auto is = [&](const json_path& path) { return exists(path); };
    return std::ranges::all_of(one.match, has) && std::ranges::none_of(one.not_match, has) &&
           std::ranges::all_of(one.exist, is) && std::ranges::none_of(one.not_exist, is);
  }

  const payload_call& call_;
  const draft& body_;
  const std::string names_[2];
};

}  // namespace

result<std::optional<std::string>> apply_payload_rules(const payload_options& rules,
                                                       const payload_call& call,
                                                       const std::string& body,
                                                       const envelope& head,
                                                       std::size_t spare_bytes) {
  const draft original{body, head};
  const rule_match matches{call, original};
  draft now{body, head};
  const auto apply = [&](const std::vector<payload_rule>& list, edit_kind how) {
    for (const auto& rule : list) {
      if (!matches(rule)) continue;
      for (const auto& param : rule.params) now.apply(param, how);
    }
  };
  apply(rules.fill, edit_kind::fill);
  apply(rules.fill_raw, edit_kind::fill);
  apply(rules.override_all, edit_kind::set);
  apply(rules.override_raw, edit_kind::set);
  apply(rules.filter, edit_kind::remove);
  return now.finish(spare_bytes);
}

std::optional<std::string> payload_path_fault(const json_path& path) {
  const auto& first = path.steps.front().key;
  if (first != "model" && first != "stream") return std::nullopt;
  return "cannot be set by a rule: the call was routed by it";
}

bool is_payload_value(std::string_view raw) {
  return raw.size() <= payload_value_bytes_max && gemini::is_json(raw);
}

}  // namespace tidegate::protocol
