#pragma once
/// Credential files for writing: one writer at a time among all processes of this machine, whole
/// files only (temp, fsync, rename), mode 0600, the text before a renewal kept beside them until
/// the new one has proved itself. Blocking, for the persistence actor only; no symbolic link is followed
/// below the directory. errc::unavailable: another process or another edit holds the file, try
/// later; errc::not_found, errc::io_failure and errc::limit_exceeded as in
/// persistence/directory.hpp; errc::invalid_input: no path or name of a credential file.
///
/// Beside NAME lie `.NAME.lock` and, for a while, `.NAME.bak`: dot files, which are never listed.

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "persistence/directory.hpp"

namespace tidegate::persistence {

inline constexpr std::size_t credential_name_bytes_max = 200;

/// The exclusive right to change one credential file; it ends with this object. Held while new
/// tokens are asked for, it keeps other processes from using up the same refresh token.
class credential_edit {
 public:
  /// The file as it is now, read under the lock.
  const std::string& text() const { return text_; }

  /// The file as it is by now: other programs may not know of the lock. When it was renamed in its
  /// folder, the edit goes on under the new name, with that name's lock. errc::not_found: it is
  /// gone; what lay beside it is gone then, too.
  result<std::string> reread();

  /// The path below the directory, as of the last reread().
  const std::string& relative() const { return relative_; }

  /// Before new tokens are asked for: keeps the present text as `.NAME.bak` and reserves the room for
  /// the new one, so that replace() is one write that does not fail for want of room.
  result<void> keep();

  /// Writes the new text. errc::not_found: the file was
  /// deleted or renamed meanwhile; it is not made again, reread() says which.
  result<void> replace(std::string text);

  /// Gives the right to change the file back; nothing may follow.
  void let_go();

  credential_edit(credential_edit&&) noexcept = default;
  credential_edit& operator=(credential_edit&&) = delete;
  credential_edit(const credential_edit&) = delete;
  credential_edit& operator=(const credential_edit&) = delete;
  ~credential_edit();

 private:
  friend class credential_store;
  credential_edit(std::string relative, place at, file_descriptor lock, file_descriptor claim,
                  std::string text)
      : relative_(std::move(relative)),
        at_(std::move(at)),
        lock_(std::move(lock)),
        claim_(std::move(claim)),
        text_(std::move(text)),
        file_(at_.folder.identify(at_.name)) {}

  result<void> follow();
  void give_room_back();

  std::string relative_;
  place at_;
  file_descriptor lock_;   ///< of the name
  file_descriptor claim_;  ///< of the file itself, which may get another name
  std::string text_;
  file_identity file_;
  bool kept_ = false;
};

class credential_store {
 public:
  /// `root` may begin with `~`. Nothing is touched before the first call.
  explicit credential_store(std::string root);

  /// The file as it is, without its lock.
  result<std::string> read(std::string_view relative) const;

  /// Begins a change of an existing file. `relative` is its path below the directory.
  result<credential_edit> edit(std::string_view relative) const;

  /// The new text has proved itself, or the file is gone: deletes the kept one.
  result<void> confirm(std::string_view relative) const;

  /// A new file directly in the directory, which is made when it is missing. errc::invalid_input
  /// also when there is one of this name.
  result<void> create(std::string_view name, std::string_view text) const;

  /// Deletes the file with its kept text and its lock; a missing file is success. Of a link the link
  /// goes, and what it leads to stays. errc::invalid_input: a directory.
  result<void> remove(std::string_view relative) const;

 private:
  std::string root_;
};

/// `*.json` of printable ASCII, at most 200 bytes, without separators, a dot at its beginning and
/// blanks at its ends.
bool is_credential_file_name(std::string_view name);

}  // namespace tidegate::persistence
