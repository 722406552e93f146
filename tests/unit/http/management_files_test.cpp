#include "base/log.hpp"
#include "http/management/multipart.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/http/management_rig.hpp"

namespace tidegate::test {
namespace {

held_credential account(const std::string& file) {
  auto out = codex_credential(file, {"gpt-example"});
  out.record.file = file;
  out.record.auth = provider::auth_kind::account;
  out.counters.token.state = "waiting";
  return out;
}

http::request form(const management_rig& rig, const std::string& body) {
  auto in = rig.call("POST", "", body);
  in.headers.insert("Content-Type", "multipart/form-data; boundary=\"b-1\"");
  return in;
}

std::string part(const std::string& file, const std::string& text) {
  return "--b-1\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + file +
         "\"\r\nContent-Type: application/json\r\n\r\n" + text + "\r\n";
}

}  // namespace

TEST_CASE("a file is uploaded as a body with a name, or as a form") {
  management_rig rig;
  CHECK(rig.send(rig.call("POST", "name=a.json", "{}"), "auth-files").body == R"({"status":"ok"})");
  CHECK(rig.send(form(rig, part("b.json", "{\"b\":1}") + "--b-1--\r\n"), "credentials").status ==
        200);
  CHECK(rig.plane.files.files ==
        std::map<std::string, std::string>{{"a.json", "{}"}, {"b.json", "{\"b\":1}"}});
}

TEST_CASE("of several uploads the good ones stay and the others are named") {
  management_rig rig;
  const auto reply =
      rig.send(form(rig, part("a.json", "{}") + part("b.json", "{") + "--b-1--"), "auth-files");
  CHECK(reply.status == 207);
  CHECK(body_of(reply) == json{{"status", "partial"},
                               {"uploaded", 1},
                               {"files", {"a.json"}},
                               {"failed", {{{"name", "b.json"}, {"error", "not a JSON object"}}}}});
}

TEST_CASE("an upload that says nothing of its file is refused") {
  management_rig rig;
  CHECK(rig.send(rig.call("POST", "", "{}"), "auth-files").status == 400);
  for (const std::string body : {"", "--b-1", "--b-1--", "--b-1\r\n", "--b-1\r\nno end\r\n--b-1--",
                                 "--b-1\r\n\r\n", "other", "--b-1\r\nA: b\r\n\r\nx\r\n--b-1--"}) {
    CAPTURE(body);
    CHECK(rig.send(form(rig, body), "auth-files").status == 400);
  }
}

TEST_CASE("a form's parts keep every byte of their bodies") {
  const std::string bytes = std::string{"\r\n--b\r\n\0", 8} + "--b-2";
  const std::string body =
      "--b-1\r\nContent-Disposition: form-data; name=x; filename=\"q\\\"q\"\r\n\r\n" + bytes +
      "\r\n--b-1--";
  const auto parts = http::management::form_parts("multipart/form-data; boundary=b-1", body);
  REQUIRE(parts);
  REQUIRE(parts->size() == 1);
  CHECK(parts->front().file_name == "q\"q");
  CHECK(parts->front().body == bytes);
}

TEST_CASE("a download hides what may be secret unless it is asked for") {
  management_rig rig;
  rig.plane.files.files["a.json"] =
      R"({"type":"codex","access_token":"secret-access-token","x":{"private_key":["secret-pem-bytes"]},)"
      R"("headers":{"X":"secret-header-value"},"email":"a@example.com","n":1})";
  const auto hidden = rig.get("auth-files/download", "name=a.json");
  CHECK(hidden.status == 200);
  CHECK_THAT(hidden.body, !ContainsSubstring("secret-access") && !ContainsSubstring("pem-by") &&
                              !ContainsSubstring("header-v") && ContainsSubstring("a@example.com"));
  CHECK(rig.get("auth-files/download", "name=a.json&reveal=true").body ==
        rig.plane.files.files["a.json"]);
  CHECK(rig.get("auth-files/download", "name=b.json").status == 404);
  CHECK(rig.get("auth-files/download").status == 400);
}

TEST_CASE("files are deleted by name, by list, or all") {
  management_rig rig;
  rig.plane.held = {account("a.json"), account("b.json"), codex_credential("codex:1", {"m"})};
  rig.plane.files.files = {{"a.json", "{}"}, {"b.json", "{}"}, {"c.json", "{}"}};
  CHECK(rig.send(rig.call("DELETE", "name=c.json"), "auth-files").body ==
        R"({"status":"ok","deleted":1})");
  CHECK(rig.send(rig.call("DELETE", "name=c.json"), "auth-files").status == 404);
  CHECK(rig.send(rig.call("DELETE", "", R"(["a.json","none.json"])"), "auth-files").status == 207);
  CHECK(rig.send(rig.call("DELETE", "all=true"), "credentials").status == 207);
  CHECK(rig.plane.files.files.empty());
  CHECK(rig.send(rig.call("DELETE"), "auth-files").status == 400);
}

TEST_CASE("all files are deleted in one go, those that cannot be used too") {
  management_rig rig;
  rig.plane.held = {account("a.json"), account("b.json")};
  rig.plane.next_reload.unusable_files = {{"b.json", "/d/b.json", "not JSON", true},
                                          {"x.json", "/d/x.json", "not JSON", false},
                                          {"", "/d", "cannot be read", false}};
  rig.plane.files.files = {{"a.json", "{}"}, {"b.json", "{}"}, {"x.json", "{\"refresh_token\""}};
  CHECK(rig.send(rig.call("DELETE", "all=true"), "auth-files").body ==
        R"({"status":"ok","deleted":3})");
  CHECK(rig.plane.files.files.empty());
  CHECK(rig.plane.files.removals == 1);
}

TEST_CASE("a file that is named twice is deleted once") {
  management_rig rig;
  rig.plane.files.files = {{"a.json", "{}"}};
  CHECK(rig.send(rig.call("DELETE", "", R"(["a.json","a.json"])"), "auth-files").body ==
        R"({"status":"ok","deleted":1})");
}

TEST_CASE("a body that names no file is told what it should be") {
  management_rig rig;
  const auto reply = rig.send(rig.call("DELETE", "", R"({"name":"a.json"})"), "auth-files");
  CHECK(reply.status == 400);
  CHECK_THAT(body_of(reply)["error"].get<std::string>(),
             ContainsSubstring(R"({"names": ["a.json"]})"));
}

TEST_CASE("`disabled` of a file's settings holds against an operator's switch") {
  management_rig rig;
  auto off = account("a.json");
  off.record.disabled = true;
  rig.plane.held = {off};
  const auto patch = [&](const json& body) {
    return rig.send(rig.call("PATCH", "", body.dump()), "auth-files/fields").status;
  };
  CHECK(patch({{"name", "a.json"}, {"note", "n"}}) == 200);
  CHECK(rig.plane.held[0].record.disabled);
  CHECK(patch({{"name", "a.json"}, {"disabled", false}}) == 200);
  CHECK_FALSE(rig.plane.held[0].record.disabled);
  CHECK(patch({{"name", "a.json"}, {"disabled", true}}) == 200);
  CHECK(rig.plane.held[0].record.disabled);
  CHECK(patch({{"name", "a.json"}, {"disabled", nullptr}}) == 200);
  CHECK_FALSE(rig.plane.held[0].record.disabled);
}

TEST_CASE("settings are changed in the file of the credential that is meant") {
  management_rig rig;
  rig.plane.held = {account("a.json"), codex_credential("codex:1", {"m"})};
  const auto index = provider::auth_index_of("a.json");
  const auto patch = [&](const json& body) {
    return rig.send(rig.call("PATCH", "", body.dump()), "auth-files/fields").status;
  };
  CHECK(patch({{"auth_index", index}, {"priority", 3}, {"note", nullptr}}) == 200);
  CHECK(rig.plane.files.patches["a.json"] == json{{"priority", 3}, {"note", nullptr}});
  CHECK(patch({{"name", "a.json"}}) == 400);
  CHECK(patch({{"priority", 3}}) == 400);
  CHECK(patch({{"name", "x.json"}, {"priority", 3}}) == 404);
  CHECK(patch({{"name", "codex:1"}, {"priority", 3}}) == 409);
}

TEST_CASE("a credential's own models are listed") {
  management_rig rig;
  rig.plane.held = {account("a.json"), codex_credential("codex:1", {"other"})};
  const auto body = body_of(rig.get("credentials/models", "name=codex:1"));
  REQUIRE(body["models"].size() == 1);
  CHECK(body["models"][0]["id"] == "other");
  CHECK(rig.get("auth-files/models", "name=none").status == 404);
}

TEST_CASE("tokens are renewed for one or for all, and a failure is told") {
  management_rig rig;
  rig.plane.held = {account("a.json"), codex_credential("codex:1", {"m"})};
  const auto renew = [&](const json& body) {
    return rig.send(rig.call("POST", "", body.dump()), "credentials/refresh");
  };
  CHECK(renew({{"name", "a.json"}}).status == 200);
  CHECK(renew({{"all", true}}).body ==
        R"({"status":"ok","files":[{"name":"a.json","status":"ok"}]})");
  rig.plane.renewal_trouble = "the provider does not answer";
  const auto later = renew({{"name", "a.json"}});
  CHECK(later.status == 503);
  CHECK(header_of(later, "Retry-After") == "5");
  CHECK(body_of(later) == json{{"error", "the provider does not answer"}});
  rig.plane.renewal_trouble = "the login is void";
  rig.plane.trouble_state = "rejected";
  const auto dead = renew({{"name", "a.json"}});
  CHECK(dead.status == 409);
  CHECK(body_of(dead) ==
        json{{"error", "the login is void; log in again: tidegate login codex"}});
  const auto none = renew({{"all", true}});
  CHECK(none.status == 409);
  CHECK(body_of(none)["status"] == "error");
  CHECK(body_of(none)["files"].size() == 1);
  CHECK(renew({{"name", "codex:1"}}).status == 400);
  CHECK(renew({{"name", "none"}}).status == 404);
  CHECK(renew(json::object()).status == 400);
}

TEST_CASE("a file that goes away during a renewal is named, and the others are renewed") {
  management_rig rig;
  rig.plane.held = {account("a.json"), account("b.json"), account("c.json"), account("d.json")};
  rig.plane.vanishing = "b.json";
  rig.plane.left = "c.json";
  const auto reply = rig.send(rig.call("POST", "", R"({"all":true})"), "auth-files/refresh");
  CHECK(reply.status == 207);
  const auto files = body_of(reply)["files"];
  REQUIRE(files.size() == 4);
  CHECK(files[0] == json{{"name", "a.json"}, {"status", "ok"}});
  for (const std::size_t at : {1U, 2U}) {
    CHECK(files[at]["status"] == "error");
    CHECK_THAT(files[at]["error"].get<std::string>(), ContainsSubstring("renamed or deleted"));
  }
  CHECK(files[3]["status"] == "ok");
}

TEST_CASE("only tokens that were renewed are logged as renewed") {
  management_rig rig;
  rig.plane.held = {account("a.json")};
  std::string lines;
  log::observe([&](log::level, std::string_view line) { lines.append(line).append("\n"); });
  rig.plane.renewal_trouble = "the login is void";
  rig.send(rig.call("POST", "", R"({"all":true})"), "auth-files/refresh");
  CHECK_THAT(lines, !ContainsSubstring("renewed"));
  rig.plane.renewal_trouble.clear();
  rig.send(rig.call("POST", "", R"({"all":true})"), "auth-files/refresh");
  CHECK_THAT(lines, ContainsSubstring("tokens of 1 of 1 credentials renewed"));
  log::observe({});
}

TEST_CASE("an upload of which nothing was taken is an error, however many files it has") {
  management_rig rig;
  const auto reply =
      rig.send(form(rig, part("a.json", "[") + part("b.json", "{") + "--b-1--"), "auth-files");
  CHECK(reply.status == 400);
  CHECK(body_of(reply)["status"] == "error");
  CHECK(body_of(reply)["error"] == "no file was uploaded");
  CHECK(body_of(reply)["failed"].size() == 2);
}

TEST_CASE("the list is cut into pages when asked, and names unusable files") {
  management_rig rig;
  rig.plane.held = {account("a.json"), account("b.json"), account("c.json")};
  rig.plane.next_reload.unusable_files = {{"b.json", "/d/b.json", "not JSON", true},
                                          {"x.json", "/d/x.json", "a pipe", false}};
  const auto whole = body_of(rig.get("auth-files"));
  CHECK(whole["total"] == 4);
  CHECK(whole["files"][1]["file_error"] == "not JSON");
  CHECK(whole["files"][3]["status"] == "error");
  CHECK(whole["files"][3]["status_message"] == "a pipe");
  const auto page = body_of(rig.get("credentials", "page=2&page_size=3"));
  CHECK(page["files"].size() == 1);
  CHECK(page["has_more"] == false);
  CHECK(body_of(rig.get("credentials", "page=1&page_size=3"))["has_more"] == true);
  CHECK(body_of(rig.get("credentials", "page=9"))["files"].empty());
  for (const auto* wrong : {"page=0", "page=x", "page_size=1001", "page=-1"}) {
    CHECK(rig.get("credentials", wrong).status == 400);
  }
  CHECK(body_of(rig.get("credentials", "page_size=1001"))["error"] ==
        "page_size is not a number from 1 to 1000");
}

TEST_CASE("what contradicts itself or is no known word is refused, and nothing happens") {
  struct row {
    const char* method;
    const char* tail;
    const char* query;
    const char* body;
    const char* text;
  };
  const auto each = GENERATE(
      row{"DELETE", "auth-files", "all=true&name=a.json", "", "exclude each other"},
      row{"DELETE", "auth-files", "all=true", R"(["a.json"])", "exclude each other"},
      row{"DELETE", "auth-files", "all=yes", "", "all is true or false"},
      row{"DELETE", "auth-files", "name=a.json", R"(["a.json"])", "exclude each other"},
      row{"DELETE", "auth-files", "", R"({"names":["a.json"],"names":[]})", "there twice"},
      row{"DELETE", "auth-files", "name=%ff.json", "", "not UTF-8"},
      row{"GET", "auth-files/download", "name=a.json&reveal=1", "", "reveal is true or false"},
      row{"GET", "auth-files/download", "name=a%0a.json", "", "control character"},
      row{"POST", "auth-files/refresh", "", R"({"all":true,"name":"a.json"})", "exclude each other"},
      row{"POST", "auth-files/refresh", "", R"({"all":"true"})", "all is true or false"},
      row{"PATCH", "auth-files/fields", "", R"({"name":"x","name":"a.json","note":"n"})",
          "`name` is there twice"});
  CAPTURE(each.tail, each.query, each.body);
  management_rig rig;
  rig.plane.files.files["a.json"] = "{}";
  const auto reply = rig.send(rig.call(each.method, each.query, each.body), each.tail);
  CHECK(reply.status == 400);
  CHECK_THAT(body_of(reply)["error"].get<std::string>(), ContainsSubstring(each.text));
  CHECK(rig.plane.files.files.contains("a.json"));
  CHECK(rig.plane.files.patches.empty());
}

TEST_CASE("a form that has one file twice is refused") {
  management_rig rig;
  const std::string part =
      "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.json\"\r\n\r\n{}\r\n";
  auto in = rig.call("POST", "", part + part + "--b--\r\n");
  in.headers.insert("Content-Type", "multipart/form-data; boundary=b");
  const auto reply = rig.send(std::move(in), "auth-files");
  CHECK(reply.status == 400);
  CHECK_THAT(reply.body, ContainsSubstring("a.json twice"));
  CHECK(rig.plane.files.files.empty());
}

TEST_CASE("a call that is not to be made is refused by the field that is wrong") {
  const auto [body, text] = GENERATE(table<std::string, std::string>({
      {R"({"url":"http://127.0.0.1:1"})", "missing method"},
      {R"({"method":"CONNECT","url":"http://127.0.0.1:1"})", "method must be"},
      {R"({"method":"TRACE","url":"http://127.0.0.1:1"})", "method must be"},
      {R"({"method":"get","url":"http://127.0.0.1:1"})", "method must be"},
      {R"({"method":"GET / HTTP/1.1","url":"http://127.0.0.1:1"})", "method must be"},
      {R"({"method":7,"url":"http://127.0.0.1:1"})", "method is not a text"},
      {R"({"method":"GET"})", "missing url"},
      {R"({"method":"GET","url":"ftp://a"})", "invalid url"},
      {R"({"method":"GET","url":"http://u:p@a"})", "invalid url"},
      {R"({"method":"GET","url":"http://a:0"})", "invalid url"},
      {R"({"method":"GET","url":"http://a\r\nb"})", "invalid url"},
      {R"({"method":"GET","url":"http://a","proxy_url":"p:1"})", "proxy_url must be"},
      {R"({"method":"GET","url":"http://a","header":{"X A":"1"}})", "header X A"},
      {R"({"method":"GET","url":"http://a","header":{"X-A":"1\r\nX-B: 2"}})", "header X-A"},
      {R"({"method":"GET","url":"http://a","header":{"X\n":"1"}})", "header X"},
      {R"({"method":"GET","url":"http://a","header":{"Content-Length":"1"}})", "Content-Length"},
      {R"({"method":"GET","url":"http://a","header":[]})", "header is an object"},
      {R"({"method":"GET","method":"PUT","url":"http://a"})", "`method` is there twice"},
      {R"({"method":"GET","url":"http://a","headers":{"X-A":"1"}})", "headers is no member"},
  }));
  CAPTURE(body);
  management_rig rig;
  const auto reply = rig.send(rig.call("POST", "", body), "api-call");
  CHECK(reply.status == 400);
  CHECK_THAT(body_of(reply)["error"].get<std::string>(), ContainsSubstring(text));
}

TEST_CASE("a call with a credential is logged by whose it is and where it goes") {
  management_rig rig;
  auto who = account("a.json");
  who.record.secret = secret_string{"sample-access-token"};
  rig.plane.held = {who};
  std::string lines;
  log::observe([&](log::level, std::string_view line) { lines.append(line).append("\n"); });
  const json call{{"name", "a.json"},
                  {"method", "GET"},
                  {"url", "http://127.0.0.1:1/path-word?query-word"},
                  {"header", {{"Authorization", "Bearer $TOKEN$"}}}};
  rig.send(rig.call("POST", "", call.dump()), "api-call");
  log::observe({});
  CHECK_THAT(lines, ContainsSubstring("GET to 127.0.0.1 with the credential a.json from 127.0.0.1"));
  CHECK_THAT(lines, !ContainsSubstring("path-word") && !ContainsSubstring("query-word") &&
                        !ContainsSubstring("sample-access"));
}

}  // namespace tidegate::test
