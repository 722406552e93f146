#include "http/exchange/translation.hpp"

#include "tests/support/catch.hpp"

namespace tidegate::http {
namespace {

protocol::token_owner owner_at(const std::string& base_url) {
  provider::credential who;
  who.provider = provider::kind::openai_compatibility;
  who.base_url = base_url;
  return spoken_to(who, protocol::surface::chat_completions, "model").owner;
}

}  // namespace

TEST_CASE("a Chat endpoint of OpenAI's own host takes what OpenAI takes, others do not") {
  for (const auto* own :
       {"https://api.openai.com/v1", "https://API.OpenAI.com", "https://eu.api.openai.com/v1"}) {
    CAPTURE(own);
    CHECK(owner_at(own) == protocol::token_owner::gpt);
  }
  for (const auto* other : {"https://api.openai.com.example/v1", "https://notapi.openai.com/v1",
                            "http://127.0.0.1:8000/v1", "https://example/api.openai.com", ""}) {
    CAPTURE(other);
    CHECK(owner_at(other) == protocol::token_owner::unknown);
  }
}

TEST_CASE("a model takes pictures unless its entry says what it takes") {
  provider::credential who;
  who.provider = provider::kind::openai_compatibility;
  const auto takes = [&](std::vector<std::string> modalities) {
    provider::model_entry entry;
    entry.name = "Model";
    entry.input_modalities = std::move(modalities);
    who.models = {entry};
    return spoken_to(who, protocol::surface::chat_completions, "model").images;
  };
  CHECK(takes({}));
  CHECK(takes({"text", "image"}));
  CHECK_FALSE(takes({"text"}));
  CHECK(spoken_to(who, protocol::surface::chat_completions, "other").images);
}

}  // namespace tidegate::http
