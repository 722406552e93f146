/// What a user types and reads: the program's command line, its exit codes, its signals.

#include <signal.h>

#include "app/sim/server.hpp"
#include "tests/integration/program.hpp"
#include "tests/integration/rig.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/eventually.hpp"

namespace tidegate::test {
namespace {

struct ended {
  int code = 0;
  std::string text;
};

ended run(std::vector<std::string> arguments) {
  program p{std::move(arguments)};
  auto text = p.text_until("");
  return {p.code(), std::move(text)};
}

/// `DIR` becomes the path of the directory.
std::string placed(std::string text, const scratch_directory& in) {
  for (auto at = text.find("DIR"); at != std::string::npos; at = text.find("DIR")) {
    text.replace(at, 3, in.path().string());
  }
  return text;
}

/// `extra` is more of the root, in lines of their own.
std::string minimal(const scratch_directory& in, const std::string& extra = "") {
  return "server: {port: 0}\noauth: {auth-dir: " + (in / "auth") + "}\n" + extra;
}

}  // namespace

TEST_CASE("a configuration file is named with --config or without") {
  scratch_directory in;
  in.put("c.yaml", minimal(in));
  const auto file = in / "c.yaml";
  for (const std::string command : {"check-config", "print-config"}) {
    CAPTURE(command);
    const auto plain = run({command, file});
    CHECK(plain.code == 0);
    CHECK(plain.text == run({command, "--config", file}).text);
    CHECK(plain.text == run({command, "-c", file}).text);
  }
  program gateway{{"serve", file}};
  CHECK(port_in(gateway.text_until(listening)) != 0);
  gateway.send(SIGTERM);
  CHECK(gateway.code() == 0);
}

TEST_CASE("a wrong command line is explained in its own words and exits with 2") {
  const auto [arguments, expected] = GENERATE(table<std::vector<std::string>, std::string>({
      {{}, "tidegate: a command is needed: serve, check-config, print-config, sim, login, "
       "credentials\n"},
      {{"bogus"}, "tidegate: unknown command \"bogus\"\n"},
      {{"chek-config"}, "tidegate: unknown command \"chek-config\" (did you mean check-config?)\n"},
      {{"serv"}, "tidegate: unknown command \"serv\" (did you mean serve?)\n"},
      {{"--versoin"}, "tidegate: unknown option \"--versoin\" (did you mean --version?)\n"},
      {{"serve", "--confg", "c.yaml"},
       "tidegate serve: unknown option \"--confg\" (did you mean --config?)\n"},
      {{"sim", "--scirpt=s.yaml"},
       "tidegate sim: unknown option \"--scirpt\" (did you mean --script?)\n"},
      {{"sim"}, "tidegate sim: --script is required\n"},
      {{"serve", "a.yaml", "b.yaml"}, "tidegate serve: unexpected argument \"b.yaml\"\n"},
      {{"check-config", "a.yaml", "--config", "b.yaml"},
       "tidegate check-config: the configuration file is named twice; give FILE or --config "
       "FILE\n"},
      {{"serve", "--config", ""},
       "tidegate serve: the name of the configuration file is empty\n"},
  }));
  CAPTURE(arguments);
  const auto r = run(arguments);
  CHECK(r.code == 2);
  CHECK_THAT(r.text, ContainsSubstring(expected));
}

TEST_CASE("only the help of a command that reloads on SIGHUP says so") {
  for (const std::string command :
       {"serve", "check-config", "print-config", "sim", "login", "credentials"}) {
    CAPTURE(command);
    const auto r = run({command, "--help"});
    CHECK(r.code == 0);
    CHECK((r.text.find("SIGHUP") != std::string::npos) == (command == "serve"));
    CHECK_THAT(r.text, ContainsSubstring("Exit code: 0"));
  }
  CHECK(run({"--help"}).text.find("SIGHUP") == std::string::npos);
}

TEST_CASE("a file argument that is a directory or missing is refused for what it is") {
  scratch_directory in;
  const auto [arguments, expected] = GENERATE(table<std::vector<std::string>, std::string>({
      {{"sim", "--script", "DIR"}, "is a directory"},
      {{"sim", "--script", "DIR/none.yaml"}, "No such file"},
      {{"check-config", "DIR"}, "is a directory, not a regular file"},
      {{"print-config", "DIR"}, "is a directory, not a regular file"},
      {{"serve", "DIR"}, "is a directory, not a regular file"},
      {{"check-config", "DIR/none.yaml"}, "there is no"},
      {{"serve", "DIR/none.yaml"}, "there is no"},
  }));
  CAPTURE(arguments);
  auto given = arguments;
  given.back() = placed(given.back(), in);
  const auto r = run(given);
  CHECK(r.code == 1);
  CHECK_THAT(r.text, ContainsSubstring(expected));
  CHECK_THAT(r.text, ContainsSubstring(given.back()));
}

TEST_CASE("an empty script is said to be empty") {
  scratch_directory in;
  in.put("s.yaml", "# nothing\n");
  const auto r = run({"sim", "--script", in / "s.yaml"});
  CHECK(r.code == 1);
  CHECK_THAT(r.text, ContainsSubstring("the script is empty; it needs rules"));
}

TEST_CASE("files that a gateway could not use are found before the start, with line and column") {
  scratch_directory in;
  in.put("cert.pem", "no certificate\n");
  const auto [extra, expected] = GENERATE(table<std::string, std::string>({
      {"tls: {enable: true, cert: /no/such.pem, key: /no/such.pem}",
       "DIR/c.yaml:3:27: error: tls.cert: /no/such.pem: No such file"},
      {"server: {port: 0, tls: {enable: true, cert: DIR/cert.pem, key: /no/such.pem}}",
       ": error: server.tls.key: /no/such.pem: No such file"},
      {"tls: {enable: true, cert: DIR/cert.pem, key: DIR/c.yaml}",
       "DIR/c.yaml:3:27: error: tls.cert: DIR/cert.pem: "},
      {"requests: {ca-file: /no/such.pem}",
       "DIR/c.yaml:3:21: error: requests.ca-file: /no/such.pem: No such file"},
      {"requests: {ca-file: DIR/cert.pem}",
       "DIR/c.yaml:3:21: error: requests.ca-file: ca-file DIR/cert.pem holds no certificate"},
      {"oauth: {auth-dir: DIR/cert.pem}",
       "DIR/c.yaml:3:19: error: oauth.auth-dir: DIR/cert.pem: is not a directory"},
  }));
  CAPTURE(extra);
  const std::string server = extra.starts_with("server") ? "\n" : "server: {port: 0}\n";
  const std::string oauth = extra.starts_with("oauth") ? "\n" : "oauth: {auth-dir: DIR/auth}\n";
  in.put("c.yaml", placed(server + oauth + extra, in));
  for (const std::string command : {"check-config", "serve"}) {
    CAPTURE(command);
    const auto r = run({command, in / "c.yaml"});
    CHECK(r.code == 1);
    CHECK_THAT(r.text, ContainsSubstring(placed(expected, in)));
  }
}

TEST_CASE("client keys of which none is left keep the gateway from starting") {
  scratch_directory in;
  in.put("c.yaml", minimal(in, "access: {api-keys: [\"\"]}\n"));
  const auto r = run({"serve", in / "c.yaml"});
  CHECK(r.code == 1);
  CHECK_THAT(r.text, ContainsSubstring("no usable key remains"));
}

TEST_CASE("a second signal ends the drain at once, and the exit code stays 0") {
  const auto second = GENERATE(SIGTERM, SIGINT);
  hand_clock clock;
  sim::local_server upstream{
      *sim::parse_script("rules: [{replies: [{ok: {chunks: 2, gap-ms: 3600000}}]}]\n"), clock};
  scratch_directory in;
  auto keys = keys_of("codex", "gpt-x", 1);
  keys.replace(keys.find("${sim}"), 6, upstream->url());
  in.put("c.yaml", "server: {port: 0, timeouts: {drain: 24h}}\noauth: {auth-dir: " + (in / "auth") +
                       "}\napi-keys:\n" + keys);
  program gateway{{"serve", in / "c.yaml"}};
  const auto port = port_in(gateway.text_until(listening));
  const auto& on = surfaces().front();
  raw_client client{port};
  client.send(post(on.path, on.body(true), ""));
  REQUIRE(eventually([&] {
    const auto seen = upstream->requests();
    return seen && seen->count("codex-1") == 1;
  }));

  gateway.send(SIGTERM);
  gateway.text_until("a second signal cuts them");
  gateway.send(second);
  CHECK(gateway.code() == 0);
  CHECK_THAT(gateway.text_until(""), ContainsSubstring("1 requests cut on request"));
}

TEST_CASE("a second signal also ends the wait for a token that does not come") {
  hand_clock clock;
  sim::local_server upstream{
      *sim::parse_script("rules: [{path: \"*/oauth/token\", method: POST, "
                         "replies: [{fault: {never-answer: true}}]}]\n"),
      clock};
  scratch_directory in;
  in.put("auth/a.json", R"({"type":"codex","access_token":"a","refresh_token":"r",)"
                        R"("account_id":"c","expired":"2026-01-01T00:00:00Z"})");
  in.put("c.yaml", "server: {port: 0}\noauth: {auth-dir: " + (in / "auth") +
                       ", providers: {codex: {token-url: " + upstream->url() + "/oauth/token}}}\n");
  program gateway{{"serve", in / "c.yaml"}};
  gateway.text_until(listening);
  REQUIRE(eventually([&] { return !upstream->requests()->requests.empty(); }));
  gateway.send(SIGTERM);
  gateway.text_until("a second signal cuts them");
  gateway.send(SIGTERM);
  CHECK(gateway.code() == 0);
  CHECK_THAT(gateway.text_until(""), ContainsSubstring("a token renewal was cut on request"));
}

}  // namespace tidegate::test
