#include <nlohmann/json.hpp>

#include "provider/credential.hpp"
#include "provider/vertex/private_key.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/signing_key.hpp"

using namespace tidegate;
using namespace tidegate::provider;
using nlohmann::json;

namespace {

/// Base64 of nothing in particular.
const std::string digits = std::string(64, 'A') + std::string(20, 'B') + "==";

std::string pem(std::string_view line_end, std::string_view label = "PRIVATE KEY") {
  const std::string name{label};
  const std::string end{line_end};
  return "-----BEGIN " + name + "-----" + end + digits.substr(0, 64) + end + digits.substr(64) +
         end + "-----END " + name + "-----" + end;
}

json account_file() {
  return {{"type", "vertex"},
          {"email", "sa@invented.example"},
          {"service_account",
           {{"type", "service_account"},
            {"project_id", "invented-project"},
            {"private_key_id", "k1"},
            {"private_key", test::signing_key_pem()},
            {"client_email", "sa@invented-project.iam.example"}}}};
}

result<credential> read(const json& file) {
  return from_file("vertex-a.json", "/var/lib/tidegate/vertex-a.json", file.dump(), {});
}

}  // namespace

TEST_CASE("Vertex: a service account becomes a record that signs for its tokens") {
  const auto who = read(account_file());
  REQUIRE(who);
  CHECK(who->provider == kind::vertex);
  CHECK(who->auth == auth_kind::account);
  CHECK(who->label == "sa@invented.example");
  CHECK(who->secret.empty());
  CHECK(who->project_id == "invented-project");
  CHECK(who->location == "us-central1");
  CHECK(who->base_url == "https://us-central1-aiplatform.googleapis.com");
  REQUIRE(who->signer);
  CHECK(who->signer->client_email == "sa@invented-project.iam.example");
  CHECK(who->signer->private_key_id == "k1");
  CHECK(who->signer->private_key.reveal() == test::signing_key_pem());
  CHECK(who->signer->token_uri == "https://oauth2.googleapis.com/token");
}

TEST_CASE("Vertex: project and location of the file win, in both spellings") {
  auto file = account_file();
  file["project-id"] = "other-project";
  file["location"] = " Global ";
  auto who = read(file);
  REQUIRE(who);
  CHECK(who->project_id == "other-project");
  CHECK(who->location == "global");
  CHECK(who->base_url == "https://aiplatform.googleapis.com");
  file["location"] = "europe-west4";
  CHECK(read(file)->base_url == "https://europe-west4-aiplatform.googleapis.com");
  file["base_url"] = "https://own.example/";
  CHECK(read(file)->base_url == "https://own.example");
  file.erase("project-id");
  file["service_account"].erase("project_id");
  file["project"] = "third-project";
  CHECK(read(file)->project_id == "third-project");
}

TEST_CASE("Vertex: a field that cannot be used is named, its value is not") {
  struct row {
    const char* pointer;
    json value;
    const char* named;
  };
  const std::vector<row> rows{
      {"/service_account", nullptr, "`service_account` is missing"},
      {"/service_account", "text", "`service_account`"},
      {"/service_account/private_key", "sesame", "`private_key`"},
      {"/service_account/private_key", pem("\n") + pem("\n"), "`private_key`"},
      {"/service_account/private_key", pem("\n"), "`private_key` is no PEM private key"},
      {"/service_account/private_key", nullptr, "`private_key`"},
      {"/service_account/private_key", 7, "`private_key`"},
      {"/service_account/client_email", nullptr, "`client_email`"},
      {"/service_account/token_uri", "ftp://sesame", "`token_uri`"},
      {"/service_account/token_uri", "http://sesame.example/token", "an https URL or a loopback"},
      {"/service_account/project_id", "a/../sesame", "`project_id`"},
      {"/service_account/project_id", "..", "`project_id`"},
      {"/service_account/project_id", nullptr, "`project_id` is missing"},
      {"/location", "sesame.example/", "`location`"},
      {"/location", "a.b", "`location`"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.pointer, row.named);
    auto file = account_file();
    file[json::json_pointer{row.pointer}] = row.value;
    const auto who = read(file);
    REQUIRE_FALSE(who);
    CHECK(who.error().code == errc::invalid_input);
    CHECK_THAT(who.error().detail, ContainsSubstring(row.named));
    CHECK(who.error().detail.find("sesame") == std::string::npos);
  }
}

TEST_CASE("Vertex: a private key gets its line breaks back") {
  const auto whole = pem("\n");
  for (const std::string_view end : {"\n", "\r\n", "\\n", "\\r\\n", " ", "\n\n", "", "\\n\n"}) {
    CAPTURE(end);
    CHECK(vertex::restored_private_key(pem(end)) == whole);
  }
  CHECK(vertex::restored_private_key("\\n " + whole) == whole);
  CHECK(vertex::restored_private_key(pem(" ", "RSA PRIVATE KEY")) == pem("\n", "RSA PRIVATE KEY"));
}

TEST_CASE("Vertex: what is no private key stays none") {
  auto foreign = pem("\n");
  foreign.insert(40, "*");
  const std::string no_body = "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----";
  const std::string turned = "-----END PRIVATE KEY-----AAAA-----BEGIN PRIVATE KEY-----";
  const std::string huge =
      "-----BEGIN PRIVATE KEY-----\n" + std::string(20'000, 'A') + "\n-----END PRIVATE KEY-----";
  for (const std::string& text :
       {std::string{}, foreign, no_body, turned, huge, "x" + pem("\n"), pem("\n", "PUBLIC KEY")}) {
    CHECK_FALSE(vertex::restored_private_key(text));
  }
}
