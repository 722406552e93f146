#include "protocol/splice.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace tidegate::protocol {
namespace {

std::size_t end_of(const member& m) { return m.value_offset + m.value_size; }

}  // namespace

splice::splice(std::string_view body, const envelope& head) : body_(body), head_(&head) {}

void splice::set(std::string_view key, std::string raw_json) { assign(key, std::move(raw_json)); }

void splice::remove(std::string_view key) { assign(key, std::nullopt); }

void splice::replace(std::size_t offset, std::size_t size, std::string text) {
  TG_ASSERT(offset <= body_.size() && size <= body_.size() - offset);
  edits_.push_back({offset, size, std::move(text)});
}

void splice::assign(std::string_view key, std::optional<std::string> raw) {
  const auto known = std::find_if(assignments_.begin(), assignments_.end(),
                                  [&](const assignment& a) { return a.key == key; });
  if (known != assignments_.end()) {
    known->raw = std::move(raw);
  } else {
    assignments_.push_back({std::string{key}, json_quote(key) + ':', std::move(raw)});
  }
}

const splice::assignment* splice::find(std::string_view key) const {
  const auto found = std::find_if(assignments_.begin(), assignments_.end(),
                                  [&](const assignment& a) { return a.key == key; });
  return found == assignments_.end() ? nullptr : &*found;
}

std::vector<bool> splice::kept_members() const {
  std::vector<bool> kept;
  kept.reserve(head_->members.size());
  for (const member& m : head_->members) {
    const assignment* change = find(m.key);
    kept.push_back(change == nullptr || (change->raw && head_->find(m.key) == &m));
  }
  return kept;
}

void splice::cut_removed(const std::vector<bool>& kept, std::vector<cut>& cuts) const {
  const auto& members = head_->members;
  std::size_t i = 0;
  while (i < members.size()) {
    if (kept[i]) {
      ++i;
      continue;
    }
    std::size_t last = i;
    while (last + 1 < members.size() && !kept[last + 1]) ++last;
    std::size_t begin = members[i].key_offset;
    std::size_t end = end_of(members[last]);
    if (i > 0) {
      begin = body_.find(',', end_of(members[i - 1]));
    } else if (last + 1 < members.size()) {
      end = members[last + 1].key_offset;
    }
    cuts.push_back({begin, end - begin, {}});
    i = last + 1;
  }
}

void splice::cut_set(const std::vector<bool>& kept, std::vector<cut>& cuts) const {
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const member& m = head_->members[i];
    const assignment* change = kept[i] ? find(m.key) : nullptr;
    if (change != nullptr) cuts.push_back({m.value_offset, m.value_size, {*change->raw}});
  }
}

void splice::cut_appended(const std::vector<bool>& kept, std::vector<cut>& cuts) const {
  const auto last = std::find(kept.rbegin(), kept.rend(), true);
  const auto count = static_cast<std::size_t>(kept.rend() - last);
  cut added{count == 0 ? head_->object_begin + 1 : end_of(head_->members[count - 1]), 0, {}};
  bool comma = count > 0;
  for (const assignment& a : assignments_) {
    if (!a.raw || head_->find(a.key) != nullptr) continue;
    if (comma) added.texts.emplace_back(",");
    added.texts.emplace_back(a.quoted_key);
    added.texts.emplace_back(*a.raw);
    comma = true;
  }
  if (!added.texts.empty()) cuts.push_back(std::move(added));
}

std::vector<std::string_view> splice::pieces() const {
  const std::vector<bool> kept = kept_members();
  std::vector<cut> cuts;
  cut_removed(kept, cuts);
  cut_set(kept, cuts);
  const auto covered = [&cuts, whole = cuts.size()](const edit& e) {
    return std::any_of(cuts.begin(), cuts.begin() + static_cast<std::ptrdiff_t>(whole),
                       [&](const cut& c) {
                         return e.offset >= c.offset && e.offset + e.size <= c.offset + c.size;
                       });
  };
  for (const edit& e : edits_) {
    if (!covered(e)) cuts.push_back({e.offset, e.size, {e.text}});
  }
  cut_appended(kept, cuts);
  std::vector<const cut*> ordered;
  for (const cut& c : cuts) {
    // What is only inserted comes before the bytes that go at the same place.
    const auto earlier = [](const cut* x, const cut* y) {
      return x->offset != y->offset ? x->offset < y->offset : x->size == 0 && y->size > 0;
    };
    ordered.insert(std::upper_bound(ordered.begin(), ordered.end(), &c, earlier), &c);
  }

  std::vector<std::string_view> out;
  const auto put = [&out](std::string_view text) {
    if (!text.empty()) out.push_back(text);
  };
  std::size_t at = 0;
  for (const cut* c : ordered) {
    TG_ASSERT(c->offset >= at);
    put(body_.substr(at, c->offset - at));
    for (const std::string_view text : c->texts) put(text);
    at = c->offset + c->size;
  }
  put(body_.substr(at));
  return out;
}

std::size_t splice::size() const {
  std::size_t total = 0;
  for (const std::string_view piece : pieces()) total += piece.size();
  return total;
}

std::string splice::str() const {
  std::string out;
  for (const std::string_view piece : pieces()) out += piece;
  return out;
}

}  // namespace tidegate::protocol
