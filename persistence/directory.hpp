#pragma once
/// An open directory, held by descriptor, so that what is checked is what is used: names below it
/// are single components, and no step follows a symbolic link. Blocking; used by the persistence
/// actor only. Every failure is errc::io_failure with the name and the system's words, a missing
/// thing errc::not_found, a file beyond its bound errc::limit_exceeded; what is there but is no file
/// (a link, a pipe, a directory), and a name that no file can have, errc::invalid_input.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/time.hpp"

namespace tidegate::persistence {

/// Owns one descriptor.
class file_descriptor {
 public:
  explicit file_descriptor(int fd) : fd_(fd) {}
  file_descriptor(file_descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  file_descriptor& operator=(file_descriptor&& other) noexcept;
  file_descriptor(const file_descriptor&) = delete;
  file_descriptor& operator=(const file_descriptor&) = delete;
  ~file_descriptor();

  int value() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  /// Closes now and reports what the system says about it.
  bool close();

 private:
  int fd_;
};

/// What stays the same when a file is renamed.
struct file_identity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;  ///< 0 = no file
  bool operator==(const file_identity&) const = default;
};

enum class if_missing { fail, create };

class directory {
 public:
  /// The path itself may lead through links: it is the operator's. Created ones get mode 0700.
  static result<directory> open(const std::string& path, if_missing how);

  /// One component further down; a link is refused.
  result<directory> descend(const std::string& name, if_missing how) const;

  result<std::string> read(const std::string& name, std::size_t bytes_max) const;
  /// Temp file, fsync, rename, fsync of the directory. On failure the old file stays as it was.
  result<void> write(const std::string& name, std::string_view bytes, unsigned mode) const;
  /// The same, but only in place of a file that is there: errc::not_found, and none is made, also
  /// when it vanishes meanwhile.
  result<void> replace(const std::string& name, std::string_view bytes, unsigned mode) const;
  /// The same, but only where no file is: errc::invalid_input.
  result<void> create(const std::string& name, std::string_view bytes, unsigned mode) const;
  /// The exclusive lock of this file, which is made when it is missing; held until the descriptor
  /// closes, against every process of this machine. errc::unavailable: somebody else has it.
  result<file_descriptor> lock(const std::string& name) const;
  /// The same on a file that is there, without making one: it holds under whatever name the file is
  /// given. An invalid descriptor where the file system has no such locks. errc::not_found,
  /// errc::unavailable.
  result<file_descriptor> claim(const std::string& name) const;
  /// Takes this many bytes of room for an open file of this directory.
  result<void> reserve(const file_descriptor& file, std::size_t bytes) const;
  /// A missing file is success.
  result<void> remove(const std::string& name) const;
  result<void> rename(const std::string& from, const std::string& to) const;
  /// Of a regular file; 0 and 0 for anything else.
  file_identity identify(const std::string& name) const;
  /// The file's present name among those that `wanted` accepts, within 200,000 entries.
  std::optional<std::string> find(const file_identity& file,
                                  const std::function<bool(std::string_view)>& wanted) const;
  /// Deletes the temp files that a killed writer left behind; those of a living one stay, in
  /// whatever process.
  void sweep(instant now) const;

  const std::string& path() const { return path_; }
  int fd() const { return fd_.value(); }

 private:
  directory(file_descriptor fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
  result<void> sync() const;
  /// Names of at most `entries_max` entries until `visit` answers false.
  void each_name(std::size_t entries_max, const std::function<bool(const char*)>& visit) const;
  /// Locked as long as it is open.
  struct temp_file {
    std::string name;
    file_descriptor held;
  };
  result<temp_file> write_temp(const std::string& name, std::string_view bytes,
                               unsigned mode) const;
  bool is_left_behind(const std::string& name, instant now) const;
  /// Names the temp file as the move says, or deletes it.
  template <class Move>
  result<void> finish(const std::string& temp, const std::string& name, Move move) const;

  file_descriptor fd_;
  std::string path_;  ///< for messages
};

/// Where a file lies: its open directory and its name there.
struct place {
  directory folder;
  std::string name;
};

/// Goes down from `root` to the directory of a relative path.
result<place> locate(const std::string& root, std::string_view relative, if_missing how);

/// Reads a regular file of at most `bytes_max` bytes to its end.
result<std::string> read_to_end(const file_descriptor& file, std::size_t bytes_max,
                                const std::string& name);

}  // namespace tidegate::persistence
