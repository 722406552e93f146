#include "persistence/store.hpp"

#include "persistence/directory.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstdlib>

namespace tidegate::persistence {

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
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    return failed(missing ? errc::not_found : errc::io_failure,
                  (missing ? "there is no " : "cannot open ") + path);
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
