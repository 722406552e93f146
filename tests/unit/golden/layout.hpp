#pragma once
/// JSON text with one member a line: no token is touched, so that digits and escapes are compared.

#include <string>
#include <string_view>

namespace tidegate::golden {

inline std::string laid_out(std::string_view json) {
  std::string out;
  std::size_t depth = 0;
  bool in_string = false;
  const auto line = [&] { out.append(1, '\n').append(2 * depth, ' '); };
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      out += c;
      if (c == '\\' && i + 1 < json.size()) out += json[++i];
      if (c == '"') in_string = false;
    } else if (c == '{' || c == '[') {
      out += c;
      ++depth;
      line();
    } else if (c == '}' || c == ']') {
      depth -= depth > 0;
      const char last = out[out.find_last_not_of(" \n")];
      out.erase(out.find_last_not_of(" \n") + 1);
      if (last != '{' && last != '[') line();
      out += c;
    } else if (c == ',') {
      out += c;
      line();
    } else if (c == ':') {
      out += ": ";
    } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
      out += c;
      in_string = c == '"';
    }
  }
  return out + '\n';
}

}  // namespace tidegate::golden
