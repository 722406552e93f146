#include "protocol/json_items.hpp"

#include <string>

#include "protocol/json_text.hpp"

namespace tidegate::protocol {
namespace {

class item_reader {
 public:
  explicit item_reader(std::string_view text) : text_(text) {}

  std::optional<std::vector<json_item>> run() {
    std::vector<json_item> items;
    if (text_.empty() || (text_[0] != '{' && text_[0] != '[')) return std::nullopt;
    const bool object = text_[0] == '{';
    const char end = object ? '}' : ']';
    ++at_;
    blanks();
    if (take(end)) return items;
    do {
      json_item item;
      blanks();
      item.begin = at_;
      if (object && !key(item)) return std::nullopt;
      item.offset = at_;
      if (!value()) return std::nullopt;
      item.size = at_ - item.offset;
      items.push_back(item);
      blanks();
    } while (take(','));
    if (!take(end)) return std::nullopt;
    return items;
  }

 private:
  void blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool key(json_item& item) {
    const auto begin = at_;
    if (!string()) return false;
    item.key = text_.substr(begin + 1, at_ - begin - 2);
    blanks();
    if (!take(':')) return false;
    blanks();
    return true;
  }

  bool string() {
    if (!take('"')) return false;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (c == '\\') ++at_;
    }
    return false;
  }

  bool value() {
    std::size_t depth = 0;
    const auto begin = at_;
    while (at_ < text_.size()) {
      switch (text_[at_]) {
        case '"':
          if (!string()) return false;
          if (depth == 0) return true;
          continue;
        case '{':
        case '[':
          ++depth;
          break;
        case '}':
        case ']':
          if (depth == 0) return at_ > begin;
          ++at_;
          if (--depth == 0) return true;
          continue;
        case ',':
        case ' ':
        case '\n':
        case '\r':
        case '\t':
          if (depth == 0) return at_ > begin;
          break;
        default:
          break;
      }
      ++at_;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::vector<json_item>> items_of(std::string_view container) {
  return item_reader{container}.run();
}

bool key_is(std::string_view raw_key, std::string_view name) {
  if (raw_key.find('\\') == std::string_view::npos) return raw_key == name;
  return decode_json_string('"' + std::string{raw_key} + '"') == name;
}

}  // namespace tidegate::protocol
