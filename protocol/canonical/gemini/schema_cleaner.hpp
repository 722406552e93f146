#pragma once
/// The work behind cleaned_schema, on a tree whose root is the schema. Internal to schema*.cpp.

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "protocol/canonical/gemini/json_tree.hpp"

namespace tidegate::protocol::gemini {

/// References can make a small schema huge, and members are looked for one by one.
inline constexpr std::size_t schema_nodes_max = 16'384;

class schema_cleaner {
 public:
  schema_cleaner(json_tree& tree, bool keeps_nullable)
      : tree_(tree), keeps_nullable_(keeps_nullable) {}

  void clean_root();
  bool lossy() const { return lossy_; }

 private:
  struct state {
    bool nullable = false;
    std::vector<std::string> hints;  ///< escaped
    std::size_t references = 0;      ///< how many of active_ are this schema's
  };

  /// True when null is valid too.
  bool clean(int schema, int depth);
  void wrap_bare_properties();

  /// Puts in one reference, allOf or union; false when there was none.
  bool compose(int schema, state& now);
  int target_of(std::string_view pointer) const;
  void put_reference(int schema, std::string_view pointer, state& now);
  void put_branch(int schema, int any, state& now);
  /// Adds the members of `from` that `into` has not; properties and required are united.
  void merge(int into, int from);
  void unite(int own, int other);
  /// `properties` or `required`, whose members are united.
  void merge_member(int own, int other);
  int last_of(int container) const;
  bool contains(int array, std::string_view token) const;
  std::unordered_set<std::string_view> keys_of(int object) const;
  std::string type_of(int schema) const;

  void clean_enum(int schema, state& now);
  void clean_type(int schema, state& now);
  void set_type(int schema, std::string_view name);
  /// Keywords that are not taken go, or move to the hints.
  void sweep(int schema, state& now);
  void hint_of(int member, state& now);
  void clean_properties(int schema, int depth);
  void require(int schema, std::string_view name);
  /// Drops names of properties that are not there, or that may be null.
  void prune_required(int schema, const std::vector<std::string_view>& optional);
  void clean_items(int schema, int depth);
  void describe(int schema, const state& now);

  json_tree& tree_;
  const bool keeps_nullable_;
  int defs_ = -1;
  int definitions_ = -1;
  std::vector<int> active_;  ///< targets of the references being put in
  bool lossy_ = false;
};

std::string lower_case(std::string_view word);
/// `Accepts: a | b`.
std::string accepts(const std::vector<std::string>& types);

}  // namespace tidegate::protocol::gemini
