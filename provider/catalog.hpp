#pragma once
/// Which client-visible model names exist and which credentials serve them under which upstream
/// names. Pure; rebuilt whole on every change. Rules: spec/quota.md 4.1 and 4.8.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provider/credential.hpp"
#include "quota/options.hpp"

namespace tidegate::provider {

/// One credential behind one client-visible model.
struct route_member {
  credential_ptr credential;
  std::vector<std::string> upstream_models;  ///< more than one = an alias pool, in file order
  bool force_mapping = false;
};

struct route {
  std::string model;                  ///< client-visible name without suffix
  std::vector<route_member> members;  ///< ordered by credential id; disabled ones left out
};

struct listed_model {
  std::string id;
  std::string owned_by;
};

class catalog {
 public:
  catalog() = default;
  /// Credentials without a models list serve their provider's model families: `find` makes such a
  /// route on demand.
  catalog(std::vector<credential_ptr> credentials, const quota::routing_options& routing);

  /// The route of a requested name. The thinking suffix `(…)` is ignored for matching, matching is
  /// case-insensitive. nullopt: no credential serves it.
  std::optional<route> find(std::string_view model) const;

  /// Names for the model lists, sorted, each once; only names of enabled credentials.
  std::vector<listed_model> models() const;

  const std::vector<credential_ptr>& credentials() const { return credentials_; }

 private:
  std::vector<credential_ptr> credentials_;
  bool force_prefix_ = false;
  std::map<std::string, route> exact_;  ///< lower-case name -> route of configured names
};

/// The upstream name to send: the resolved name plus the request's own suffix, unless the resolved
/// name has one.
std::string with_suffix(std::string_view upstream, std::string_view requested);

}  // namespace tidegate::provider
