#include "persistence/file_facts.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

namespace tidegate::persistence {

std::optional<file_facts> facts_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  file_facts out;
  out.bytes = static_cast<std::uint64_t>(info.st_size);
  out.modified = from_unix(info.st_mtim.tv_sec) + std::chrono::nanoseconds{info.st_mtim.tv_nsec};
  out.mode = info.st_mode & 07777U;
  return out;
}

std::string exposure_of_file(const file_facts& file) {
  const bool written = (file.mode & 0022U) != 0;
  if (!written && (file.mode & 0044U) == 0) return {};
  return fmt::format("its mode {:04o} lets other users {} it: chmod 600", file.mode,
                     written ? "change" : "read");
}

std::string exposure_of_directory(const file_facts& directory) {
  // With the sticky bit others may add files, which is as bad.
  if ((directory.mode & 0022U) == 0) return {};
  return fmt::format("the credential directory's mode {:04o} lets other users put files into it: "
                     "chmod 700",
                     directory.mode);
}

}  // namespace tidegate::persistence
