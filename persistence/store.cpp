#include "persistence/store.hpp"

#include "persistence/directory.hpp"

namespace tidegate::persistence {

namespace {

result<std::string> name_of(const credential_id& id, std::string_view file) {
  auto name = cooldown_file_name(id, file);
  if (!name) return failed(errc::invalid_input, "no cooldown file name for credential " + id.value);
  return std::move(*name);
}

std::string text_or_empty(const place& at) {
  return at.folder.read(at.name, cooldown_file_bytes_max).value_or(std::string{});
}

std::unexpected<error> set_aside(const place& at, const std::string& why) {
  const std::string kept = at.name + ".corrupt";
  const auto renamed = at.folder.rename(at.name, kept);
  const std::string where = renamed ? "kept as " + kept : renamed.error().detail;
  return failed(errc::invalid_input, at.folder.path() + "/" + at.name + ": " + why + "; " + where);
}

}  // namespace

cooldown_store::cooldown_store(std::string root) : root_(expand_home(root)) {}

result<void> cooldown_store::save(const cooldown_record& record, std::string_view file,
                                  instant now) {
  const auto name = name_of(record.id, file);
  if (!name) return std::unexpected{name.error()};
  bool any = false;
  for (const auto& entry : record.blocks) any = any || entry.deadline > now;
  if (!any) return remove(record.id, file);

  const auto at = locate(root_, *name, if_missing::create);
  if (!at) return std::unexpected{at.error()};
  const std::string text = replace_cooldowns(text_or_empty(*at), record, now);
  return text.empty() ? at->folder.remove(at->name) : at->folder.write(at->name, text, 0600);
}

result<void> cooldown_store::remove(const credential_id& id, std::string_view file) {
  const auto name = name_of(id, file);
  if (!name) return std::unexpected{name.error()};
  const auto at = locate(root_, *name, if_missing::fail);
  if (!at) {
    if (at.error().code == errc::not_found) return {};
    return std::unexpected{at.error()};
  }
  const std::string text = replace_cooldowns(text_or_empty(*at), {id, {}, {}}, instant{});
  return text.empty() ? at->folder.remove(at->name) : at->folder.write(at->name, text, 0600);
}

result<cooldown_record> cooldown_store::load(const credential_id& id, std::string_view file,
                                             instant now) {
  const auto name = name_of(id, file);
  if (!name) return std::unexpected{name.error()};
  const cooldown_record none{id, {}, {}};
  const auto at = locate(root_, *name, if_missing::fail);
  if (!at) {
    if (at.error().code == errc::not_found) return none;
    return std::unexpected{at.error()};
  }
  if (swept_.insert(at->folder.path()).second) at->folder.sweep(now);
  const auto text = at->folder.read(at->name, cooldown_file_bytes_max);
  if (!text && text.error().code == errc::not_found) return none;
  if (!text && text.error().code == errc::limit_exceeded) return set_aside(*at, "too large");
  if (!text) return std::unexpected{text.error()};
  auto record = decode_cooldowns(*text, id, now);
  if (!record) return set_aside(*at, record.error().detail);
  return record;
}

}  // namespace tidegate::persistence
