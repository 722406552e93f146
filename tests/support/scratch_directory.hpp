#pragma once
/// A directory of its own for one test, deleted with everything in it.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace tidegate::test {

class scratch_directory {
 public:
  scratch_directory() {
    std::string name = (std::filesystem::temp_directory_path() / "tidegate-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;
  ~scratch_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream{path_ / name, std::ios::binary} << text;
  }
  std::string text(const std::string& name) const {
    std::ostringstream out;
    out << std::ifstream{path_ / name, std::ios::binary}.rdbuf();
    return out.str();
  }
  bool has(const std::string& name) const { return std::filesystem::exists(path_ / name); }
  std::size_t count() const {
    std::size_t entries = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator{path_}) ++entries;
    return entries;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tidegate::test
