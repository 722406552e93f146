#include "persistence/credential_store.hpp"

#include "base/utf8.hpp"
#include "persistence/store.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>

namespace tidegate::persistence {

namespace {

constexpr unsigned file_mode = 0600;
/// What new tokens may be longer than the old ones.
constexpr std::size_t growth_max = 16 * 1024;
/// What a file system takes, less what `.NAME.lock` adds.
constexpr std::size_t component_bytes_max = 249;

std::string lock_name(const std::string& name) {
  return "." + name + ".lock";
}

std::string kept_name(const std::string& name) {
  return "." + name + ".bak";
}

/// A path that list_credential_files could have named.
bool is_credential_path(std::string_view relative) {
  int depth = 0;
  for (auto slash = relative.find('/'); slash != std::string_view::npos;
       slash = relative.find('/')) {
    if (slash == 0 || relative.front() == '.' || ++depth > credential_depth_max) return false;
    relative.remove_prefix(slash + 1);
  }
  return relative.ends_with(".json") && relative.front() != '.';
}

bool has_long_component(std::string_view relative) {
  for (;;) {
    const auto slash = std::min(relative.find('/'), relative.size());
    if (slash > component_bytes_max) return true;
    if (slash == relative.size()) return false;
    relative.remove_prefix(slash + 1);
  }
}

result<place> place_of(const std::string& root, std::string_view relative) {
  if (!is_plain_text(relative)) {
    return failed(errc::invalid_input, "the name is not UTF-8, or holds a control character");
  }
  if (has_long_component(relative)) {
    return failed(errc::invalid_input, fmt::format("the name is longer than {} bytes",
                                                   component_bytes_max));
  }
  if (!is_credential_path(relative)) {
    return failed(errc::invalid_input,
                  "the name is not that of a credential file: it ends in .json, and no part of it "
                  "is empty or begins with a dot");
  }
  return locate(root, relative, if_missing::fail);
}

result<void> fits(std::string_view text) {
  if (text.size() <= credential_file_bytes_max) return {};
  return failed(errc::limit_exceeded, "a credential file holds at most 1 MiB");
}

}  // namespace

result<std::string> credential_edit::reread() {
  auto text = at_.folder.read(at_.name, credential_file_bytes_max);
  if (!text && text.error().code == errc::not_found) {
    if (const auto followed = follow(); !followed) return std::unexpected{followed.error()};
    text = at_.folder.read(at_.name, credential_file_bytes_max);
  }
  if (text) file_ = at_.folder.identify(at_.name);
  return text;
}

result<void> credential_edit::follow() {
  const auto name = at_.folder.find(file_, [](std::string_view other) {
    return other.ends_with(".json") && !other.starts_with('.');
  });
  if (!name) {
    static_cast<void>(at_.folder.remove(kept_name(at_.name)));
    static_cast<void>(at_.folder.remove(lock_name(at_.name)));
    return failed(errc::not_found, relative_ + " is gone");
  }
  auto lock = at_.folder.lock(lock_name(*name));
  if (!lock) return std::unexpected{lock.error()};
  if (kept_) {
    if (auto moved = at_.folder.rename(kept_name(at_.name), kept_name(*name)); !moved) return moved;
  }
  static_cast<void>(at_.folder.remove(lock_name(at_.name)));
  lock_ = std::move(*lock);
  relative_.replace(relative_.size() - at_.name.size(), at_.name.size(), *name);
  at_.name = *name;
  return {};
}

result<void> credential_edit::keep() {
  if (kept_) return {};
  // The lock file holds the room for the new text until it is written.
  if (auto room = at_.folder.reserve(lock_, text_.size() + growth_max); !room) return room;
  auto saved = at_.folder.write(kept_name(at_.name), text_, file_mode);
  kept_ = saved.has_value();
  return saved;
}

credential_edit::~credential_edit() {
  give_room_back();
}

void credential_edit::let_go() {
  give_room_back();
  static_cast<void>(claim_.close());
  static_cast<void>(lock_.close());
}

void credential_edit::give_room_back() {
  if (lock_.valid()) static_cast<void>(::ftruncate(lock_.value(), 0));
}

result<void> credential_edit::replace(std::string text) {
  if (auto small = fits(text); !small) return small;
  give_room_back();
  auto done = at_.folder.replace(at_.name, text, file_mode);
  if (done) text_ = std::move(text);
  return done;
}

credential_store::credential_store(std::string root) : root_(expand_home(root)) {}

result<std::string> credential_store::read(std::string_view relative) const {
  const auto at = place_of(root_, relative);
  if (!at) return std::unexpected{at.error()};
  return at->folder.read(at->name, credential_file_bytes_max);
}

result<credential_edit> credential_store::edit(std::string_view relative) const {
  auto at = place_of(root_, relative);
  if (!at) return std::unexpected{at.error()};
  // Before the lock file is made: none is left beside a file that does not exist.
  if (const auto there = at->folder.read(at->name, credential_file_bytes_max); !there) {
    return std::unexpected{there.error()};
  }
  auto lock = at->folder.lock(lock_name(at->name));
  if (!lock) return std::unexpected{lock.error()};
  auto claim = at->folder.claim(at->name);
  auto text = claim ? at->folder.read(at->name, credential_file_bytes_max)
                    : std::unexpected{claim.error()};
  if (!text) {
    if (text.error().code == errc::not_found) {
      static_cast<void>(at->folder.remove(lock_name(at->name)));
    }
    return std::unexpected{text.error()};
  }
  return credential_edit{std::string{relative}, std::move(*at), std::move(*lock),
                         std::move(*claim), std::move(*text)};
}

result<void> credential_store::confirm(std::string_view relative) const {
  const auto at = place_of(root_, relative);
  if (!at) return std::unexpected{at.error()};
  const std::string kept = kept_name(at->name);
  const auto there = at->folder.read(kept, credential_file_bytes_max);
  const bool none_kept = !there && there.error().code == errc::not_found;
  const bool lock_left = at->folder.identify(lock_name(at->name)) != file_identity{};
  const auto is_gone = [&] { return at->folder.identify(at->name) == file_identity{}; };
  if (none_kept && !(lock_left && is_gone())) return {};
  const auto lock = at->folder.lock(lock_name(at->name));
  if (!lock) return std::unexpected{lock.error()};
  if (is_gone()) static_cast<void>(at->folder.remove(lock_name(at->name)));
  return at->folder.remove(kept);
}

result<void> credential_store::create(std::string_view name, std::string_view text) const {
  if (!is_credential_file_name(name)) {
    return failed(
        errc::invalid_input,
        "a credential file's name ends in .json, has at most 200 printable ASCII characters, no "
        "slash, no dot at its beginning, and no blank at either end");
  }
  if (auto small = fits(text); !small) return small;
  const auto at = locate(root_, name, if_missing::create);
  if (!at) return std::unexpected{at.error()};
  return at->folder.create(at->name, text, file_mode);
}

result<void> credential_store::remove(std::string_view relative) const {
  const auto at = place_of(root_, relative);
  if (!at) {
    if (at.error().code == errc::not_found) return {};
    return std::unexpected{at.error()};
  }
  const auto lock = at->folder.lock(lock_name(at->name));
  if (!lock) return std::unexpected{lock.error()};
  if (auto gone = at->folder.remove(at->name); !gone) {
    static_cast<void>(at->folder.remove(lock_name(at->name)));
    return gone;
  }
  for (const auto& name : {kept_name(at->name), lock_name(at->name)}) {
    if (auto gone = at->folder.remove(name); !gone) return gone;
  }
  return {};
}

bool is_credential_file_name(std::string_view name) {
  return name.size() <= credential_name_bytes_max && name.size() > 5 && name.ends_with(".json") &&
         name.front() != '.' && name.front() != ' ' && name[name.size() - 6] != ' ' &&
         std::ranges::all_of(name, [](char c) {
           return c >= ' ' && c < 0x7f && c != '/' && c != '\\';
         });
}

}  // namespace tidegate::persistence
