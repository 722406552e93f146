#pragma once
/// What the file system says of a file beside its content. Blocking.

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.hpp"

namespace tidegate::persistence {

struct file_facts {
  std::uint64_t bytes = 0;
  instant modified{};
  unsigned mode = 0;  ///< permission bits
};

/// Of what a link leads to. None when there is nothing, or it cannot be looked at.
std::optional<file_facts> facts_of(const std::string& path);

/// What is dangerous about a credential file that others may read; empty = nothing.
std::string exposure_of_file(const file_facts& file);
/// What is dangerous about a credential directory that others may write to; empty = nothing.
std::string exposure_of_directory(const file_facts& directory);

}  // namespace tidegate::persistence
