#include "protocol/path_edit.hpp"

#include <charconv>

#include "base/wildcard.hpp"
#include "protocol/json_items.hpp"
#include "protocol/json_text.hpp"
#include "protocol/splice.hpp"

namespace tidegate::protocol {
namespace {

using items = std::vector<json_item>;
using step_span = std::span<const path_step>;

bool is_array(std::string_view value) {
  return value.starts_with('[');
}
bool is_container(std::string_view value) {
  return value.starts_with('{') || is_array(value);
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view slice(std::string_view text, const json_item& item) {
  return text.substr(item.offset, item.size);
}

/// The value at plain keys; empty when there is none.
std::string_view inside(std::string_view value, const std::vector<std::string>& keys) {
  for (const auto& key : keys) {
    const auto members = value.starts_with('{') ? items_of(value) : std::nullopt;
    const auto before = value;
    value = {};
    if (!members) return value;
    for (const auto& member : *members) {
      if (value.empty() && key_is(member.key, key)) value = slice(before, member);
    }
  }
  return value;
}

bool accepts(const element_query& query, std::string_view element) {
  using enum element_query::test;
  const auto value = inside(element, query.keys);
  if (value.empty()) return false;
  switch (query.how) {
    case exists:
      return true;
    case equal:
      return scalar_equals(value, query.text);
    case differs:
      return !scalar_equals(value, query.text);
    case like:
    case unlike:
      break;
  }
  const auto text = decode_json_string(value);
  return text && matches_wildcard(query.text, *text) == (query.how == like);
}

/// The places in a container that a step names.
std::vector<std::size_t> chosen(std::string_view container, const items& all,
                                const path_step& step) {
  using enum path_step::kind;
  std::vector<std::size_t> found;
  const bool array = is_array(container);
  for (std::size_t i = 0; i < all.size(); ++i) {
    switch (step.what) {
      case name:
      case append:
        if (array ? step.what == name && step.index == i : key_is(all[i].key, step.key)) {
          found.push_back(i);
        }
        break;
      case every:
        if (array) found.push_back(i);
        break;
      case first_of:
      case each_of:
        if (!array || !accepts(step.query, slice(container, all[i]))) break;
        found.push_back(i);
        if (step.what == first_of) return found;
        break;
    }
  }
  return found;
}

/// Whether a step that names nothing yet can get a place behind the last item.
bool can_append(std::string_view container, const items& all, const path_step& step) {
  using enum path_step::kind;
  if (step.what != name && step.what != append) return false;
  if (!is_array(container)) return true;
  return step.what == append || step.index == all.size();
}

struct cut {
  std::size_t offset = 0;
  std::size_t size = 0;
  std::string text;
};

/// Collects what changes in one value; the cuts come out in order.
class editor {
 public:
  editor(std::string_view text, edit_kind how, std::string_view raw)
      : text_(text), how_(how), raw_(raw) {}

  void visit(std::size_t offset, std::size_t size, step_span steps) {
    const auto value = text_.substr(offset, size);
    if (steps.empty()) {
      if (how_ == edit_kind::set && value != raw_) put({offset, size, std::string{raw_}});
      return;
    }
    const auto all = items_of(value);
    if (!all) {
      if (is_container(value)) return;
      const bool replaces = how_ == edit_kind::set || (how_ == edit_kind::fill && value == "null");
      if (auto made = replaces ? created(steps, raw_) : std::nullopt) {
        put({offset, size, std::move(*made)});
      }
      return;
    }
    const auto& step = steps.front();
    const auto rest = steps.subspan(1);
    const auto found = chosen(value, *all, step);
    if (rest.empty() && how_ == edit_kind::remove) {
      take_out(offset, value, *all, found);
    } else if (!found.empty()) {
      for (const auto i : found) visit(offset + (*all)[i].offset, (*all)[i].size, rest);
    } else if (how_ != edit_kind::remove && can_append(value, *all, step)) {
      put_behind(offset, value, *all, step, rest);
    }
  }

  result<std::optional<std::string>> finish() const {
    if (added_ > edit_growth_max) return failed(errc::limit_exceeded, "an edit adds too much");
    if (cuts_.empty()) return std::nullopt;
    std::string out;
    std::size_t at = 0;
    for (const auto& one : cuts_) {
      TG_ASSERT(one.offset >= at);
      out.append(text_.substr(at, one.offset - at)).append(one.text);
      at = one.offset + one.size;
    }
    out.append(text_.substr(at));
    return out;
  }

 private:
  void put(cut one) {
    added_ += one.text.size();
    if (added_ <= edit_growth_max) cuts_.push_back(std::move(one));
  }

  /// With the comma before them; the first ones with the comma and the blanks behind them.
  void take_out(std::size_t base, std::string_view value, const items& all,
                const std::vector<std::size_t>& gone) {
    for (std::size_t i = 0; i < gone.size();) {
      const auto first = gone[i];
      auto last = first;
      while (++i < gone.size() && gone[i] == last + 1) ++last;
      auto begin = all[first].begin;
      auto end = all[last].end();
      if (first > 0) {
        begin = value.find(',', all[first - 1].end());
      } else if (last + 1 < all.size()) {
        end = all[last + 1].begin;
      }
      put({base + begin, end - begin, {}});
    }
  }

  void put_behind(std::size_t base, std::string_view value, const items& all, const path_step& step,
                  step_span rest) {
    auto made = created(rest, raw_);
    if (!made) return;
    std::string text = all.empty() ? "" : ",";
    if (!is_array(value)) text += json_quote(step.key) + ':';
    put({base + (all.empty() ? 1 : all.back().end()), 0, text + *made});
  }

  std::string_view text_;
  edit_kind how_;
  std::string_view raw_;
  std::vector<cut> cuts_;
  std::size_t added_ = 0;
};

void find_in(std::string_view value, step_span steps, std::vector<std::string_view>& out) {
  if (steps.empty()) {
    out.push_back(value);
    return;
  }
  const auto all = items_of(value);
  if (!all) return;
  for (const auto i : chosen(value, *all, steps.front())) {
    find_in(slice(value, (*all)[i]), steps.subspan(1), out);
  }
}

}  // namespace

result<std::optional<std::string>> edited(std::string_view value, step_span steps, edit_kind how,
                                          std::string_view raw) {
  editor one{value, how, raw};
  one.visit(0, value.size(), steps);
  return one.finish();
}

std::optional<std::string> created(step_span steps, std::string_view raw) {
  using enum path_step::kind;
  std::string text{raw};
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (step->what != name && step->what != append) return std::nullopt;
    if (step->index > 0U) return std::nullopt;
    const bool element = step->what == append || step->index.has_value();
    text = element ? '[' + text + ']' : '{' + json_quote(step->key) + ':' + text + '}';
  }
  return text;
}

std::vector<std::string_view> find_values(std::string_view value, step_span steps) {
  std::vector<std::string_view> out;
  find_in(value, steps, out);
  return out;
}

bool scalar_equals(std::string_view raw, std::string_view text) {
  if (raw.starts_with('"')) return decode_json_string(raw) == text;
  if (raw == text) return !is_container(raw);
  const auto value = number_of(raw);
  return value && value == number_of(text);
}

}  // namespace tidegate::protocol
