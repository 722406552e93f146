#pragma once
/// Small records: mappings with fixed fields, each with a codec of its own.

#include "config/codec.hpp"
#include "config/suggest.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidegate::config {

/// One field of a small record.
template <class R>
struct record_field {
  std::string name;
  codec<R> value;
};

template <class R, class At, class V>
record_field<R> part(std::string name, At at, value_codec<V> how) {
  return {std::move(name), bind<R>(at, std::move(how))};
}

/// A mapping with fixed fields. `ignored` fields warn, others that are unknown are errors.
template <class R>
value_codec<R> record(std::vector<record_field<R>> fields, std::vector<std::string> ignored) {
  return {.type = "record",
          .parse = [fields, ignored](const node& n, const read_scope& scope) -> std::optional<R> {
            if (!n.is(node::kind::mapping)) return scope.mismatch(n, "a mapping");
            R out;
            for (const auto& m : n.members) {
              const auto inner = scope.at(m.key);
              const auto it = std::ranges::find(fields, m.key, &record_field<R>::name);
              if (it != fields.end()) {
                if (!m.value->is(node::kind::null)) it->value.read(*m.value, inner, out);
              } else if (std::ranges::find(ignored, m.key) != ignored.end()) {
                scope.out.warning(inner.key, m.at, "not supported by this version; ignored");
              } else {
                std::vector<std::string_view> names;
                for (const auto& f : fields) names.push_back(f.name);
                scope.out.error(inner.key, m.at,
                                "unknown field" + did_you_mean(nearest(m.key, names)));
              }
            }
            return out;
          },
          .form =
              [fields](const R& value, visibility v) {
                std::vector<member> members;
                for (const auto& f : fields) {
                  if (auto n = f.value.write(value, v)) members.push_back({f.name, true, {}, n});
                }
                return map_node(std::move(members));
              }};
}

}  // namespace tidegate::config
