#pragma once
/// The two passes over a parsed text: values that rows want, then names that no row wanted.

#include <map>
#include <string>

#include "config/environment.hpp"
#include "config/load.hpp"
#include "config/schema.hpp"

namespace tidegate::config {

/// Where each v8 path got its value, for findings about combinations.
using origins = std::map<std::string, position, std::less<>>;

/// Reads every row of the table from the text into `s`, and reports shadowed spellings.
origins read_rows(const schema& table, const node& root, const environment& env, report& out,
                  snapshot& s);

/// The spelling of a row that counts in this text, and where its value stands.
setting_place find_setting(const schema& table, const node& root, std::string_view path);

/// Reports keys that no row, no section and no retired name accounts for.
void check_names(const schema& table, const node& root, report& out);

/// Rules about several keys together.
void check_combinations(const snapshot& s, const node& root, const origins& where, report& out);

}  // namespace tidegate::config
