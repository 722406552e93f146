#include <algorithm>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "tests/unit/golden/files.hpp"
#include "tests/unit/golden/folded.hpp"
#include "tests/unit/golden/layout.hpp"
#include "tests/unit/golden/provider_rules.hpp"
#include "tests/unit/golden/translate.hpp"

namespace tidegate::golden {
namespace {

using nlohmann::json;
using protocol::event;

/// One client's protocol in front of one provider's, for one case.
class golden_case {
 public:
  golden_case(const side& client, const side& provider, const std::string& name)
      : client_(client),
        provider_(provider),
        asked_(read(input("requests", client, name + ".json"))),
        whole_(read(input("answers", provider, name + ".json"))),
        streamed_(read(input("answers", provider, name + ".sse"))),
        with_(context_of(client_model)) {}

  /// The provider's request and what it lost; empty = the client sends none.
  std::string request() {
    if (!asked_) return {};
    decoded_ = decode(client_, *asked_);
    if (!decoded_.what) return "refused: " + decoded_.what.error().detail + '\n';
    with_.request_body = *decoded_.body;
    auto made = encode(provider_, *decoded_.what);
    names_ = std::move(made.names);
    expect_acceptable(made.body);
    std::string lost;
    for (const auto rule : made.lost)
      lost += (lost.empty() ? "\"" : ",\"") + std::string{rule} + '"';
    return laid_out("{\"lost\":[" + lost + "],\"request\":" + made.body + '}');
  }

  /// The client's answer; empty = the provider gives none.
  std::string answer() {
    if (!whole_) return {};
    const auto events = provider_.codec.decode_answer(padded(*whole_), names_);
    if (!events) return "refused: " + events.error().detail + '\n';
    CHECK(order_fault(*events) == "");
    if (streamed_) {
      const auto in_pieces = events_of(provider_, names_, {*streamed_});
      CHECK(described(folded(*events)) == described(folded(in_pieces)));
    }
    answer_ = client_.codec.encode_answer(*events, with_);
    CHECK(json::accept(answer_));
    return laid_out(answer_);
  }

  std::string stream() {
    if (!streamed_) return {};
    const auto events = events_of(provider_, names_, {*streamed_});
    CHECK(order_fault(events) == "");
    auto made = stream_of(client_, events, with_);
    const auto seen = events_of(client_, {}, {made});
    CHECK(order_fault(seen) == "");
    if (!answer_.empty()) {
      const auto whole = client_.codec.decode_answer(padded(answer_), {});
      if (whole) CHECK(described(joined(folded(*whole))) == described(joined(folded(seen))));
    }
    return made;
  }

 private:
  static fs::path input(const char* folder, const side& of, const std::string& file) {
    return root() / folder / of.name / file;
  }

  /// The provider takes the request, and the gateway could read it as a client's.
  void expect_acceptable(const std::string& body) const {
    INFO(body);
    REQUIRE(json::accept(body));
    const auto again = decode(provider_, body);
    if (!again.what) FAIL_CHECK(again.what.error().detail);
    for (const auto& fault : provider_rules::faults(provider_.codec.form, json::parse(body))) {
      FAIL_CHECK(fault);
    }
  }

  const side& client_;
  const side& provider_;
  std::optional<std::string> asked_;
  std::optional<std::string> whole_;
  std::optional<std::string> streamed_;
  decoded_request decoded_;
  protocol::tool_names names_;
  protocol::answer_context with_;
  std::string answer_;
};

std::set<std::string> cases_of(const side& client, const side& provider) {
  auto all = cases_in(fs::path{"requests"} / client.name);
  all.merge(cases_in(fs::path{"answers"} / provider.name));
  return all;
}

void check_pair(const side& client, const side& provider) {
  expectations files{std::string{client.name} + "_to_" + std::string{provider.name}};
  for (const auto& name : cases_of(client, provider)) {
    INFO(client.name << " to " << provider.name << ": " << name);
    golden_case one{client, provider, name};
    const auto expect = [&](const char* file, const std::string& made) {
      if (!made.empty()) files.expect(name, file, made);
    };
    expect("request.json", one.request());
    expect("answer.json", one.answer());
    expect("stream.sse", one.stream());
  }
  files.expect_no_others();
}

}  // namespace

TEST_CASE("every client protocol reaches every provider as its goldens say") {
  for (const side& client : sides()) {
    for (const side& provider : sides()) check_pair(client, provider);
  }
}

/// Decoders see frames, encoders see events: when all frames are the same, so is what a client
/// sees.
TEST_CASE("a provider's stream says the same wherever its bytes are cut") {
  for (const side& provider : sides()) {
    const fs::path folder = fs::path{"answers"} / provider.name;
    for (const auto& name : cases_in(folder)) {
      const auto bytes = read(root() / folder / (name + ".sse"));
      if (!bytes) continue;
      INFO(provider.name << ": " << name);
      const std::string_view stream = *bytes;
      const auto frames = frames_of({stream});
      for (std::size_t cut = 1; cut < stream.size(); ++cut) {
        const bool same = frames_of({stream.substr(0, cut), stream.substr(cut)}) == frames;
        if (!same) FAIL_CHECK("cut at byte " << cut);
      }
      const auto whole = events_of(provider, {}, {stream});
      for (const std::size_t size : {1U, 7U, 64U}) {
        CHECK((events_of(provider, {}, pieces_of(stream, size)) == whole));
      }
    }
  }
}

}  // namespace tidegate::golden
