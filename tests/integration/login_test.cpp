/// Account logins and credential files as a person at a terminal sees them: the program, its exit
/// codes, the files that it leaves.

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>

#include "base/base64.hpp"
#include "persistence/credential_store.hpp"
#include "tests/integration/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/login_endpoints.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/support/scratch_directory.hpp"
#include "tests/support/signing_key.hpp"

namespace tidegate::test {
namespace {

using nlohmann::json;

struct program_end {
  int code = 0;
  std::string text;
};

program_end run_program(std::vector<std::string> arguments) {
  program p{std::move(arguments)};
  auto text = p.text_until("");
  return {p.code(), std::move(text)};
}

std::string token_answer(const std::string& access, const std::string& refresh) {
  const auto claims = R"({"email":"bob@example.com"})";
  const json tokens{{"access_token", access},
                    {"refresh_token", refresh},
                    {"id_token", "x." + base64url(claims) + ".x"},
                    {"expires_in", 3600}};
  return reply(200, tokens.dump());
}

/// A directory with a configuration whose logins go to scripted endpoints.
struct login_place {
  explicit login_place(std::map<std::string, std::vector<std::string>> replies, int port = 0)
      : at(std::move(replies)) {
    const auto client = at.client();
    std::string providers;
    for (const std::string name : {"codex", "xai", "kimi"}) {
      providers += "    " + name + ": {token-url: \"" + client.token_url + "\", device-url: \"" +
                   client.device_url + "\"" +
                   (name == "codex" ? ", authorize-url: \"" + client.authorize_url + "\"" : "") +
                   "}\n";
    }
    in.put("c.yaml", "server: {port: " + std::to_string(port) + "}\noauth:\n  auth-dir: " +
                         (in / "auth") + "\n  providers:\n" + providers);
  }

  std::vector<std::string> command(std::vector<std::string> words) const {
    words.insert(words.end(), {"--config", in / "c.yaml"});
    return words;
  }
  program_end run_with(std::vector<std::string> words) const { return run_program(command(std::move(words))); }
  json file(const std::string& name) const { return json::parse(in.text("auth/" + name)); }

  login_endpoints at;
  scratch_directory in;
};

/// A browser login under way.
struct browser_login {
  explicit browser_login(const login_place& place)
      : p(place.command({"login", "codex", "--no-browser", "--callback-port", "0"})) {
    const std::string mark = "Waiting for the browser on 127.0.0.1:";
    const auto waiting = p.text_until(mark);
    port = static_cast<std::uint16_t>(std::stoi(waiting.substr(waiting.find(mark) + mark.size())));
    const auto page = p.text_until("/authorize?");
    const auto begin = page.find("state=") + 6;
    state = page.substr(begin, page.find('&', begin) - begin);
  }

  raw_response come_back(const std::string& query) const {
    raw_client browser{port};
    browser.send("GET /auth/callback?" + query + " HTTP/1.1\r\nHost: localhost:1455\r\n\r\n");
    return browser.receive();
  }
  program_end end() {
    auto text = p.text_until("");
    return {p.code(), std::move(text)};
  }

  program p;
  std::uint16_t port = 0;
  std::string state;
};

unsigned mode_of(const std::string& path) {
  struct stat info {};
  ::stat(path.c_str(), &info);
  return info.st_mode & 0777U;
}

}  // namespace

TEST_CASE("login codex: the browser comes back, and the account is a file for its owner only") {
  const login_place place{
      {{"/token", {token_answer("at-secret-1", "rt-secret-1"), token_answer("at-2", "rt-2")}}}};
  browser_login login{place};
  CHECK(login.come_back("code=c&state=" + std::string(32, '0')).status == 400);
  CHECK(login.come_back("code=c-1&state=" + login.state).status == 200);
  const auto r = login.end();
  CHECK(r.code == 0);
  CHECK_THAT(r.text,
             ContainsSubstring("Logged in as bob@example.com") && !ContainsSubstring("secret"));
  const std::string name = "codex-bob@example.com.json";
  CHECK(mode_of(place.in / ("auth/" + name)) == 0600);
  auto file = place.file(name);
  CHECK(file["access_token"] == "at-secret-1");
  CHECK_THAT(place.at.seen("/token").at(0), ContainsSubstring("code=c-1"));

  file["priority"] = 5;
  place.in.put("auth/" + name, file.dump());
  browser_login again{place};
  again.p.type("nonsense\n");
  again.p.text_until("no answer to this login");
  again.p.type("http://localhost:1455/auth/callback?code=c-2&state=" + again.state + "\n");
  const auto second = again.end();
  CHECK(second.code == 0);
  CHECK_THAT(second.text, ContainsSubstring("its settings are kept"));
  CHECK(place.file(name)["access_token"] == "at-2");
  CHECK(place.file(name)["priority"] == 5);
  CHECK_FALSE(place.in.has("auth/." + name + ".bak"));
}

TEST_CASE("login codex: what was refused leaves no file and says how to go on") {
  const login_place place{{{"/token", {reply(400, R"({"error":"invalid_grant"})")}}}};
  browser_login login{place};
  const bool denied = GENERATE(true, false);
  login.come_back((denied ? "error=access_denied&state=" : "code=c&state=") + login.state);
  const auto r = login.end();
  CHECK(r.code == 1);
  CHECK_THAT(r.text, ContainsSubstring("Begin again with: tidegate login codex"));
  CHECK(place.in.text("auth/codex-bob@example.com.json").empty());
}

TEST_CASE("login xai: on another device, with the end that it has there") {
  const auto [answer, code] = GENERATE(table<std::string, int>({
      {token_answer("at-1", "rt-1"), 0},
      {reply(400, R"({"error":"access_denied"})"), 1},
      {reply(400, R"({"error":"expired_token"})"), 3},
  }));
  const login_place place{{{"/device",
                            {reply(200, R"({"device_code":"d","user_code":"AB-CD","interval":0,)"
                                        R"("verification_uri":"https://v.example/d"})")}},
                           {"/token", {answer}}}};
  const auto r = place.run_with({"login", "xai"});
  CHECK(r.code == code);
  CHECK_THAT(r.text, ContainsSubstring("https://v.example/d") && ContainsSubstring("AB-CD"));
  CHECK(place.in.has("auth/xai-bob@example.com.json") == (code == 0));
}

TEST_CASE("logins that are not for this program say what to use instead") {
  const login_place place{{}};
  for (const std::string name : {"claude", "antigravity", "gemini"}) {
    const auto r = place.run_with({"login", name});
    CHECK(r.code == 1);
    CHECK_THAT(r.text, ContainsSubstring("api-keys."));
  }
  for (const auto& words : {std::vector<std::string>{"login", "codx"},
                            {"login", "codex", "file.json"},
                            {"login", "vertex"},
                            {"login", "xai", "--prefix", "x"},
                            {"login", "kimi", "--callback-port", "5"},
                            {"credentials", "lst"},
                            {"credentials", "show"},
                            {"credentials", "list", "x"},
                            {"credentials", "show", "x", "--name", "y"}}) {
    CAPTURE(words);
    CHECK(place.run_with(words).code == 2);
  }
  CHECK_THAT(place.run_with({"login", "kimi", "--callback-port", "5"}).text,
             ContainsSubstring("--callback-port is for codex"));
  CHECK_THAT(place.run_with({"login", "codx"}).text, ContainsSubstring("did you mean codex?"));
}

TEST_CASE("login vertex: a service account key becomes a credential") {
  const login_place place{{}};
  const json key{{"type", "service_account"},
                 {"project_id", "my-project"},
                 {"private_key", signing_key_pem()},
                 {"client_email", "bot@my-project.example"}};
  place.in.put("key.json", key.dump());
  const auto r = place.run_with(
      {"login", "vertex", place.in / "key.json", "--location", "europe-west4", "--prefix", "g"});
  CHECK(r.code == 0);
  CHECK(place.file("vertex-g-my-project.json")["location"] == "europe-west4");
  CHECK(place.run_with({"login", "vertex", place.in / "none.json"}).code == 1);
  place.in.put("key.json", "{}");
  CHECK_THAT(place.run_with({"login", "vertex", place.in / "key.json"}).text,
             ContainsSubstring("invalid service account"));
}

TEST_CASE("login vertex: a file that is no key is told with what a key has") {
  const login_place place{{}};
  const std::string text = GENERATE("{}", "no json", R"({"type":"service_account"})");
  place.in.put("key.json", text);
  const auto r = place.run_with({"login", "vertex", place.in / "key.json"});
  CHECK(r.code == 1);
  CHECK_THAT(r.text, ContainsSubstring("key.json: ") && ContainsSubstring("client_email") &&
                         ContainsSubstring("private_key"));
  CHECK_FALSE(place.in.has("auth"));
}

TEST_CASE("credentials: a file's life from import to removal, its secrets never shown") {
  const login_place place{{{"/token", {token_answer("at-secret-2", "rt-secret-2")}}}};
  const auto cli = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "credentials");
    auto r = place.run_with(std::move(words));
    CHECK_THAT(r.text, !ContainsSubstring("secret"));
    return r;
  };
  CHECK_THAT(cli({"list"}).text, ContainsSubstring("no credential files"));
  place.in.put("auth.json", json{{"tokens",
                                  {{"access_token", "at-secret-1"},
                                   {"refresh_token", "rt-secret-1"},
                                   {"account_id", "acct-1"}}}}
                                .dump());
  const auto imported = cli({"import", place.in / "auth.json", "--name", "mine.json"});
  CHECK(imported.code == 0);
  CHECK_THAT(imported.text, ContainsSubstring("a login of Codex CLI"));
  CHECK(cli({"import", place.in / "c.yaml"}).code == 1);

  CHECK(cli({"disable", "mine.json"}).code == 0);
  CHECK(place.file("mine.json")["disabled"] == true);
  const auto list = json::parse(cli({"list", "--json"}).text);
  CHECK(list["files"][0]["disabled"] == true);
  CHECK(cli({"enable", "mine.json"}).code == 0);
  CHECK_THAT(cli({"list"}).text, !ContainsSubstring("warning"));
  REQUIRE(::chmod((place.in / "auth/mine.json").c_str(), 0644) == 0);
  REQUIRE(::chmod((place.in / "auth").c_str(), 0770) == 0);
  CHECK_THAT(cli({"list"}).text, ContainsSubstring("warning: mine.json: its mode 0644") &&
                                     ContainsSubstring("warning: the credential directory"));
  CHECK(json::parse(cli({"list", "--json"}).text)["warnings"].size() == 1);
  REQUIRE(::chmod((place.in / "auth/mine.json").c_str(), 0600) == 0);
  CHECK(json::parse(cli({"show", "mine.json", "--json"}).text)["file"]["account_id"] == "acct-1");
  CHECK(cli({"show", "mine.json"}).code == 0);
  place.in.put("auth/huge.json", R"({"type":"claude","access_token":"at","size":1e400})");
  CHECK(json::parse(cli({"show", "huge.json", "--json"}).text)["file"].contains("size"));
  CHECK(cli({"remove", "huge.json"}).code == 0);

  CHECK(cli({"refresh", "mine.json"}).code == 0);
  CHECK(place.file("mine.json")["access_token"] == "at-secret-2");
  CHECK_THAT(place.at.seen("/token").at(0), ContainsSubstring("refresh_token=rt-secret-1"));
  // Until a gateway has served with the new token.
  CHECK(json::parse(place.in.text("auth/.mine.json.bak"))["refresh_token"] == "rt-secret-1");

  for (const std::string action : {"show", "disable", "refresh", "remove", "reset"}) {
    CAPTURE(action);
    const auto r = cli({action, "none.json"});
    CHECK(r.code == 1);
    CHECK_THAT(r.text, ContainsSubstring("credentials list"));
  }
  CHECK(cli({"show", "../c.yaml"}).code == 1);
  CHECK(cli({"remove", "mine.json"}).code == 0);
  CHECK_FALSE(place.in.has("auth/mine.json"));
}

TEST_CASE("credentials: of two files with one login none is renewed, and both are named") {
  const login_place place{{{"/token", {token_answer("at-2", "rt-2")}}}};
  for (const auto* name : {"auth/a.json", "auth/b.json"}) {
    place.in.put(name, R"({"type":"codex","access_token":"at-1","refresh_token":"rt-1"})");
    REQUIRE(::chmod((place.in / name).c_str(), 0600) == 0);
  }
  REQUIRE(::chmod((place.in / "auth").c_str(), 0700) == 0);
  const auto files =
      json::parse(place.run_with({"credentials", "list", "--json"}).text)["files"];
  CHECK(files[0]["same_login_as"] == "b.json");
  CHECK(files[1]["same_login_as"] == "a.json");
  CHECK_THAT(place.run_with({"credentials", "list"}).text,
             ContainsSubstring("warning: a.json: has the same login as b.json"));
  for (const auto* name : {"a.json", "b.json"}) {
    const auto refused = place.run_with({"credentials", "refresh", name});
    CHECK(refused.code == 1);
    CHECK_THAT(refused.text, ContainsSubstring("remove one of them first"));
  }
  CHECK(place.at.seen("/token").empty());
  CHECK(place.run_with({"credentials", "remove", "b.json"}).code == 0);
  CHECK(place.run_with({"credentials", "refresh", "a.json"}).code == 0);
}

TEST_CASE("credentials list: a switch of management is the state that is told") {
  const login_place place{{}};
  for (const std::string name : {"off", "on", "own"}) {
    place.in.put("auth/" + name + ".json",
                 json{{"type", "codex"}, {"access_token", "a"}, {"disabled", name == "on"}}.dump());
  }
  place.in.put("auth/.operator-switches.json",
               R"({"version":1,"disabled":{"off.json":true,"on.json":false,"own.json":7}})");
  const auto files =
      json::parse(place.run_with({"credentials", "list", "--json"}).text)["files"];
  REQUIRE(files.size() == 3);
  CHECK((files[0]["disabled"] == true && files[0]["switched_by_management"] == true));
  CHECK((files[1]["disabled"] == false && files[1]["switched_by_management"] == true));
  CHECK((files[2]["disabled"] == false && !files[2].contains("switched_by_management")));
  CHECK_THAT(place.run_with({"credentials", "list"}).text,
             ContainsSubstring("disabled by management"));
  CHECK_THAT(place.run_with({"credentials", "show", "on.json"}).text,
             ContainsSubstring("enabled by management"));
}

TEST_CASE("credentials list: a directory that cannot be read is an error") {
  const login_place place{{}};
  place.in.put("auth", "no directory");
  for (const auto& words : {std::vector<std::string>{"credentials", "list"},
                            {"credentials", "list", "--json"}}) {
    const auto r = place.run_with(words);
    CHECK(r.code == 1);
    CHECK_THAT(r.text, ContainsSubstring("is not a readable directory; set oauth.auth-dir") &&
                           !ContainsSubstring("unusable"));
  }
}

TEST_CASE("credentials: what is no file is told by what it is, and no pipe is waited for") {
  const login_place place{{}};
  std::filesystem::create_directories(place.in.path() / "auth/folder.json");
  std::filesystem::create_symlink(place.in.path() / "c.yaml", place.in.path() / "auth/link.json");
  REQUIRE(::mkfifo((place.in / "auth/pipe.json").c_str(), 0600) == 0);
  const auto told = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "credentials");
    const auto r = place.run_with(std::move(words));
    CHECK(r.code == 1);
    CHECK_THAT(r.text, !ContainsSubstring("No such file"));
    return r.text;
  };
  for (const std::string action : {"show", "refresh", "disable"}) {
    CAPTURE(action);
    CHECK_THAT(told({action, "folder.json"}), ContainsSubstring("is a directory"));
    CHECK_THAT(told({action, "link.json"}), ContainsSubstring("is a symbolic link"));
    CHECK_THAT(told({action, "pipe.json"}), ContainsSubstring("is a pipe"));
  }
  CHECK_THAT(told({"remove", "folder.json"}), ContainsSubstring("is a directory"));
  CHECK_THAT(told({"import", place.in / "auth/folder.json"}), ContainsSubstring("is a directory"));
  CHECK_THAT(told({"import", place.in / "auth/pipe.json"}), ContainsSubstring("is a pipe"));
  CHECK(place.run_with({"credentials", "import", place.in / "c.yaml", "--name", ""}).code == 2);
}

TEST_CASE("credentials: what a person did wrong is told with the file, the rule and the way on") {
  const login_place place{{}};
  const std::string text = R"({"type":"codex","access_token":"a","refresh_token":"r"})";
  place.in.put("a.orig", text);
  const auto named = place.run_with({"credentials", "import", place.in / "a.orig", "--name",
                                     "../x.json"});
  CHECK(named.code == 1);
  CHECK_THAT(named.text, ContainsSubstring("--name ../x.json: a name ends in .json") &&
                             !ContainsSubstring("give one"));
  CHECK_FALSE(place.in.has("x.json"));
  CHECK_THAT(place.run_with({"credentials", "import", place.in / "a.orig"}).text,
             ContainsSubstring("give one with --name"));
  place.in.put("auth/g.json", R"({"type":)");
  for (const std::string action : {"show", "disable", "enable", "refresh"}) {
    CAPTURE(action);
    const auto r = place.run_with({"credentials", action, "g.json"});
    CHECK(r.code == 1);
    CHECK_THAT(r.text, ContainsSubstring("g.json: not valid JSON; correct the file"));
  }
}

TEST_CASE("credentials: a file that another program holds is waited for, and that is told") {
  const login_place place{{}};
  place.in.put("auth/a.json", R"({"type":"codex","access_token":"a","refresh_token":"r"})");
  std::optional<program> p;
  {
    const auto held = persistence::credential_store{place.in / "auth"}.edit("a.json");
    REQUIRE(held.has_value());
    p.emplace(place.command({"credentials", "disable", "a.json"}));
    CHECK_THAT(p->text_until("waiting up to 40 seconds"),
               ContainsSubstring("a.json is held by another program"));
  }
  CHECK_THAT(p->text_until(""), ContainsSubstring("a.json is disabled"));
  CHECK(p->code() == 0);
  CHECK(place.file("a.json")["disabled"] == true);
}

TEST_CASE("credentials refresh: a void login is told, and the file stays as it was") {
  const login_place place{{{"/token", {reply(400, R"({"error":"invalid_grant"})")}}}};
  const std::string text = R"({"type":"codex","access_token":"a","refresh_token":"r"})";
  place.in.put("auth/a.json", text);
  const auto r = place.run_with({"credentials", "refresh", "a.json"});
  CHECK(r.code == 1);
  CHECK_THAT(r.text, ContainsSubstring("log in again"));
  CHECK(place.in.text("auth/a.json") == text);
  CHECK_FALSE(place.in.has("auth/.a.json.bak"));
}

TEST_CASE("credentials refresh: tokens written while it waited for the file are taken over") {
  const login_place place{{{"/token", {token_answer("at-3", "rt-3")}}}};
  const auto text = [](const std::string& n, const std::string& end) {
    return json{{"type", "codex"},
                {"access_token", "at-" + n},
                {"refresh_token", "rt-" + n},
                {"expired", end}}
        .dump();
  };
  const auto [end, renewed] = GENERATE(
      table<std::string, bool>({{"2199-01-01T00:00:00Z", false}, {"2001-01-01T00:00:00Z", true}}));
  place.in.put("auth/a.json", text("1", "2001-01-01T00:00:00Z"));
  std::optional<program> p;
  {
    auto held = persistence::credential_store{place.in / "auth"}.edit("a.json");
    REQUIRE(held.has_value());
    p.emplace(place.command({"credentials", "refresh", "a.json"}));
    p->text_until("is held by another program");
    REQUIRE(held->replace(text("2", end)).has_value());
  }
  const auto told = p->text_until("");
  CHECK(p->code() == 0);
  CHECK_THAT(told, ContainsSubstring(renewed ? ": renewed" : ": another program has renewed it"));
  CHECK(place.at.seen("/token").size() == (renewed ? 1 : 0));
  CHECK(place.file("a.json")["access_token"] == (renewed ? "at-3" : "at-2"));
}

TEST_CASE("credentials reset: by the gateway that runs, else in the file") {
  login_place place{{}};
  place.in.put("auth/a.json", R"({"type":"codex","access_token":"a","refresh_token":"r"})");
  place.in.put("auth/a.cds", R"({"version":1,"auth_id":"a.json","provider":"codex","records":[]})");
  const auto alone = place.run_with({"credentials", "reset", "a.json"});
  CHECK(alone.code == 0);
  CHECK_THAT(alone.text, ContainsSubstring("no gateway is running"));
  CHECK_FALSE(place.in.has("auth/a.cds"));

  const auto config = [&](std::uint16_t port, const std::string& key) {
    return "server: {port: " + std::to_string(port) +
           "}\noauth: {auth-dir: " + (place.in / "auth") + "}\nmanagement: {secret-key: " + key +
           "}\n";
  };
  place.in.put("g.yaml", config(0, "operator-key"));
  program gateway{{"serve", place.in / "g.yaml"}};
  const auto port = port_in(gateway.text_until(listening));
  place.in.put("c.yaml", config(port, "operator-key"));
  const auto through = place.run_with({"credentials", "reset", "a.json"});
  CHECK(through.code == 0);
  CHECK_THAT(through.text, ContainsSubstring("the running gateway has cleared"));
  place.in.put("c.yaml", config(port, "other-key"));
  const auto refused = place.run_with({"credentials", "reset", "a.json"});
  CHECK(refused.code == 1);
  CHECK_THAT(refused.text, ContainsSubstring("invalid management key"));
}

}  // namespace tidegate::test
