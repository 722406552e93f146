#include "persistence/cooldown_file.hpp"

#include "base/hash.hpp"

namespace tidegate::persistence {

namespace {

constexpr std::string_view extension = ".cds";
constexpr std::size_t stem_bytes_max = 200;  ///< of the 255 that file systems allow
constexpr std::size_t path_bytes_max = 4096;
constexpr std::size_t hash_digits = 8;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

/// Each run of other characters becomes one `_`; no `.`, `_` or `-` at the ends.
std::string sanitised(std::string_view name) {
  std::string out;
  bool in_run = false;
  for (const char c : name) {
    if (is_plain(c)) {
      out.push_back(c);
    } else if (!in_run) {
      out.push_back('_');
    }
    in_run = !is_plain(c);
  }
  const auto first = out.find_first_not_of("._-");
  if (first == std::string::npos) return {};
  return out.substr(first, out.find_last_not_of("._-") - first + 1);
}

std::string with_hash(std::string_view stem, std::string_view full) {
  return std::string{stem.substr(0, stem_bytes_max)} + "-" +
         sha256_hex(full).substr(0, hash_digits);
}

/// `alice@x` of `alice@x.json`; a leading dot starts no extension.
std::string_view without_extension(std::string_view base) {
  const auto dot = base.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? base : base.substr(0, dot);
}

std::optional<std::string> name_of_file(std::string_view file) {
  if (file.size() > path_bytes_max || file.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  const bool outside = file.starts_with('/');
  std::string folder;
  std::string_view rest = file;
  for (auto slash = rest.find('/'); slash != std::string_view::npos; slash = rest.find('/')) {
    const std::string_view part = rest.substr(0, slash);
    rest.remove_prefix(slash + 1);
    if (part == "..") return std::nullopt;
    if (part.empty() || part == "." || outside) continue;
    folder.append(part).push_back('/');
  }
  if (rest == "..") return std::nullopt;
  const std::string stem = sanitised(without_extension(rest));
  if (stem.empty()) return std::nullopt;
  return folder + (stem.size() > stem_bytes_max ? with_hash(stem, file) : stem) +
         std::string{extension};
}

/// `codex:0a1b2c3d4e5f` is `codex_0a1b2c3d4e5f`; an id that loses more than its colons that way
/// gets a hash.
std::optional<std::string> name_of_id(std::string_view id) {
  const std::string stem = sanitised(id);
  if (stem.empty()) return std::nullopt;
  std::string expected{id};
  for (char& c : expected) {
    if (c == ':') c = '_';
  }
  const bool lossy = stem != expected || stem.size() > stem_bytes_max;
  return (lossy ? with_hash(stem, id) : stem) + std::string{extension};
}

}  // namespace

std::optional<std::string> cooldown_file_name(const credential_id& id, std::string_view file) {
  return file.empty() ? name_of_id(id.value) : name_of_file(file);
}

}  // namespace tidegate::persistence
