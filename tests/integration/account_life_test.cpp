/// Accounts in files: tokens that end, directories that change, two gateways on one directory.

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <array>
#include <atomic>
#include <filesystem>
#include <map>
#include <thread>

#include "actors/config_source.hpp"
#include "app/sim/server.hpp"
#include "base/time_text.hpp"
#include "tests/integration/program.hpp"
#include "tests/integration/rig.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/eventually.hpp"

namespace tidegate::test {
namespace {

using nlohmann::json;

std::string account(const std::string& access, const std::string& refresh, instant expires,
                    const json& more = json::object()) {
  json file{{"type", "codex"},
            {"email", "someone@example.com"},
            {"account_id", "acct-1"},
            {"access_token", access},
            {"refresh_token", refresh},
            {"expired", format_rfc3339(expires)},
            {"base_url", "${sim}/backend-api/codex"},
            {"kept", {{"by", "others"}}}};
  file.update(more);
  return file.dump(2);
}

/// Tokens last an hour; only those that the endpoint gave out are good.
rig_options with_accounts(std::map<std::string, std::string> files,
                          const std::string& lifetime = "1h") {
  rig_options options;
  options.sim_script =
      "rules:\n"
      "  - {path: \"*/oauth/token\", count-by: rule, replies: [{tokens: {access: "
      "planted-, lifetime: " +
      lifetime +
      "}}]}\n"
      "  - {key: planted-*, replies: [{ok: {}}]}\n"
      "  - {replies: [{error: {status: 401}}]}\n";
  options.oauth = "providers: {codex: {token-url: \"${sim}/oauth/token\"}}";
  options.files = std::move(files);
  return options;
}

int ask(rig& gateway, const std::string& model = "gpt-5.5") {
  const auto body = R"({"model":")" + model + R"(","input":"hello","stream":false})";
  return gateway.post("/v1/responses", body).status;
}

json file_of(rig& gateway, const std::string& name) {
  return json::parse(gateway.directory().text("auth/" + name));
}

/// The lock of a credential file, held by somebody else, who sees each look at it.
class foreign_lock {
 public:
  explicit foreign_lock(const std::string& path)
      : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)),
        watch_(::inotify_init1(IN_CLOEXEC)) {
    REQUIRE(::flock(file_, LOCK_EX | LOCK_NB) == 0);
    REQUIRE(::inotify_add_watch(watch_, path.c_str(), IN_OPEN) >= 0);
  }
  foreign_lock(const foreign_lock&) = delete;
  foreign_lock& operator=(const foreign_lock&) = delete;
  ~foreign_lock() {
    release();
    ::close(watch_);
  }

  /// Until somebody has looked at it this often.
  void await_looks(int count) {
    std::array<char, 4096> events{};
    while (count > 0) {
      const auto got = ::read(watch_, events.data(), events.size());
      REQUIRE(got > 0);
      count -= static_cast<int>(static_cast<std::size_t>(got) / sizeof(inotify_event));
    }
  }
  void release() {
    if (file_ >= 0) ::close(std::exchange(file_, -1));
  }

 private:
  int file_;
  int watch_;
};

/// Token requests of the upstream's journal.
std::size_t renewals(rig& gateway) {
  const auto seen = gateway.upstream().requests();
  std::size_t count = 0;
  for (const auto& one : seen->requests) count += one.target.ends_with("/oauth/token") ? 1U : 0U;
  return count;
}

}  // namespace

TEST_CASE("an account whose token has ended serves its first request with a new one") {
  rig gateway{with_accounts({{"a.json", account("ended", "planted-refresh-1", t0 - std::chrono::hours{1})}})};
  CHECK(ask(gateway) == 200);
  const auto file = file_of(gateway, "a.json");
  CHECK(file["access_token"] == "planted-1");
  CHECK(file["refresh_token"] == "planted-r1");
  CHECK(file["kept"]["by"] == "others");
  CHECK(ask(gateway) == 200);
  CHECK(renewals(gateway) == 1);
  CHECK(eventually([&] { return !gateway.directory().has("auth/.a.json.bak"); }));
}

TEST_CASE("a token that the provider refuses is renewed once, and the same account serves") {
  rig gateway{
      with_accounts({{"a.json", account("revoked", "planted-refresh-1", t0 + std::chrono::hours{240})}})};
  CHECK(ask(gateway) == 200);
  CHECK(file_of(gateway, "a.json")["access_token"] == "planted-1");
  CHECK(renewals(gateway) == 1);
}

TEST_CASE("a void login is told by what it is, and a new file brings it back") {
  auto options =
      with_accounts({{"a.json", account("ended", "planted-refresh-1", t0 - std::chrono::hours{1})}});
  options.sim_script =
      "rules:\n"
      "  - {path: \"*/oauth/token\", replies: [{error: {status: 400, body: "
      "'{\"error\":\"invalid_grant\"}'}}]}\n"
      "  - {key: planted-good, replies: [{ok: {}}]}\n";
  rig gateway{std::move(options)};
  CHECK(ask(gateway) == 503);
  const auto list =
      json::parse(gateway.get("/v0/management/auth-files?name=a.json", operator_key).body);
  CHECK(list["files"][0]["token"]["state"] == "rejected");
  CHECK(list["files"][0]["status"] == "disabled");
  gateway.directory().put("auth/a.json", gateway.filled(account("planted-good", "planted-refresh-2",
                                                                t0 + std::chrono::hours{240})));
  CHECK(eventually([&] { return ask(gateway) == 200; }));
}

TEST_CASE("files come, change, break and go while the gateway serves") {
  const auto good = [](const json& more = json::object()) {
    return account("planted-good", "r", t0 + std::chrono::hours{240}, more);
  };
  rig gateway{with_accounts({})};
  const auto& directory = gateway.directory();
  CHECK(ask(gateway) == 400);
  directory.put("auth/.new", gateway.filled(good()));
  std::filesystem::rename(directory / "auth/.new", directory / "auth/a.json");
  REQUIRE(eventually([&] { return ask(gateway) == 200; }));

  directory.put("auth/a.json", "{\"type\":");
  REQUIRE(eventually([&] {
    const auto list = json::parse(gateway.get("/v0/management/auth-files", operator_key).body);
    return list["files"].dump().find("file_error") != std::string::npos;
  }));
  CHECK(ask(gateway) == 200);

  directory.put("auth/a.json", gateway.filled(good({{"prefix", "team"}})));
  REQUIRE(eventually([&] { return ask(gateway, "team/gpt-5.5") == 200; }));

  std::filesystem::rename(directory / "auth/a.json", directory / "auth/b.json");
  REQUIRE(eventually([&] {
    const auto list =
        json::parse(gateway.get("/v0/management/auth-files?name=b.json", operator_key).body);
    return list["files"].size() == 1;
  }));
  CHECK(ask(gateway) == 200);
  std::filesystem::remove(directory / "auth/b.json");
  REQUIRE(eventually([&] { return ask(gateway) == 400; }));
}

TEST_CASE("management puts files up, changes them and takes them away, at once") {
  rig gateway{with_accounts({})};
  const auto text = gateway.filled(account("planted-good", "r", t0 + std::chrono::hours{240}));
  CHECK(gateway.request("POST", "/v8/management/credentials?name=a.json", text, operator_key)
            .status == 200);
  CHECK(ask(gateway) == 200);
  CHECK(gateway
            .request("PATCH", "/v0/management/auth-files/fields",
                     R"({"name":"a.json","prefix":"team","kept":null})", operator_key)
            .status == 400);
  CHECK(gateway
            .request("PATCH", "/v0/management/auth-files/fields",
                     R"({"name":"a.json","prefix":"team"})", operator_key)
            .status == 200);
  CHECK(ask(gateway, "team/gpt-5.5") == 200);
  CHECK(file_of(gateway, "a.json")["kept"]["by"] == "others");
  CHECK(
      gateway.request("DELETE", "/v0/management/auth-files?name=a.json", "", operator_key).status ==
      200);
  CHECK(ask(gateway) == 400);
  CHECK_FALSE(gateway.directory().has("auth/a.json"));
  for (const auto* name : {"../x.json", ".x.json", "x.txt", "a/b.json"}) {
    CHECK(gateway
              .request("POST", std::string{"/v0/management/auth-files?name="} + name, text,
                       operator_key)
              .status == 400);
  }
}

TEST_CASE("management waits for whoever holds a file's lock, and then does what it was asked") {
  const auto good = account("planted-good", "r", t0 + std::chrono::hours{240});
  const auto [method, query, body] = GENERATE(table<std::string, std::string, std::string>({
      {"DELETE", "?name=a.json", ""},
      {"PATCH", "/fields", R"({"name":"a.json","note":"kept"})"},
      {"POST", "?name=a.json", "${good}"},
  }));
  CAPTURE(method);
  rig gateway{with_accounts({{"a.json", good}})};
  foreign_lock lock{gateway.directory() / "auth/.a.json.lock"};
  int status = 0;
  std::thread caller{[&, verb = method, path = "/v0/management/auth-files" + query,
                      text = body == "${good}" ? gateway.filled(good) : body] {
    status = gateway.request(verb, path, text, operator_key).status;
  }};
  lock.await_looks(2);
  lock.release();
  caller.join();
  CHECK(status == 200);
  CHECK(gateway.directory().has("auth/a.json") == (method != "DELETE"));
}

TEST_CASE("a file that another program holds too long is a 503 with Retry-After, and stays") {
  const auto good = account("planted-good", "r", t0 + std::chrono::hours{240});
  rig files{with_accounts({{"a.json", good}})};
  app::runtime_options same;
  same.config_path = files.directory() / "config.yaml";
  same.source = actors::file_config_source(same.config_path);
  same.first = same.source.read();
  same.threads = 2;
  same.clock = std::shared_ptr<const wall_clock>{std::shared_ptr<void>{}, &files.clock()};
  same.lock_waits = {std::chrono::milliseconds{0}, std::chrono::milliseconds{1}};
  app::runtime gateway{std::move(same)};
  REQUIRE(gateway.start());
  const foreign_lock lock{files.directory() / "auth/.a.json.lock"};
  raw_client client{gateway.port()};
  client.send("DELETE /v0/management/auth-files?name=a.json HTTP/1.1\r\nHost: x\r\n" +
              std::string{operator_key} + "\r\n");
  const auto answer = client.receive();
  CHECK(answer.status == 503);
  CHECK(answer.field("retry-after") == "5");
  CHECK_THAT(answer.body, ContainsSubstring("a.json is held by another program") &&
                              ContainsSubstring("try again") &&
                              !ContainsSubstring(files.directory().path().string()));
  CHECK(files.directory().has("auth/a.json"));
}

TEST_CASE("a switch that cannot be saved is an error and does not hold") {
  const auto good = account("planted-good", "r", t0 + std::chrono::hours{240});
  rig gateway{with_accounts({{"a.json", good}})};
  std::filesystem::create_directory(gateway.directory() / "auth/.operator-switches.json");
  const auto answer =
      gateway.request("PATCH", "/v0/management/auth-files/status",
                      R"({"name":"a.json","disabled":true})", operator_key);
  CHECK(answer.status == 500);
  CHECK_THAT(answer.body, ContainsSubstring("cannot be saved and stays as it was") &&
                              !ContainsSubstring(gateway.directory().path().string()));
  CHECK(ask(gateway) == 200);
  std::filesystem::remove(gateway.directory() / "auth/.operator-switches.json");
  CHECK(gateway
            .request("PATCH", "/v0/management/auth-files/status",
                     R"({"name":"a.json","disabled":true})", operator_key)
            .status == 200);
  CHECK(ask(gateway) != 200);
}

TEST_CASE("management calls a name that is no file the caller's mistake, and tells no place") {
  rig gateway{with_accounts({{"a.json", account("planted-good", "r", t0 + std::chrono::hours{240})}})};
  const auto folder = gateway.directory().path() / "auth";
  std::filesystem::create_directory(folder / "folder.json");
  std::filesystem::create_symlink("/etc/passwd", folder / "link.json");
  REQUIRE(::mkfifo((folder / "pipe.json").c_str(), 0600) == 0);
  const auto text = gateway.filled(account("planted-good", "r", t0 + std::chrono::hours{240}));
  const auto refused = [&](const std::string& method, const std::string& name,
                           const std::string& tail = "") {
    CAPTURE(method, name);
    const auto answer = gateway.request(method, "/v0/management/auth-files" + tail + "?name=" + name,
                                        method == "POST" ? text : "", operator_key);
    CHECK(answer.status == 400);
    CHECK_THAT(answer.body, !ContainsSubstring(gateway.directory().path().string()));
    return answer.body;
  };
  const std::string long_name = std::string(300, 'n') + ".json";
  CHECK_THAT(refused("GET", long_name, "/download"), ContainsSubstring("longer than"));
  refused("POST", long_name);
  refused("DELETE", long_name);
  CHECK_THAT(refused("GET", "link.json", "/download"), ContainsSubstring("symbolic link"));
  CHECK_THAT(refused("GET", "pipe.json", "/download"), ContainsSubstring("a pipe"));
  CHECK_THAT(refused("GET", "folder.json", "/download"), ContainsSubstring("a directory"));
  CHECK_THAT(refused("DELETE", "folder.json"), ContainsSubstring("a directory"));
  CHECK_THAT(refused("POST", "link.json"), ContainsSubstring("symbolic link"));
  CHECK_THAT(refused("POST", "%20.json"), ContainsSubstring("no blank at either end"));
  CHECK_THAT(refused("POST", "%ff.json"), ContainsSubstring("not UTF-8"));
}

TEST_CASE("why a token was not renewed tells no place, neither to the operator nor to clients") {
  rig gateway{with_accounts({{"a.json", account("ended", "r", t0 - std::chrono::hours{1})}})};
  std::filesystem::create_directory(gateway.directory() / "auth/.a.json.lock");
  const auto refresh = gateway.request("POST", "/v0/management/auth-files/refresh",
                                       R"({"name":"a.json"})", operator_key);
  CHECK(refresh.status == 503);
  CHECK_THAT(refresh.body, ContainsSubstring("cannot lock .a.json.lock"));
  const auto list = json::parse(gateway.get("/v0/management/auth-files", operator_key).body);
  const auto client = gateway.post("/v1/responses", R"({"model":"gpt-5.5","input":"hello"})");
  CHECK(client.status == 503);
  CHECK_THAT(client.body, ContainsSubstring("cannot lock .a.json.lock"));
  const auto place = gateway.directory().path().string();
  for (const auto& text : {refresh.body, list["files"][0]["token"].dump(),
                           list["files"][0]["status_message"].dump(), client.body}) {
    CHECK_THAT(text, !ContainsSubstring(place));
  }
}

TEST_CASE("the list tells size and time of each file, and who else may read it") {
  const auto good = account("planted-good", "r", t0 + std::chrono::hours{240});
  rig gateway{with_accounts({{"a.json", good}, {"b.json", good}})};
  const auto auth = gateway.directory() / "auth";
  REQUIRE(::chmod((auth + "/a.json").c_str(), 0600) == 0);
  REQUIRE(::chmod((auth + "/b.json").c_str(), 0644) == 0);
  REQUIRE(::chmod(auth.c_str(), 0777) == 0);
  const auto reload = gateway.request("POST", "/v0/management/reload", "{}", operator_key);
  CHECK_THAT(reload.body, ContainsSubstring("b.json: warning: its mode 0644"));
  const auto list = json::parse(gateway.get("/v0/management/auth-files", operator_key).body);
  CHECK_THAT(list["warnings"].dump(), ContainsSubstring("chmod 700"));
  for (const auto& file : list["files"]) {
    if (file["source"] != "file") continue;
    CAPTURE(file["name"]);
    CHECK(file["size"] == gateway.filled(good).size());
    CHECK(file["modtime"].is_string());
    CHECK(file["updated_at"] == file["modtime"]);
    CHECK(file.contains("warnings") == (file["name"] == "b.json"));
  }
  struct stat info {};
  REQUIRE(::stat((auth + "/b.json").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777U) == 0644);
}

TEST_CASE("management refuses a file or a setting that names no address, by its field") {
  const auto text = account("planted-good", "r", t0 + std::chrono::hours{240});
  rig gateway{with_accounts({{"a.json", text}})};
  const auto [field, value] = GENERATE(table<std::string, std::string>({
      {"proxy_url", "http://p.example:99999"},
      {"proxy_url", "ftp://p.example"},
      {"base_url", "https://user:word@own.example"},
      {"base_url", "https://own.example:0"},
      {"base_url", "own.example"},
      {"prefix", "a\x07z"},
  }));
  CAPTURE(field, value);
  json with = json::parse(gateway.filled(text));
  with[field] = value;
  const auto put = gateway.request("POST", "/v0/management/auth-files?name=b.json", with.dump(),
                                   operator_key);
  CHECK(put.status == 400);
  CHECK_THAT(put.body, ContainsSubstring("`" + field + "`"));
  CHECK_FALSE(gateway.directory().has("auth/b.json"));
  const auto patch = gateway.request("PATCH", "/v0/management/auth-files/fields",
                                     json{{"name", "a.json"}, {field, value}}.dump(), operator_key);
  CHECK(patch.status == 400);
  CHECK_THAT(patch.body, ContainsSubstring("`" + field + "`"));
  gateway.directory().put("auth/b.json", with.dump());
  CHECK(gateway.request("POST", "/v0/management/reload", "{}", operator_key).status == 200);
  const auto list =
      json::parse(gateway.get("/v0/management/auth-files?name=b.json", operator_key).body);
  REQUIRE(list["files"].size() == 1);
  CHECK_THAT(list["files"][0]["file_error"].get<std::string>(), ContainsSubstring("`" + field + "`"));
}

TEST_CASE("a malformed or hostile file is named with its reason, and the rest serve") {
  const auto good = account("planted-good", "r", t0 + std::chrono::hours{240});
  std::string deep(100'000, '[');
  rig gateway{with_accounts({{"good.json", good},
                             {"truncated.json", good.substr(0, 40)},
                             {"deep.json", deep},
                             {"array.json", "[]"},
                             {"types.json", R"({"type":"codex","access_token":7})"},
                             {"empty.json", ""}})};
  const auto& directory = gateway.directory();
  REQUIRE(::mkfifo((directory / "auth/pipe.json").c_str(), 0600) == 0);
  std::filesystem::create_symlink("/etc/passwd", directory / "auth/outside.json");
  directory.put("auth/big.json", "");
  std::filesystem::resize_file(directory / "auth/big.json", 1024UL * 1024 * 1024);
  CHECK(gateway.request("POST", "/v0/management/reload", "{}", operator_key).status == 200);
  const auto list = json::parse(gateway.get("/v0/management/auth-files", operator_key).body);
  std::map<std::string, std::string> reasons;
  for (const auto& file : list["files"]) {
    if (file.contains("file_error")) reasons[file["name"]] = file["file_error"];
  }
  for (const auto* name : {"truncated.json", "deep.json", "array.json", "types.json", "empty.json",
                           "pipe.json", "outside.json", "big.json"}) {
    CAPTURE(name);
    CHECK_FALSE(reasons[name].empty());
  }
  CHECK(ask(gateway) == 200);
}

TEST_CASE("two gateways on one directory use no refresh token twice") {
  auto options =
      with_accounts({{"a.json", account("ended", "planted-refresh-1", t0 - std::chrono::hours{1})}}, "1200s");
  rig first{std::move(options)};
  app::runtime_options same;
  same.config_path = first.directory() / "config.yaml";
  same.source = actors::file_config_source(same.config_path);
  same.first = same.source.read();
  same.threads = 2;
  same.clock = std::shared_ptr<const wall_clock>{std::shared_ptr<void>{}, &first.clock()};
  app::runtime second{std::move(same)};
  REQUIRE(second.start());
  std::atomic<int> served{0};
  const auto load = [&served, &first](std::uint16_t port) {
    for (int i = 0; i < 20; ++i) {
      first.clock().advance(std::chrono::seconds{60});
      raw_client client{port};
      client.send(post("/v1/responses", R"({"model":"gpt-5.5","input":"hello","stream":false})",
                       "Authorization: Bearer client-key\r\n"));
      if (client.receive().status == 200) ++served;
    }
  };
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) clients.emplace_back(load, i % 2 == 0 ? first.port() : second.port());
  for (auto& client : clients) client.join();
  CHECK(served == 80);
  const auto seen = first.upstream().requests();
  std::size_t renewed = 0;
  for (const auto& one : seen->requests) {
    if (!one.target.ends_with("/oauth/token")) continue;
    ++renewed;
    CHECK(one.status == 200);
  }
  CHECK(renewed > 2);
}

TEST_CASE("two processes on one directory use no refresh token twice, also when one is killed") {
  rig files{with_accounts({{"a.json", account("ended", "planted-refresh-1", from_unix(1))}})};
  const auto config = files.directory() / "config.yaml";
  program first{{"serve", config}};
  program second{{"serve", config}};
  const std::array<std::uint16_t, 2> ports{port_in(first.text_until(listening)),
                                           port_in(second.text_until(listening))};
  const auto ask_at = [](std::uint16_t port) {
    raw_client client{port};
    client.send(post("/v1/responses", R"({"model":"gpt-5.5","input":"hello","stream":false})",
                     "Authorization: Bearer client-key\r\n"));
    return client.receive().status;
  };
  std::atomic<int> served{0};
  std::vector<std::thread> clients;
  for (std::size_t i = 0; i < 4; ++i) {
    clients.emplace_back([&, port = ports[i % 2]] {
      for (int n = 0; n < 10; ++n) served += ask_at(port) == 200 ? 1 : 0;
    });
  }
  for (auto& client : clients) client.join();
  CHECK(served == 40);

  auto text = account("ended", "planted-refresh-2", from_unix(1));
  files.directory().put("auth/a.json", files.filled(text));
  first.send(SIGKILL);
  REQUIRE(eventually([&] { return ask_at(ports[1]) == 200; }));
  const auto seen = files.upstream().requests();
  for (const auto& one : seen->requests) {
    if (one.target.ends_with("/oauth/token")) CHECK(one.status == 200);
  }
}

}  // namespace tidegate::test
