#pragma once
/// Which client-visible model names exist and which credentials serve them under which upstream
/// names. Pure; rebuilt whole on every change. Rules: spec/quota.md 4.1 and 4.8.

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "provider/credential.hpp"
#include "quota/options.hpp"

namespace tidegate::provider {

/// Upstream names that one alias of one credential can stand for; further ones are left out.
inline constexpr std::size_t alias_pool_max = 64;

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
  kind provider = kind::codex;
  model_entry behind;  ///< what is configured behind it, of several the first; of a family its name
};

class catalog {
 public:
  catalog() = default;
  /// Credentials without a models list serve their provider's model families: `find` makes such a
  /// route on demand. An account serves the families beside its models list, which holds aliases; a
  /// name behind an alias gives way to it, unless an alias of it is a fork.
  catalog(std::vector<credential_ptr> credentials, const quota::routing_options& routing);

  /// The name under which a request's route is found, in lower case: the whole name when an alias is
  /// written with this very suffix, else the name without its thinking suffix `(…)`.
  std::string key_of(std::string_view model) const;

  /// The route of a requested name, see key_of. nullopt: no credential serves it. Costs the members
  /// it returns, and one look per distinct set of exclusions when the name is of a family.
  std::optional<route> find(std::string_view model) const;

  /// Names for the model lists, sorted, each once; only names of enabled credentials.
  const std::vector<listed_model>& models() const { return models_; }

  const std::vector<credential_ptr>& credentials() const { return credentials_; }

 private:
  struct named {
    route serving;
    std::string owned_by;
    kind provider = kind::codex;
    model_entry first;    ///< of the listed ones
    bool listed = false;  ///< false: only reachable, as the upstream name behind an alias
  };
  /// Credentials of one provider that serve its model families under the same exclusions: by
  /// lower-case prefix, each group ordered by id.
  using family = std::map<std::string, std::vector<credential_ptr>>;

  void add_configured(const credential_ptr& who);
  void add_name(const credential_ptr& who, const std::string& client_name,
                const model_entry& entry, bool as_alias);
  void add_family(const credential_ptr& who);
  void list_models();
  /// Members of the kind's families that serve `name`, lower case and maybe prefixed, in order.
  std::vector<route_member> family_members(kind k, const std::string& name) const;

  std::vector<credential_ptr> credentials_;
  bool force_prefix_ = false;
  std::unordered_map<std::string, named> exact_;  ///< lower-case name -> route of configured names
  /// Of each kind, by exclusions.
  std::array<std::map<std::vector<std::string>, family>, kind_count> families_;
  std::vector<listed_model> models_;
};

}  // namespace tidegate::provider
