#include "config/models.hpp"

#include "config/record.hpp"

namespace tidegate::config {
namespace {

using provider::model_entry;
using provider::model_thinking;

value_codec<std::vector<std::string>> modalities() {
  const auto modality = choice<std::string>(
      {{"text", "text"}, {"image", "image"}, {"audio", "audio"}, {"video", "video"}});
  return list_of(modality, "list of text, image, audio, video", disclosure::entries);
}

value_codec<std::optional<model_thinking>> thinking() {
  std::vector<std::pair<std::string, std::string>> levels;
  for (const auto* const level :
       {"none", "minimal", "low", "medium", "high", "xhigh", "max", "auto"}) {
    levels.emplace_back(level, level);
  }
  const auto tokens = integer({.min = 0, .max = provider::context_window_max});
  const auto whole = record<model_thinking>(
      {part<model_thinking>(
           "levels", TG_FIELD(levels),
           list_of(choice<std::string>(std::move(levels)), "list of levels", disclosure::entries)),
       part<model_thinking>("min", TG_FIELD(budget_min), tokens),
       part<model_thinking>("max", TG_FIELD(budget_max), tokens),
       part<model_thinking>("zero-allowed", TG_FIELD(zero_allowed), boolean()),
       part<model_thinking>("dynamic-allowed", TG_FIELD(dynamic_allowed), boolean())},
      {});
  return {.type = whole.type,
          .parse = [parse = whole.parse](const node& n, const read_scope& scope)
              -> std::optional<std::optional<model_thinking>> {
            auto v = parse(n, scope);
            if (!v) return std::nullopt;
            return std::optional{std::move(v)};
          },
          .form = [form = whole.form](const std::optional<model_thinking>& v, visibility how)
              -> node_ptr { return v ? form(*v, how) : nullptr; }};
}

/// Of a provider's models, or of a channel's aliases.
value_codec<model_entry> model(bool of_channel) {
  std::vector<record_field<model_entry>> fields{
      part<model_entry>("name", TG_FIELD(name), line_text()),
      part<model_entry>("alias", TG_FIELD(alias), line_text()),
      part<model_entry>("force-mapping", TG_FIELD(force_mapping), boolean()),
      part<model_entry>("max-concurrency", TG_FIELD(max_concurrency),
                        integer({.min = 0, .max = provider::concurrency_max})),
      part<model_entry>("display-name", TG_FIELD(display_name), line_text()),
      part<model_entry>("max-context-length", TG_FIELD(context_window),
                        integer({.min = 0, .max = provider::context_window_max}))};
  std::vector<std::string> ignored{"is-compat", "image", "use-max-completion-tokens",
                                   "support-configuration-update"};
  if (of_channel) {
    fields.push_back(part<model_entry>("fork", TG_FIELD(fork), boolean()));
    ignored.push_back("thinking");
  } else {
    fields.push_back(part<model_entry>("thinking", TG_FIELD(thinking), thinking()));
    fields.push_back(
        part<model_entry>("input-modalities", TG_FIELD(input_modalities), modalities()));
    fields.push_back(
        part<model_entry>("output-modalities", TG_FIELD(output_modalities), modalities()));
    ignored.push_back("fork");
  }
  auto codec = record<model_entry>(std::move(fields), std::move(ignored));
  codec.parse = [parse = codec.parse](const node& n,
                                      const read_scope& scope) -> std::optional<model_entry> {
    auto entry = parse(n, scope);
    if (!entry) return entry;
    if (entry->name.empty()) {
      scope.warning(n, "a model needs a name; dropped");
      return std::nullopt;
    }
    if (entry->alias.empty()) entry->alias = entry->name;
    return entry;
  };
  return codec;
}

}  // namespace

value_codec<std::vector<model_entry>> models() {
  return list_of(model(false), "list of models", disclosure::entries);
}

value_codec<std::vector<model_entry>> aliases() {
  return list_of(model(true), "list of aliases", disclosure::entries);
}

}  // namespace tidegate::config
