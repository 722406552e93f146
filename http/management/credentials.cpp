#include "base/log.hpp"
#include "base/time_text.hpp"
#include "http/management/selector.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace tidegate::http::management {
namespace {

std::set<std::string> cooled_models(const credential_view& view) {
  std::set<std::string> out;
  for (const auto& entry : view.blocks) {
    if (!entry.model.empty()) out.insert(entry.model);
  }
  return out;
}

/// Models that had a cooldown of their own and have none now.
ordered_json lifted_models(const credential_view& before, const credential_view& after) {
  const auto still = cooled_models(after);
  auto out = ordered_json::array();
  for (const auto& model : cooled_models(before)) {
    if (!still.contains(model)) out.push_back(model);
  }
  return out;
}

struct switch_order {
  selector who;
  bool disabled = false;
};

result<switch_order> switch_order_of(const request& in) {
  const auto body = body_object(in);
  if (!body) return std::unexpected{body.error()};
  auto who = selector_of(*body);
  if (!who) return std::unexpected{who.error()};
  if (!who->names_one()) return failed(errc::invalid_input, "name or auth_index is required");
  const auto disabled = body->find("disabled");
  if (disabled == body->end()) return failed(errc::invalid_input, "disabled is required");
  if (!disabled->is_boolean()) return failed(errc::invalid_input, "disabled is true or false");
  return switch_order{std::move(*who), disabled->get<bool>()};
}

struct reset_order {
  selector who;
  std::string model;  ///< empty = everything
};

result<reset_order> reset_order_of(const request& in) {
  const auto body = body_object(in);
  if (!body) return std::unexpected{body.error()};
  auto index = text_member(*body, "auth_index");
  if (!index) return std::unexpected{index.error()};
  const auto model = text_member(*body, "model");
  if (!model) return std::unexpected{model.error()};
  if (index->value_or("").empty()) return failed(errc::invalid_input, "auth_index is required");
  // An empty name would silently reset more than was meant.
  if (*model && (*model)->empty()) return failed(errc::invalid_input, "model is empty");
  return reset_order{{std::nullopt, std::move(*index)}, model->value_or("")};
}

/// A part of the list; without `size` all of it.
struct page_choice {
  std::size_t number = 1;
  std::size_t size = 0;
};

result<std::optional<std::size_t>> count_of(const request& in, std::string_view name,
                                            std::size_t most) {
  const auto text = query_value(in.query, name);
  if (!text) return std::unexpected{text.error()};
  if (!*text) return std::nullopt;
  std::size_t value = 0;
  const auto* end = (*text)->data() + (*text)->size();
  const auto [at, ec] = std::from_chars((*text)->data(), end, value);
  if (ec != std::errc{} || at != end || value == 0 || value > most) {
    return failed(errc::invalid_input,
                  std::string{name} + " is not a number from 1 to " + std::to_string(most));
  }
  return value;
}

result<page_choice> page_of(const request& in) {
  constexpr std::size_t usual_size = 50;
  constexpr std::size_t size_max = 1000;
  const auto number = count_of(in, "page", 1'000'000);
  if (!number) return std::unexpected{number.error()};
  const auto size = count_of(in, "page_size", size_max);
  if (!size) return std::unexpected{size.error()};
  if (!*number && !*size) return page_choice{};
  return page_choice{number->value_or(1), size->value_or(usual_size)};
}

ordered_json page_body(std::vector<ordered_json> entries, const page_choice& page) {
  const auto total = entries.size();
  const auto size = page.size == 0 ? total : page.size;
  const auto first = std::min(total, (page.number - 1) * size);
  const auto last = std::min(total, first + size);
  auto files = ordered_json::array();
  for (auto i = first; i < last; ++i) files.push_back(std::move(entries[i]));
  ordered_json body;
  body["files"] = std::move(files);
  body["total"] = total;
  if (page.size == 0) return body;
  body["page"] = page.number;
  body["page_size"] = page.size;
  body["has_more"] = last < total;
  return body;
}

/// What is wrong with a file goes into its credential's entry, or is one by itself.
void add_unusable(std::vector<ordered_json>& entries, const std::vector<unusable_file>& files,
                  const selector& wanted) {
  for (const auto& file : files) {
    const auto own = std::ranges::find_if(
        entries, [&](const auto& entry) { return entry["name"] == file.name; });
    if (own != entries.end()) {
      (*own)["file_error"] = file.reason;
    } else if (!file.earlier_holds && !wanted.auth_index &&
               (!wanted.name || *wanted.name == file.name)) {
      entries.push_back({{"id", file.name},
                         {"name", file.name},
                         {"path", file.path},
                         {"source", "file"},
                         {"status", "error"},
                         {"status_message", file.reason},
                         {"file_error", file.reason},
                         {"disabled", false},
                         {"unavailable", true}});
    }
  }
}

/// What the file system says of each entry's file.
void add_looks(std::vector<ordered_json>& entries, const file_looks& files) {
  for (auto& entry : entries) {
    const auto found = files.find(entry["name"].get_ref<const std::string&>());
    if (entry["source"] != "file" || found == files.end()) continue;
    const auto changed = format_rfc3339(found->second.modified);
    entry["size"] = found->second.bytes;
    entry["modtime"] = changed;
    entry["updated_at"] = changed;
    if (!found->second.warning.empty()) entry["warnings"] = {found->second.warning};
  }
}

}  // namespace

awaitable<protocol::reply> list_credentials(services& with, const request& in) {
  auto name = query_value(in.query, "name");
  if (!name) co_return mistake(name.error());
  auto index = query_value(in.query, "auth_index");
  if (!index) co_return mistake(index.error());
  const selector wanted{std::move(*name), std::move(*index)};
  const auto page = page_of(in);
  if (!page) co_return mistake(page.error());
  const auto all = co_await with.plane.credentials();
  if (!all) co_return mistake(all.error());
  const auto report = co_await with.plane.last_reload();
  if (!report) co_return mistake(report.error());
  std::vector<ordered_json> entries;
  for (const auto& view : *all) {
    if (wanted.matches(view)) entries.push_back(credential_entry(view, with.plane.now()));
  }
  add_unusable(entries, report->unusable_files, wanted);
  if (report->files) add_looks(entries, *report->files);
  auto body = page_body(std::move(entries), *page);
  const auto directory = report->files ? report->files->find("") : file_looks::const_iterator{};
  if (report->files && directory != report->files->end() && !directory->second.warning.empty()) {
    body["warnings"] = {directory->second.warning};
  }
  co_return json_reply(200, body);
}

awaitable<protocol::reply> switch_credential(services& with, const request& in) {
  const auto order = switch_order_of(in);
  if (!order) co_return mistake(order.error());
  const auto all = co_await with.plane.credentials();
  if (!all) co_return mistake(all.error());
  const auto* meant = find(*all, order->who);
  if (meant == nullptr) co_return mistake(404, "auth not found");
  const auto id = meant->record->id;
  const auto after = co_await with.plane.set_disabled(id, order->disabled);
  if (!after && after.error().code == errc::not_found) co_return mistake(404, "auth not found");
  if (!after) co_return mistake(after.error());
  log::info("management: {} {} from {}", id.value, order->disabled ? "disabled" : "enabled",
            in.peer);
  ordered_json body{{"status", "ok"}, {"disabled", after->record->disabled}};
  co_return json_reply(200, body);
}

awaitable<protocol::reply> reset_quota(services& with, const request& in) {
  const auto order = reset_order_of(in);
  if (!order) co_return mistake(order.error());
  const auto all = co_await with.plane.credentials();
  if (!all) co_return mistake(all.error());
  const auto* before = find(*all, order->who);
  if (before == nullptr) co_return mistake(404, "auth not found");
  const auto id = before->record->id;
  const auto after = co_await with.plane.reset(id, order->model);
  if (!after && after.error().code == errc::not_found) co_return mistake(404, "auth not found");
  if (!after) co_return mistake(after.error());
  log::info("management: quota of {} reset from {}", id.value, in.peer);
  ordered_json body{{"status", "ok"},
                    {"auth_index", before->record->auth_index},
                    {"models", lifted_models(*before, *after)}};
  co_return json_reply(200, body);
}

}  // namespace tidegate::http::management
