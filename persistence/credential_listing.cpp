#include "persistence/store.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

namespace tidegate::persistence {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t entries_max = 200'000;

/// A reason as it stands beside the file's name.
std::string placeless(std::string reason, const std::string& path) {
  const auto at = reason.find(path);
  if (at == std::string::npos) return reason;
  reason.replace(at, path.size(), "it");
  return reason;
}

/// A file whose lock and kept text have no room for their names could be read, but never changed.
bool has_long_part(const fs::path& relative) {
  return std::ranges::any_of(relative, [](const fs::path& part) {
    return part.native().size() > credential_part_bytes_max;
  });
}

/// One walk over the credential directory.
class walk {
 public:
  walk(const std::string& auth_dir, const known_stamp& known)
      : known_(known), root_(fs::absolute(fs::path{expand_home(auth_dir)}, ignored_).lexically_normal()) {}

  credential_listing run() {
    std::error_code failure;
    const auto kind = fs::status(root_, failure).type();
    if (kind == fs::file_type::not_found) return {};
    if (kind == fs::file_type::directory) {
      visit(root_, {}, 0);
    } else {
      problem(root_, "is not a readable directory");
    }
    std::sort(found_.files.begin(), found_.files.end(),
              [](const auto& a, const auto& b) { return a.relative_path < b.relative_path; });
    return std::move(found_);
  }

 private:
  void visit(const fs::path& folder, const fs::path& relative, int depth) {
    if (depth > credential_depth_max) {
      problem(folder, fmt::format("is deeper than {} directories", credential_depth_max));
      return;
    }
    std::error_code failure;
    fs::directory_iterator entry{folder, failure};
    for (; !failure && entry != fs::directory_iterator{} && !full_; entry.increment(failure)) {
      if (++entries_ > entries_max) return stop("too many directory entries");
      const auto name = entry->path().filename();
      if (name.native().starts_with('.')) continue;
      std::error_code unreadable;
      const auto kind = entry->symlink_status(unreadable).type();
      if (kind == fs::file_type::directory) {
        visit(entry->path(), relative / name, depth + 1);
      } else if (name.extension() == ".json") {
        take(entry->path(), relative / name, kind);
      }
    }
    if (failure) problem(folder, failure.message());
  }

  void take(const fs::path& path, const fs::path& relative, fs::file_type kind) {
    if (!is_plain_text(relative.native())) {
      return problem(path, "its name is not UTF-8, or holds a control character; rename it");
    }
    if (has_long_part(relative)) {
      return problem(path, fmt::format("its name, or a directory's on the way, is longer than {} "
                                       "bytes; rename it",
                                       credential_part_bytes_max));
    }
    if (kind == fs::file_type::symlink) {
      return problem(path, "is a symbolic link, which is not followed; put the file itself here");
    }
    if (kind == fs::file_type::not_found) return;  // gone since it was listed
    if (kind != fs::file_type::regular) return problem(path, "is not a regular file");
    credential_file found{relative.generic_string(), path.string(), {}, stamp_of(path), false};
    const auto* known = known_ ? known_(found.relative_path) : nullptr;
    found.known = known != nullptr && !known->empty() && *known == found.stamp;
    if (found.known) return add(std::move(found));
    auto text = read_file(path.string(), credential_file_bytes_max);
    if (!text && text.error().code == errc::not_found) return;
    if (!text) return problem(path, placeless(text.error().detail, path.string()));
    bytes_ += text->size();
    if (bytes_ > credential_bytes_total_max) return stop("too many bytes in credential files");
    found.text = std::move(*text);
    add(std::move(found));
  }

  void add(credential_file&& found) {
    if (found_.files.size() >= credential_files_max) return stop("too many credential files");
    found_.files.push_back(std::move(found));
  }

  static file_stamp stamp_of(const fs::path& path) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) return {};
    return fmt::format("{}.{} {} {}.{} {}.{}", info.st_dev, info.st_ino, info.st_size,
                       info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ctim.tv_sec,
                       info.st_ctim.tv_nsec);
  }

  void problem(const fs::path& path, const std::string& what) {
    if (found_.problems.size() >= listing_problems_max) return;
    auto relative = path.lexically_relative(root_).generic_string();
    if (relative == ".") relative.clear();
    found_.problems.push_back({escaped_name(relative), escaped_name(path.native()), what});
  }

  void stop(const std::string& why) {
    full_ = true;
    if (found_.problems.size() >= listing_problems_max) found_.problems.pop_back();
    problem(root_, why + "; the rest is left out");
  }

  const known_stamp& known_;
  std::error_code ignored_;
  fs::path root_;
  credential_listing found_;
  std::size_t entries_ = 0;
  std::size_t bytes_ = 0;
  bool full_ = false;
};

}  // namespace

credential_listing list_credential_files(const std::string& auth_dir, const known_stamp& known) {
  return walk{auth_dir, known}.run();
}

}  // namespace tidegate::persistence
