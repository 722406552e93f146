#include "actors/persistence.hpp"

#include <caf/all.hpp>
#include <nlohmann/json.hpp>

#include "base/log.hpp"
#include "persistence/credential_store.hpp"
#include "persistence/store.hpp"

namespace tidegate::actors {
namespace {

std::string path_of_switches(const std::string& root) {
  return tidegate::persistence::expand_home(root) + "/" + std::string{switches_file};
}

}  // namespace

void persistence_state::start(pointer self, environment_ptr env) {
  self_ = self;
  env_ = std::move(env);
}

tidegate::persistence::cooldown_store& persistence_state::store_of(const std::string& root) {
  if (!store_ || store_->first != root) {
    store_.emplace(root, tidegate::persistence::cooldown_store{root});
  }
  return store_->second;
}

void persistence_state::save(const save_request_ptr& wanted) {
  pending_[wanted->record.id] = wanted;
  if (std::exchange(armed_, true)) return;
  self_->delayed_send(self_, save_debounce, tick_atom_v);
}

void persistence_state::on_tick() {
  armed_ = false;
  flush();
}

bool persistence_state::flush() {
  bool all_written = true;
  for (const auto& [id, wanted] : std::exchange(pending_, {})) {
    const auto saved = store_of(wanted->root).save(wanted->record, wanted->file, env_->clock->now());
    if (saved) {
      ++written_;
      continue;
    }
    ++failures_;
    all_written = false;
    log::error("cooldowns of {} not saved: {}", id.value, saved.error().detail);
  }
  return all_written;
}

restored_ptr persistence_state::load(const load_request& wanted) {
  auto restored = std::make_shared<std::vector<tidegate::persistence::cooldown_record>>();
  auto& store = store_of(wanted.root);
  const auto now = env_->clock->now();
  for (const auto& [id, file] : wanted.wanted) {
    if (const auto newest = pending_.find(id); newest != pending_.end()) {
      restored->push_back(newest->second->record);
      continue;
    }
    auto found = store.load(id, file, now);
    if (!found) {
      log::warn("cooldowns of {} not restored: {}", id.value, found.error().detail);
    } else if (!found->blocks.empty()) {
      restored->push_back(std::move(*found));
    }
  }
  return restored;
}

switches_ptr persistence_state::load_switches(const std::string& root) const {
  auto found = std::make_shared<switches>();
  const auto path = path_of_switches(root);
  const auto text = tidegate::persistence::read_file(path, switches_file_bytes_max);
  if (!text) {
    if (text.error().code != errc::not_found) {
      log::error("operator switches not restored: {}", text.error().detail);
    }
    return found;
  }
  const auto parsed = nlohmann::json::parse(*text, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("disabled") || !parsed["disabled"].is_object()) {
    log::error("operator switches not restored: {} is not what this program writes", path);
    return found;
  }
  for (const auto& [id, disabled] : parsed["disabled"].items()) {
    if (disabled.is_boolean()) found->emplace(credential_id{id}, disabled.get<bool>());
  }
  return found;
}

write_answer persistence_state::save_switches(const std::string& root, const switches& now) {
  auto disabled = nlohmann::json::object();
  for (const auto& [id, off] : now) disabled[id.value] = off;
  const nlohmann::json file{{"version", 1}, {"disabled", std::move(disabled)}};
  const auto saved = tidegate::persistence::write_file_atomically(
      path_of_switches(root), file.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n",
      0600);
  if (saved) return std::nullopt;
  log::error("operator switches not saved: {}", saved.error().detail);
  return saved.error();
}

held_answer persistence_state::hold(const std::string& root, const std::string& file) const {
  auto edit = tidegate::persistence::credential_store{root}.edit(file);
  if (!edit) return {nullptr, edit.error()};
  auto held = std::make_shared<held_file>();
  held->root = root;
  held->file = file;
  held->text = secret_string{edit->text()};
  held->edit = std::make_shared<tidegate::persistence::credential_edit>(std::move(*edit));
  return {std::move(held), std::nullopt};
}

held_answer persistence_state::reread(const held_file& held) const {
  auto text = held.edit->reread();
  if (!text) return {nullptr, text.error()};
  auto again = std::make_shared<held_file>(held);
  again->file = held.edit->relative();
  again->text = secret_string{std::move(*text)};
  return {std::move(again), std::nullopt};
}

write_answer persistence_state::keep(const held_file& held) const {
  const auto kept = held.edit->keep();
  return kept ? std::nullopt : std::optional{kept.error()};
}

write_answer persistence_state::write(const held_file& held, const secret_string& text) {
  const auto written = held.edit->replace(std::string{text.reveal()});
  if (written) {
    ++written_;
    return std::nullopt;
  }
  if (written.error().code == errc::not_found) {
    // What lies beside it goes along, or away.
    static_cast<void>(held.edit->reread());
    return written.error();
  }
  ++failures_;
  log::error("{} not written: {}", held.file, written.error().detail);
  return written.error();
}

held_answer persistence_state::read(const std::string& root, const std::string& file) const {
  auto text = tidegate::persistence::credential_store{root}.read(file);
  if (!text) return {nullptr, text.error()};
  auto found = std::make_shared<held_file>();
  found->root = root;
  found->file = file;
  found->text = secret_string{std::move(*text)};
  return {std::move(found), std::nullopt};
}

write_answer persistence_state::create(const std::string& root, const std::string& file,
                                       const secret_string& text) {
  const auto made = tidegate::persistence::credential_store{root}.create(file, text.reveal());
  made ? ++written_ : ++failures_;
  return made ? std::nullopt : std::optional{made.error()};
}

write_answer persistence_state::remove(const std::string& root, const std::string& file) const {
  const auto gone = tidegate::persistence::credential_store{root}.remove(file);
  return gone ? std::nullopt : std::optional{gone.error()};
}

void persistence_state::confirm(const std::string& root, const std::string& file) const {
  const auto done = tidegate::persistence::credential_store{root}.confirm(file);
  // Held by another process: that one's renewal keeps a text of its own.
  if (!done && done.error().code != errc::unavailable) {
    log::warn("{}: its earlier text stays: {}", file, done.error().detail);
  }
}

inspection persistence_state::inspect() const {
  return {nlohmann::json{{"actor", "persistence"},
                         {"mailbox", self_->mailbox().size()},
                         {"pending", pending_.size()},
                         {"written", written_},
                         {"failures", failures_}}
              .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
          {}};
}

persistence_actor::behavior_type persistence(persistence_state::pointer self,
                                             environment_ptr env) {
  self->state.start(self, std::move(env));
  return {
      [=](save_atom, const save_request_ptr& wanted) { self->state.save(wanted); },
      [=](load_atom, const load_request_ptr& wanted) { return self->state.load(*wanted); },
      [=](switch_atom, const std::string& root) { return self->state.load_switches(root); },
      [=](switch_atom, const std::string& root, const switches_ptr& now) {
        return self->state.save_switches(root, *now);
      },
      [=](hold_atom, const std::string& root, const std::string& file) {
        return self->state.hold(root, file);
      },
      [=](hold_atom, const held_file_ptr& held) { return self->state.reread(*held); },
      [=](keep_atom, const held_file_ptr& held) { return self->state.keep(*held); },
      [=](write_atom, const held_file_ptr& held, const secret_ptr& text) {
        return self->state.write(*held, *text);
      },
      [=](load_atom, const std::string& root, const std::string& file) {
        return self->state.read(root, file);
      },
      [=](write_atom, const std::string& root, const std::string& file, const secret_ptr& text) {
        return self->state.create(root, file, *text);
      },
      [=](remove_atom, const std::string& root, const std::string& file) {
        return self->state.remove(root, file);
      },
      [=](confirm_atom, const std::string& root, const std::string& file) {
        self->state.confirm(root, file);
      },
      [=](flush_atom) { return self->state.flush(); },
      [=](tick_atom) { self->state.on_tick(); },
      [=](inspect_atom) { return self->state.inspect(); },
  };
}

}  // namespace tidegate::actors
