#include "actors/config_source.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "actors/credential_files.hpp"
#include "base/hash.hpp"
#include "config/check.hpp"
#include "persistence/file_facts.hpp"
#include "persistence/store.hpp"

namespace tidegate::actors {
namespace {

constexpr std::size_t config_file_bytes_max = 16 * 1024 * 1024;
constexpr std::size_t secret_file_bytes_max = 64 * 1024;

std::string stamp(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return path + " absent;";
  return fmt::format("{} {} {} {}.{};", path, info.st_ino, info.st_size, info.st_mtim.tv_sec,
                     info.st_mtim.tv_nsec);
}

std::string sentence_of(const http::unusable_file& what) {
  return fmt::format("{}: warning: {}{}", what.path, what.reason,
                     what.earlier_holds ? "; what it said before stays in force" : "");
}

/// How the files looked just before they were last read, so that no later change is missed.
struct last_look {
  std::string file;
  std::string directory_path;
  std::string directory;  ///< the directory's own entry; also changes when cooldowns are saved
  std::string exposure;   ///< who else may write to the directory
  std::string text;       ///< of the configuration file, as a digest
  credential_files files;
};

std::string exposure_of(const std::string& directory) {
  const auto facts = persistence::facts_of(directory);
  return facts ? persistence::exposure_of_directory(*facts) : std::string{};
}

std::string sentence_of(const std::string& directory, const std::string& name,
                        const std::string& warning) {
  return fmt::format("{}{}{}: warning: {}", directory, name.empty() ? "" : "/", name, warning);
}

/// Sizes and times, and who else may get at the secrets.
std::shared_ptr<const http::file_looks> looks_at(const last_look& look) {
  auto out = std::make_shared<http::file_looks>();
  const auto take = [&](const std::string& name, const std::string& path, auto exposure_of) {
    const auto facts = persistence::facts_of(path);
    if (facts) (*out)[name] = {facts->bytes, facts->modified, exposure_of(*facts)};
  };
  take("", look.directory_path, persistence::exposure_of_directory);
  for (const auto& record : look.files.records()) {
    take(record->file, record->source, persistence::exposure_of_file);
  }
  for (const auto& file : look.files.unusable()) {
    if (!file.name.empty()) take(file.name, file.path, persistence::exposure_of_file);
  }
  return out;
}

void read_credentials(config_candidate& into, last_look& look) {
  std::vector<provider::credential_ptr> credentials;
  for (auto& record : provider::from_config(into.snapshot->credentials)) {
    credentials.push_back(std::make_shared<const provider::credential>(std::move(record)));
  }
  for (auto& record : look.files.records()) credentials.push_back(std::move(record));
  into.credentials =
      std::make_shared<const std::vector<provider::credential_ptr>>(std::move(credentials));
  into.unusable_files = look.files.unusable();
  for (const auto& file : into.unusable_files) into.problems.push_back(sentence_of(file));
  into.files = looks_at(look);
  for (const auto& [name, file] : *into.files) {
    if (!file.warning.empty()) {
      into.problems.push_back(sentence_of(look.directory_path, name, file.warning));
    }
  }
}

config_candidate read_all(const std::string& path, last_look& look) {
  config_candidate found;
  look.file = stamp(path);
  const auto text = persistence::read_file(path, config_file_bytes_max);
  if (!text) {
    found.problems.push_back(fmt::format("{}: error: {}", path, text.error().detail));
    return found;
  }
  auto loaded = config::load_text(*text, path, process_environment());
  for (const auto& finding : loaded.diagnostics) {
    found.problems.push_back(config::format_diagnostic(path, finding));
  }
  found.snapshot = std::move(loaded.snapshot);
  if (!found.snapshot) return found;
  look.directory_path = persistence::expand_home(found.snapshot->credentials.auth_dir);
  look.directory = stamp(look.directory_path);
  look.exposure = exposure_of(look.directory_path);
  const auto digest = sha256_hex(*text);
  look.files.read(*found.snapshot, std::exchange(look.text, digest) != digest);
  read_credentials(found, look);
  return found;
}

}  // namespace

config::environment process_environment() {
  config::environment env;
  env.variable = [](std::string_view name) -> std::optional<std::string> {
    const char* value = std::getenv(std::string{name}.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string{value};
  };
  env.secret_file = [](std::string_view path) -> result<secret_string> {
    auto text = persistence::read_file(persistence::expand_home(path), secret_file_bytes_max);
    if (!text) return std::unexpected{text.error()};
    while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
    return secret_string{std::move(*text)};
  };
  return env;
}

config_source file_config_source(std::string path) {
  auto look = std::make_shared<last_look>();
  config_source source;
  source.read = [path, look] { return read_all(path, *look); };
  source.changed = [path, look](bool thorough) {
    if (stamp(path) != look->file) return true;
    if (look->directory_path.empty()) return false;
    auto directory = stamp(look->directory_path);
    if (!thorough) return directory != look->directory;
    if (look->files.changed() || exposure_of(look->directory_path) != look->exposure) return true;
    look->directory = std::move(directory);
    return false;
  };
  return source;
}

std::vector<std::string> watched_directories(const std::string& path,
                                             const config::snapshot& snapshot) {
  auto parent = std::filesystem::path{path}.parent_path().string();
  if (parent.empty()) parent = ".";
  return {std::move(parent), persistence::expand_home(snapshot.credentials.auth_dir)};
}

}  // namespace tidegate::actors
