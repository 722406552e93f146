#pragma once
/// What management has decided about credentials, as the gateway stores it in the credential
/// directory: it wins over `disabled` of the files. Blocking, read only. What cannot be read says
/// nothing.

#include <map>
#include <optional>
#include <string>

namespace tidegate::app {

class operator_switches {
 public:
  /// Of this credential directory.
  explicit operator_switches(const std::string& root);

  /// Whether management has switched the credential off; nullopt: its file decides.
  std::optional<bool> disabled(const std::string& id) const;

 private:
  std::map<std::string, bool> disabled_;
};

}  // namespace tidegate::app
