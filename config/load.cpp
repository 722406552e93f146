#include "config/load.hpp"

#include "config/parse.hpp"
#include "config/resolve.hpp"

#include <exception>
#include <memory>

namespace tidegate::config {
namespace {

snapshot_ptr read(const schema& table, std::string_view yaml, std::string source_path,
                  const environment& env, report& out) {
  const auto root = parse_document(yaml, env, out);
  if (!root) return nullptr;
  auto s = std::make_shared<snapshot>();
  s->source_path = std::move(source_path);
  const auto where = read_rows(table, *root, env, out, *s);
  check_names(table, *root, out);
  check_combinations(*s, *root, where, out);
  return out.failed() ? nullptr : s;
}

}  // namespace

load_result load_text(const schema& table, std::string_view yaml, std::string source_path,
                      const environment& env) {
  report out;
  try {
    auto s = read(table, yaml, std::move(source_path), env, out);
    return {std::move(s), out.take()};
  } catch (const std::exception& e) {
    return {nullptr,
            {{severity::error, "", 0, 0, std::string{"the text cannot be read: "} + e.what()}}};
  }
}

setting_place locate(std::string_view yaml, const environment& env, std::string_view path) {
  report ignored;
  const auto root = parse_document(yaml, env, ignored);
  return root ? find_setting(gateway_schema(), *root, path)
              : setting_place{std::string{path}, {}};
}

load_result load_text(std::string_view yaml, std::string source_path, const environment& env) {
  return load_text(gateway_schema(), yaml, std::move(source_path), env);
}

}  // namespace tidegate::config
