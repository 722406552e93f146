#pragma once
/// docs/configuration.md, generated from the schema.

#include <string>

#include "config/schema.hpp"

namespace tidegate::config {

std::string document(const schema& table);

}  // namespace tidegate::config
