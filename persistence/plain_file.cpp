#include "persistence/store.hpp"

#include "persistence/directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace tidegate::persistence {

result<place> locate(const std::string& root, std::string_view relative, if_missing how) {
  auto folder = directory::open(root, how);
  while (folder) {
    const auto slash = relative.find('/');
    if (slash == std::string_view::npos) return place{std::move(*folder), std::string{relative}};
    folder = folder->descend(std::string{relative.substr(0, slash)}, how);
    relative.remove_prefix(slash + 1);
  }
  return std::unexpected{folder.error()};
}

result<void> write_file_atomically(const std::string& path, std::string_view bytes, unsigned mode) {
  const auto slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "."
                             : slash == 0               ? "/"
                                                        : path.substr(0, slash);
  const auto at = directory::open(folder, if_missing::create);
  if (!at) return std::unexpected{at.error()};
  return at->write(slash == std::string::npos ? path : path.substr(slash + 1), bytes, mode & 0777U);
}

result<std::string> read_file(const std::string& path, std::size_t bytes_max) {
  const file_descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file.valid()) {
    const int code = errno;
    const bool missing = code == ENOENT || code == ENOTDIR;
    struct stat link {};
    if (missing && ::lstat(path.c_str(), &link) == 0) {
      return failed(errc::invalid_input, path + " is a symbolic link that leads nowhere");
    }
    if (missing) return failed(errc::not_found, "there is no " + path);
    if (code == ENXIO) return failed(errc::invalid_input, path + " is a socket");
    return failed(errc::io_failure,
                  "cannot open " + path + ": " + std::generic_category().message(code));
  }
  return read_to_end(file, bytes_max, path);
}

std::string expand_home(std::string_view path) {
  if (path != "~" && !path.starts_with("~/")) return std::string{path};
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return std::string{path};
  return home + std::string{path.substr(1)};
}

}  // namespace tidegate::persistence
