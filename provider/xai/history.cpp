#include "provider/xai/history.hpp"

#include "protocol/json_edit.hpp"
#include "protocol/json_items.hpp"
#include "protocol/json_text.hpp"
#include "protocol/splice.hpp"
#include "provider/text_match.hpp"

namespace tidegate::provider::xai {
namespace {

using protocol::member_of;

constexpr std::string_view additional_tools = "additional_tools";

template <class Each>
void for_items(std::string_view input, Each each) {
  const auto items = input.starts_with('[') ? protocol::items_of(input) : std::nullopt;
  if (!items) return;
  for (const auto& item : *items) each(input.substr(item.offset, item.size));
}

bool is_set(std::string_view value) {
  return !value.empty() && value != "null";
}

/// A free-form call with its input as the one argument of a function.
std::string as_function_call(std::string_view item) {
  const auto input = member_of(item, "input");
  const auto arguments =
      protocol::object_writer{}.raw("input", input.starts_with('"') ? input : R"("")").str();
  auto made = protocol::with_member(item, "type", R"("function_call")");
  made = protocol::without_member(made, "input");
  return protocol::with_member(made, "arguments", protocol::json_quote(arguments));
}

std::string without_nulls(std::string_view item) {
  std::string made{item};
  for (const std::string_view key : {"content", "encrypted_content"}) {
    if (member_of(made, key) == "null") made = protocol::without_member(made, key);
  }
  return made;
}

std::string sent_item(std::string_view item, tool_book& book) {
  const auto type = type_of(item);
  if (type == "reasoning") return without_nulls(item);
  if (type == "function_call") return book.function_of(item).value_or(std::string{item});
  if (type == "custom_tool_call") {
    return as_function_call(book.function_of(item).value_or(std::string{item}));
  }
  if (type == "custom_tool_call_output") {
    return protocol::with_member(item, "type", R"("function_call_output")");
  }
  return std::string{item};
}

bool is_plain_summary(std::string_view item) {
  return type_of(item) == "reasoning" && member_of(item, "summary").starts_with('[') &&
         !is_set(member_of(item, "content"));
}

std::string_view inside_of_list(std::string_view list) {
  return trimmed(list.substr(1, list.size() - 2));
}

/// The items as they go out. Pieces of reasoning that stand side by side, at most one of them with
/// a token, become one piece.
class item_list {
 public:
  void add(std::string item) {
    if (!is_plain_summary(item)) {
      close();
      return put(item);
    }
    const bool has_token = is_set(member_of(item, "encrypted_content"));
    if (pieces_ == 0 || (has_token && has_token_)) close();
    const auto texts = inside_of_list(member_of(item, "summary"));
    summary_.append(summary_.empty() || texts.empty() ? "" : ",").append(texts);
    if (pieces_++ == 0 || has_token) piece_ = std::move(item);
    has_token_ = has_token_ || has_token;
  }

  std::string list() {
    close();
    return out_ + ']';
  }
  bool has_joined() const { return has_joined_; }

 private:
  void put(std::string_view item) { out_.append(out_.size() > 1 ? "," : "").append(item); }

  void close() {
    if (pieces_ == 1) put(piece_);
    if (pieces_ > 1) put(protocol::with_member(piece_, "summary", '[' + summary_ + ']'));
    has_joined_ = has_joined_ || pieces_ > 1;
    pieces_ = 0;
    has_token_ = false;
    summary_.clear();
  }

  std::string out_ = "[";
  std::string piece_;    ///< the one whose other members stay
  std::string summary_;  ///< of all pieces
  std::size_t pieces_ = 0;
  bool has_token_ = false;
  bool has_joined_ = false;
};

/// Whether there is anything in it that is read another way here.
bool may_change(std::string_view input) {
  return contains_any(input, {"additional_tools", "custom_tool_call", "\"namespace\"",
                              "\"reasoning\"", "\"function_call\""});
}

}  // namespace

void add_tools_of(std::string_view input, tool_book& book) {
  if (input.find(additional_tools) == std::string_view::npos) return;
  for_items(input, [&](std::string_view item) {
    if (type_of(item) == additional_tools) book.promote(member_of(item, "tools"));
  });
}

std::optional<std::string> sent_history(std::string_view input, tool_book& book) {
  if (!may_change(input)) return std::nullopt;
  item_list kept;
  bool changed = false;
  for_items(input, [&](std::string_view item) {
    if (type_of(item) == additional_tools) {
      changed = true;
      return;
    }
    auto made = sent_item(item, book);
    changed = changed || made != item;
    kept.add(std::move(made));
  });
  auto list = kept.list();
  if (!changed && !kept.has_joined()) return std::nullopt;
  return list;
}

}  // namespace tidegate::provider::xai
