#include "persistence/directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace tidegate::persistence {

namespace {

constexpr std::string_view temp_prefix = ".tidegate-";
constexpr std::string_view temp_suffix = ".tmp";
constexpr std::size_t temp_digits = 16;
constexpr int temp_attempts_max = 8;
/// A writer needs no longer to lock what it has made.
constexpr std::chrono::minutes temp_age_min{1};
constexpr int lock_attempts_max = 8;
constexpr mode_t folder_mode = 0700;
constexpr std::size_t swept_entries_max = 100'000;
constexpr std::size_t searched_entries_max = 200'000;

std::unexpected<error> system_failure(std::string_view doing, const std::string& name) {
  const int code = errno;
  if (code == ENAMETOOLONG) return failed(errc::invalid_input, "the name is too long");
  const errc kind = code == ENOENT ? errc::not_found : errc::io_failure;
  std::array<char, 128> text{};
  return failed(kind, fmt::format("cannot {} {}: {}", doing, name,
                                  strerror_r(code, text.data(), text.size())));
}

template <class Call>
auto retried(Call call) {
  auto value = call();
  while (value < 0 && errno == EINTR) value = call();
  return value;
}

result<std::string> temp_name() {
  std::uint64_t bits = 0;
  if (retried([&] { return getrandom(&bits, sizeof bits, 0); }) != sizeof bits) {
    return system_failure("get random bytes for", "a temp file");
  }
  return fmt::format("{}{:016x}{}", temp_prefix, bits, temp_suffix);
}

bool is_temp_name(std::string_view name) {
  return name.size() == temp_prefix.size() + temp_digits + temp_suffix.size() &&
         name.starts_with(temp_prefix) && name.ends_with(temp_suffix);
}

bool is_component(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

bool lock_at_once(const file_descriptor& file) {
  return retried([&] { return ::flock(file.value(), LOCK_EX | LOCK_NB); }) == 0;
}

bool write_all(const file_descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = retried([&] { return ::write(file.value(), bytes.data(), bytes.size()); });
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string joined(const std::string& folder, const std::string& name) {
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

std::string_view kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

bool is_same_file(int file, int folder, const std::string& name) {
  struct stat held {};
  struct stat named {};
  return ::fstat(file, &held) == 0 &&
         ::fstatat(folder, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

/// mkdir -p; a race with another creator is no failure.
result<void> create_folders(const std::string& path) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), folder_mode) != 0 && errno != EEXIST) {
      return system_failure("create directory", part);
    }
    if (slash == std::string::npos) return {};
  }
}

}  // namespace

file_descriptor& file_descriptor::operator=(file_descriptor&& other) noexcept {
  if (this != &other) {
    close();
    std::swap(fd_, other.fd_);
  }
  return *this;
}

file_descriptor::~file_descriptor() {
  close();
}

bool file_descriptor::close() {
  if (fd_ < 0) return true;
  const int fd = std::exchange(fd_, -1);
  return ::close(fd) == 0;
}

result<directory> directory::open(const std::string& path, if_missing how) {
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  file_descriptor fd{retried([&] { return ::open(path.c_str(), flags); })};
  if (!fd.valid() && errno == ENOENT && how == if_missing::create && !path.empty()) {
    if (auto made = create_folders(path); !made) return std::unexpected{made.error()};
    fd = file_descriptor{retried([&] { return ::open(path.c_str(), flags); })};
  }
  if (!fd.valid()) return system_failure("open directory", path);
  return directory{std::move(fd), path};
}

result<directory> directory::descend(const std::string& name, if_missing how) const {
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
  const std::string full = joined(path_, name);
  if (!is_component(name)) return failed(errc::invalid_input, full + " is no directory name");
  if (how == if_missing::create && ::mkdirat(fd(), name.c_str(), folder_mode) != 0 &&
      errno != EEXIST) {
    return system_failure("create directory", full);
  }
  file_descriptor below{retried([&] { return ::openat(fd(), name.c_str(), flags); })};
  if (!below.valid() && (errno == ENOTDIR || errno == ELOOP)) {
    return failed(errc::invalid_input, full + " is no directory; a link is not followed");
  }
  if (!below.valid()) return system_failure("open directory", full);
  return directory{std::move(below), full};
}

result<std::string> directory::read(const std::string& name, std::size_t bytes_max) const {
  // O_NONBLOCK: a pipe in place of the file must not stop the only writer.
  constexpr int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const std::string full = joined(path_, name);
  if (!is_component(name)) return failed(errc::invalid_input, full + " is no file name");
  const file_descriptor file{retried([&] { return ::openat(fd(), name.c_str(), flags); })};
  if (!file.valid() && errno == ELOOP) {
    return failed(errc::invalid_input,
                  full + " is a symbolic link, which is not followed; name the file it leads to");
  }
  if (!file.valid() && errno == ENXIO) return failed(errc::invalid_input, full + " is a socket");
  if (!file.valid()) return system_failure("open", full);
  return read_to_end(file, bytes_max, full);
}

result<directory::temp_file> directory::write_temp(const std::string& name, std::string_view bytes,
                                          unsigned mode) const {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  const std::string full = joined(path_, name);
  if (!is_component(name)) return failed(errc::invalid_input, full + " is no file name");
  std::string temp;
  file_descriptor file{-1};
  for (int i = 0; i < temp_attempts_max && !file.valid(); ++i) {
    auto made = temp_name();
    if (!made) return std::unexpected{made.error()};
    temp = std::move(*made);
    file =
        file_descriptor{retried([&] { return ::openat(fd(), temp.c_str(), flags, mode_t{0600}); })};
    if (!file.valid() && errno != EEXIST) return system_failure("create a temp file for", full);
  }
  if (!file.valid()) return failed(errc::io_failure, "no free temp name for " + full);

  // Held until it has its name: nobody sweeps away what is being written.
  static_cast<void>(lock_at_once(file));
  const bool written = write_all(file, bytes) && ::fchmod(file.value(), mode) == 0 &&
                       retried([&] { return ::fsync(file.value()); }) == 0;
  if (written) return temp_file{std::move(temp), std::move(file)};
  auto failure = system_failure("write", full);
  static_cast<void>(::unlinkat(fd(), temp.c_str(), 0));
  return failure;
}

template <class Move>
result<void> directory::finish(const std::string& temp, const std::string& name, Move move) const {
  if (move(temp.c_str(), name.c_str())) return sync();
  const bool occupied = errno == EEXIST;
  auto failure = system_failure("write", joined(path_, name));
  static_cast<void>(::unlinkat(fd(), temp.c_str(), 0));
  if (occupied) return failed(errc::invalid_input, joined(path_, name) + " exists already");
  return failure;
}

result<void> directory::write(const std::string& name, std::string_view bytes,
                              unsigned mode) const {
  const auto temp = write_temp(name, bytes, mode);
  if (!temp) return std::unexpected{temp.error()};
  return finish(temp->name, name, [this](const char* from, const char* to) {
    return ::renameat(fd(), from, fd(), to) == 0;
  });
}

result<void> directory::replace(const std::string& name, std::string_view bytes,
                                unsigned mode) const {
  const auto temp = write_temp(name, bytes, mode);
  if (!temp) return std::unexpected{temp.error()};
  return finish(temp->name, name, [this](const char* from, const char* to) {
    if (::renameat2(fd(), from, fd(), to, RENAME_EXCHANGE) == 0) {
      static_cast<void>(::unlinkat(fd(), from, 0));
      return true;
    }
    // A file system that cannot exchange; the file may then vanish between these two steps.
    const bool cannot = errno == EINVAL || errno == ENOSYS;
    return cannot && ::faccessat(fd(), to, F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
           ::renameat(fd(), from, fd(), to) == 0;
  });
}

result<void> directory::create(const std::string& name, std::string_view bytes,
                               unsigned mode) const {
  const auto temp = write_temp(name, bytes, mode);
  if (!temp) return std::unexpected{temp.error()};
  return finish(temp->name, name, [this](const char* from, const char* to) {
    if (::renameat2(fd(), from, fd(), to, RENAME_NOREPLACE) == 0) return true;
    const bool cannot = errno == EINVAL || errno == ENOSYS;
    return cannot && ::linkat(fd(), from, fd(), to, 0) == 0 && ::unlinkat(fd(), from, 0) == 0;
  });
}

result<void> directory::remove(const std::string& name) const {
  if (!is_component(name)) return failed(errc::invalid_input, name + " is no file name");
  if (::unlinkat(fd(), name.c_str(), 0) != 0) {
    if (errno == ENOENT) return {};
    if (errno == EISDIR) {
      return failed(errc::invalid_input, joined(path_, name) + " is a directory, no file");
    }
    return system_failure("delete", joined(path_, name));
  }
  return sync();
}

result<void> directory::rename(const std::string& from, const std::string& to) const {
  if (::renameat(fd(), from.c_str(), fd(), to.c_str()) != 0) {
    return system_failure("rename", joined(path_, from));
  }
  return sync();
}

file_identity directory::identify(const std::string& name) const {
  struct stat status {};
  const bool there = ::fstatat(fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  return there && S_ISREG(status.st_mode) ? file_identity{status.st_dev, status.st_ino}
                                          : file_identity{};
}

std::optional<std::string> directory::find(
    const file_identity& file, const std::function<bool(std::string_view)>& wanted) const {
  std::optional<std::string> found;
  each_name(searched_entries_max, [&](const char* name) {
    if (file.inode != 0 && wanted(name) && identify(name) == file) found = name;
    return !found;
  });
  return found;
}

void directory::each_name(std::size_t entries_max,
                          const std::function<bool(const char*)>& visit) const {
  // A second descriptor: closedir would close the one that this object owns.
  const int copy = retried([&] { return ::openat(fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (copy < 0) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing{::fdopendir(copy), ::closedir};
  if (!listing) {
    ::close(copy);
    return;
  }
  for (std::size_t i = 0; i < entries_max; ++i) {
    const dirent* entry = ::readdir(listing.get());
    if (entry == nullptr || !visit(entry->d_name)) return;
  }
}

void directory::sweep(instant now) const {
  std::vector<std::string> temps;
  each_name(swept_entries_max, [&](const char* name) {
    if (is_temp_name(name)) temps.emplace_back(name);
    return true;
  });
  for (const auto& name : temps) {
    if (is_left_behind(name, now)) static_cast<void>(::unlinkat(fd(), name.c_str(), 0));
  }
}

bool directory::is_left_behind(const std::string& name, instant now) const {
  constexpr int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const file_descriptor file{retried([&] { return ::openat(fd(), name.c_str(), flags); })};
  struct stat status {};
  if (!file.valid() || ::fstat(file.value(), &status) != 0) return false;
  const bool old = from_unix(status.st_mtim.tv_sec) + temp_age_min <= now;
  return old && lock_at_once(file);
}

result<file_descriptor> directory::lock(const std::string& name) const {
  constexpr int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const std::string full = joined(path_, name);
  if (!is_component(name)) return failed(errc::invalid_input, full + " is no file name");
  for (int i = 0; i < lock_attempts_max; ++i) {
    file_descriptor file{
        retried([&] { return ::openat(fd(), name.c_str(), flags, mode_t{0600}); })};
    if (!file.valid() && errno == ELOOP) {
      return failed(errc::invalid_input, full + " is a symbolic link; delete it");
    }
    if (!file.valid()) return system_failure("lock", full);
    if (!lock_at_once(file)) {
      if (errno == EWOULDBLOCK) break;
      return system_failure("lock", full);
    }
    // Its former owner may have deleted it between the two steps: then another one counts.
    if (is_same_file(file.value(), fd(), name)) return file;
  }
  return failed(errc::unavailable, full + " is held by somebody else");
}

result<file_descriptor> directory::claim(const std::string& name) const {
  constexpr int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const std::string full = joined(path_, name);
  for (int i = 0; i < lock_attempts_max; ++i) {
    file_descriptor file{retried([&] { return ::openat(fd(), name.c_str(), flags); })};
    if (!file.valid()) return system_failure("open", full);
    if (!lock_at_once(file)) {
      if (errno == EWOULDBLOCK) break;
      return file_descriptor{-1};
    }
    if (is_same_file(file.value(), fd(), name)) return file;
  }
  return failed(errc::unavailable, full + " is held by somebody else");
}

result<void> directory::reserve(const file_descriptor& file, std::size_t bytes) const {
  errno = ::posix_fallocate(file.value(), 0, static_cast<off_t>(bytes));
  // A file system that cannot is no worse than before.
  if (errno == 0 || errno == EOPNOTSUPP || errno == EINVAL) return {};
  return system_failure("reserve room in", path_);
}

result<void> directory::sync() const {
  if (retried([&] { return ::fsync(fd()); }) != 0) return system_failure("sync", path_);
  return {};
}

result<std::string> read_to_end(const file_descriptor& file, std::size_t bytes_max,
                                const std::string& name) {
  struct stat status {};
  if (::fstat(file.value(), &status) != 0) return system_failure("examine", name);
  if (!S_ISREG(status.st_mode)) {
    return failed(errc::invalid_input, fmt::format("{} is {}, not a regular file", name,
                                                   kind_of(status.st_mode)));
  }
  const auto too_large = [&] {
    return failed(errc::limit_exceeded, fmt::format("{} is larger than {} bytes", name, bytes_max));
  };
  if (status.st_size < 0 || static_cast<std::size_t>(status.st_size) > bytes_max) {
    return too_large();
  }
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(status.st_size) + 1);
  std::array<char, 16 * 1024> chunk{};
  for (;;) {
    const auto got = retried([&] { return ::read(file.value(), chunk.data(), chunk.size()); });
    if (got < 0) return system_failure("read", name);
    if (got == 0) return bytes;
    bytes.append(chunk.data(), static_cast<std::size_t>(got));
    if (bytes.size() > bytes_max) return too_large();
  }
}

}  // namespace tidegate::persistence
