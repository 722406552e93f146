#include "config/parse.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <map>
#include <optional>
#include <streambuf>
#include <string>
#include <unordered_map>

namespace tidegate::config {
namespace {

/// Ends the parse from inside the library; caught in parse_document.
struct stop {
  position at;
  std::string text;
};

class view_buffer : public std::streambuf {
 public:
  explicit view_buffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());
    setg(begin, begin, begin + text.size());
  }
};

position place(const YAML::Mark& mark) {
  return {mark.line + 1, mark.column + 1};
}

bool is_plain_tag(const std::string& tag) {
  return tag == "?" || tag == "tag:yaml.org,2002:int" || tag == "tag:yaml.org,2002:bool";
}

struct frame {
  std::shared_ptr<node> tree;
  YAML::anchor_t anchor = 0;
  std::optional<member> pending;                     ///< a key that waits for its value
  std::unordered_map<std::string, position> seen{};  ///< keys of a mapping
};

class builder : public YAML::EventHandler {
 public:
  builder(const environment& env, report& out) : env_(env), out_(out) {}

  node_ptr root() const { return root_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (expects_key()) throw stop{place(mark), "a key is missing before the colon"};
    auto n = std::make_shared<node>();
    n->at = place(mark);
    attach(std::move(n), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (expects_key()) {
      take_key(place(mark), is_plain_tag(tag), value);
      return;
    }
    auto n = std::make_shared<node>();
    n->form = node::kind::scalar;
    n->plain = is_plain_tag(tag);
    n->at = place(mark);
    auto text = expand(value, env_);
    if (!text) out_.error(key_path(), n->at, text.error().detail);
    n->text = secret_string{text ? std::move(*text) : std::string{}};
    attach(std::move(n), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (expects_key()) throw stop{place(mark), "an alias cannot be a key"};
    const auto it = anchors_.find(anchor);
    if (it == anchors_.end()) throw stop{place(mark), "an alias stands inside its own anchor"};
    spend(it->second->count, place(mark));
    if (frames_.size() + it->second->height > depth_max) too_deep(place(mark));
    place_value(it->second);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(place(mark), anchor, node::kind::sequence);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(place(mark), anchor, node::kind::mapping);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  bool expects_key() const {
    return !frames_.empty() && frames_.back().tree->is(node::kind::mapping) &&
           !frames_.back().pending;
  }

  [[noreturn]] static void too_deep(position at) {
    throw stop{at, fmt::format("nested more than {} levels deep", depth_max)};
  }

  void spend(std::size_t nodes, position at) {
    if (nodes > nodes_max - spent_) {
      throw stop{at, fmt::format("more than {} values once aliases are written out", nodes_max)};
    }
    spent_ += nodes;
  }

  void take_key(position at, bool plain, const std::string& key) {
    auto& top = frames_.back();
    const auto [it, fresh] = top.seen.emplace(key, at);
    top.pending = member{key, plain, at, nullptr};
    if (!fresh && out_.full()) throw stop{at, "too many repeated keys"};
    if (!fresh) {
      out_.error(key_path(), at, fmt::format("the key is already set at line {}", it->second.line));
    }
  }

  std::string key_path() const {
    std::string path;
    for (const auto& f : frames_) {
      if (f.tree->is(node::kind::sequence)) {
        path += fmt::format("[{}]", f.tree->items.size());
      } else if (f.pending) {
        path += (path.empty() ? "" : ".") + f.pending->key;
      }
    }
    return path;
  }

  void open(position at, YAML::anchor_t anchor, node::kind form) {
    if (expects_key()) throw stop{at, "a key must be text"};
    if (frames_.size() >= depth_max) too_deep(at);
    spend(1, at);
    auto n = std::make_shared<node>();
    n->form = form;
    n->at = at;
    frames_.push_back({std::move(n), anchor, std::nullopt});
  }

  void close() {
    auto done = std::move(frames_.back());
    frames_.pop_back();
    if (done.tree->is(node::kind::mapping)) merge(*done.tree);
    finish(std::move(done.tree), done.anchor);
  }

  void attach(std::shared_ptr<node> n, YAML::anchor_t anchor) {
    spend(1, n->at);
    finish(std::move(n), anchor);
  }

  void finish(node_ptr n, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = n;
    place_value(std::move(n));
  }

  void place_value(node_ptr n) {
    if (frames_.empty()) {
      root_ = std::move(n);
      return;
    }
    auto& top = frames_.back();
    top.tree->count += n->count;
    top.tree->height = std::max(top.tree->height, n->height + 1);
    if (top.tree->is(node::kind::sequence)) {
      top.tree->items.push_back(std::move(n));
      return;
    }
    top.pending->value = std::move(n);
    top.tree->members.push_back(std::move(*top.pending));
    top.pending.reset();
  }

  void merge(node& map) {
    const auto it =
        std::ranges::find_if(map.members, [](const member& m) { return m.plain && m.key == "<<"; });
    if (it == map.members.end()) return;
    const member source = std::move(*it);
    map.members.erase(it);
    if (source.value->is(node::kind::sequence)) {
      for (const auto& item : source.value->items) merge_from(map, *item, source.at);
    } else {
      merge_from(map, *source.value, source.at);
    }
  }

  void merge_from(node& map, const node& source, position at) {
    if (!source.is(node::kind::mapping)) throw stop{at, "<< needs a mapping or a list of mappings"};
    std::unordered_map<std::string_view, bool> present;
    for (const auto& m : map.members) present.emplace(m.key, true);
    std::vector<member> added;
    for (const auto& m : source.members) {
      if (present.contains(m.key)) continue;
      spend(m.value->count, at);
      map.count += m.value->count;
      added.push_back(m);
    }
    map.members.insert(map.members.end(), added.begin(), added.end());
  }

  const environment& env_;
  report& out_;
  node_ptr root_;
  std::vector<frame> frames_;
  std::map<YAML::anchor_t, node_ptr> anchors_;
  std::size_t spent_ = 0;
};

/// Any event of a second document is one too many.
node_ptr run(std::string_view yaml, const environment& env, report& out) {
  view_buffer buffer(yaml);
  std::istream stream(&buffer);
  YAML::Parser parser(stream);
  builder first(env, out);
  if (!parser.HandleNextDocument(first)) return nullptr;
  builder second(env, out);
  if (parser.HandleNextDocument(second) && second.root()) {
    throw stop{second.root()->at, "the text holds more than one document"};
  }
  return first.root();
}

}  // namespace

node_ptr parse_document(std::string_view yaml, const environment& env, report& out) {
  if (yaml.size() > input_bytes_max) {
    out.error("", {}, fmt::format("the text is longer than {} bytes", input_bytes_max));
    return nullptr;
  }
  node_ptr root;
  try {
    root = run(yaml, env, out);
  } catch (const stop& s) {
    out.error("", s.at, s.text);
    return nullptr;
  } catch (const YAML::Exception& e) {
    out.error("", e.mark.is_null() ? position{} : place(e.mark), "not valid YAML: " + e.msg);
    return nullptr;
  } catch (const std::exception& e) {
    out.error("", {}, std::string{"the text cannot be read: "} + e.what());
    return nullptr;
  }
  if (!root || root->is(node::kind::null)) {
    out.error("", {}, "the text holds no settings; write {} to run with the defaults");
    return nullptr;
  }
  if (!root->is(node::kind::mapping)) {
    out.error("", root->at,
              "expected a mapping of settings, found " + std::string{describe(*root)});
    return nullptr;
  }
  return root;
}

}  // namespace tidegate::config
