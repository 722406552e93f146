#include "app/sim/script.hpp"

#include <fmt/format.h>

#include "app/sim/mapping.hpp"
#include "app/sim/script_parts.hpp"

namespace tidegate::sim {
namespace {

quota read_quota(const YAML::Node& node, const std::string& where, mapping::problems& problems) {
  mapping from{node, where, problems};
  quota out;
  from.whole("limit", out.limit, 0, 1'000'000'000);
  std::int64_t seconds = 0;
  from.whole("window-seconds", seconds, 1, 400LL * 24 * 3600);
  if (seconds == 0) from.complain("window-seconds", "is needed");
  out.window = std::chrono::seconds{seconds};
  std::string per = "key";
  from.one_of("per", per, {"key", "key-and-model"});
  out.per_model = per == "key-and-model";
  read_preset(from, out.kind);
  from.finish();
  return out;
}

rule read_rule(const YAML::Node& node, const std::string& where, mapping::problems& problems) {
  mapping from{node, where, problems};
  rule out;
  from.text("key", out.key);
  from.text("model", out.model);
  from.text("method", out.method);
  from.text("path", out.path);
  std::string count_by = "key-and-model";
  from.one_of("count-by", count_by, {"key-and-model", "key", "rule"});
  if (count_by == "key") out.count_by = counting::key;
  if (count_by == "rule") out.count_by = counting::rule;
  std::string then = "repeat";
  from.one_of("then", then, {"repeat", "cycle"});
  out.cycle = then == "cycle";
  if (from.has("quota"))
    out.window = read_quota(from.child("quota"), from.where("quota"), problems);
  std::size_t index = 0;
  from.each("replies", replies_max, [&](const YAML::Node& entry) {
    out.replies.push_back(
        read_reply(entry, fmt::format("{}.replies[{}]", where, index++), problems));
  });
  if (out.replies.empty())
    out.replies.push_back(read_reply(YAML::Load("{ok: {}}"), where, problems));
  from.finish();
  return out;
}

}  // namespace

std::optional<instant> moment::resolve(instant anchor) const {
  if (at) return at;
  if (in) return anchor + *in;
  return std::nullopt;
}

result<script> parse_script(std::string_view yaml) {
  if (yaml.size() > script_bytes_max)
    return failed(errc::limit_exceeded,
                  fmt::format("the script is larger than {} bytes", script_bytes_max));
  script out;
  mapping::problems problems;
  try {
    const auto root = YAML::Load(std::string{yaml});
    if (root.IsNull()) return failed(errc::invalid_input, "the script is empty; it needs rules");
    mapping from{root, "script", problems};
    std::string record = "requests";
    from.one_of("record", record, {"requests", "counts"});
    out.record_requests = record == "requests";
    if (!from.has("rules")) from.complain("rules", "is needed");
    std::size_t index = 0;
    from.each("rules", rules_max, [&](const YAML::Node& entry) {
      out.rules.push_back(read_rule(entry, fmt::format("rules[{}]", index++), problems));
    });
    from.finish();
  } catch (const YAML::Exception& broken) {
    return failed(errc::invalid_input, fmt::format("the script is not YAML: {}", broken.what()));
  }
  if (!problems.empty())
    return failed(errc::invalid_input, fmt::format("{}", fmt::join(problems, "\n")));
  return out;
}

}  // namespace tidegate::sim
