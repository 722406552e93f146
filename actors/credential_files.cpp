#include "actors/credential_files.hpp"

#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tidegate::actors {

void credential_files::read(const config::snapshot& settings, bool settings_changed) {
  const auto& options = settings.credentials;
  auto directory = persistence::expand_home(options.auth_dir);
  if (std::exchange(directory_, directory) != directory) files_.clear();
  const auto known = [&](const std::string& path) -> const persistence::file_stamp* {
    const auto found = files_.find(path);
    return settings_changed || found == files_.end() ? nullptr : &found->second.stamp;
  };
  auto listing = persistence::list_credential_files(directory, known);
  auto earlier = std::exchange(files_, {});
  for (const auto& file : listing.files) {
    if (auto kept = earlier.extract(file.relative_path)) files_.insert(std::move(kept));
    if (!file.known) take(file, options);
  }
  for (const auto& problem : listing.problems) take(problem, earlier);
  std::vector<std::string> changed;
  for (const auto& file : listing.files) {
    if (!file.known) changed.push_back(file.relative_path);
  }
  find_copies(changed);
}

void credential_files::find_copies(const std::vector<std::string>& changed) {
  for (auto& [path, file] : files_) {
    if (!files_.contains(file.copy_of)) file.copy_of.clear();
  }
  if (changed.empty()) return;
  std::unordered_map<std::string_view, std::string_view> owners;
  const auto own = [&](const std::string& path) {
    auto& file = files_.at(path);
    if (!file.record || !file.copy_of.empty()) return;
    const auto token = file.record->refresh_token.reveal();
    if (token.empty()) return;
    const auto [owner, first] = owners.emplace(token, path);
    if (!first && owner->second != path) file.copy_of = owner->second;
  };
  const std::unordered_set<std::string_view> fresh(changed.begin(), changed.end());
  // Those that serve already come first.
  for (const auto& [path, file] : files_) {
    if (!fresh.contains(path)) own(path);
  }
  for (const auto& path : changed) own(path);
}

void credential_files::take(const persistence::credential_file& file,
                            const provider::credential_options& options) {
  auto& entry = files_[file.relative_path];
  entry.stamp = file.stamp;
  entry.path = file.absolute_path;
  auto record = provider::from_file(file.relative_path, file.absolute_path, file.text, options);
  if (!record) {
    entry.problem = std::move(record.error().detail);
    return;
  }
  entry.problem.clear();
  const auto& former = entry.record;
  if (!former || !(former->refresh_token == record->refresh_token)) entry.copy_of.clear();
  // The same pointer for the same content, so that nobody downstream has anything to do.
  if (entry.record && *entry.record == *record) return;
  entry.record = std::make_shared<const provider::credential>(std::move(*record));
}

void credential_files::take(const persistence::credential_problem& what,
                            std::map<std::string, known_file>& earlier) {
  auto& entry = files_[what.relative_path];
  if (auto kept = earlier.extract(what.relative_path)) {
    entry.record = kept.mapped().record;
    entry.copy_of = kept.mapped().copy_of;
  }
  entry.stamp.clear();
  entry.path = what.absolute_path;
  entry.problem = what.reason;
}

std::vector<provider::credential_ptr> credential_files::records() const {
  std::vector<provider::credential_ptr> out;
  for (const auto& [path, file] : files_) {
    if (file.record && file.copy_of.empty()) out.push_back(file.record);
  }
  return out;
}

std::vector<http::unusable_file> credential_files::unusable() const {
  std::vector<http::unusable_file> out;
  for (const auto& [path, file] : files_) {
    if (!file.problem.empty()) {
      out.push_back({path, file.path, file.problem, file.record != nullptr});
    } else if (!file.copy_of.empty()) {
      out.push_back({path, file.path,
                     "has the same login as " + file.copy_of +
                         ", which would be void when both renew it: log in for this file again, or "
                         "delete it",
                     false});
    }
  }
  return out;
}

bool credential_files::changed() const {
  std::size_t same = 0;
  const auto listing =
      persistence::list_credential_files(directory_, [this](const std::string& path) {
        const auto found = files_.find(path);
        return found == files_.end() ? nullptr : &found->second.stamp;
      });
  for (const auto& file : listing.files) same += file.known ? 1 : 0;
  for (const auto& problem : listing.problems) {
    const auto found = files_.find(problem.relative_path);
    same += found != files_.end() && found->second.problem == problem.reason ? 1 : 0;
  }
  return same != files_.size() || listing.files.size() + listing.problems.size() != files_.size();
}

}  // namespace tidegate::actors
