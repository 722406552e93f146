#include "actors/inspector.hpp"

#include <caf/all.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

namespace tidegate::actors {
namespace {

using pointer = inspector_actor::stateful_pointer<inspector_state>;
using json = nlohmann::json;

/// A walk over the tree, depth first with an explicit stack.
struct walk {
  // Each actor's own object is kept apart until the end: arrays of JSON move when they grow.
  struct seen {
    json self;
    std::size_t parent;
  };
  std::vector<std::pair<caf::actor, std::size_t>> open;  ///< actor and index of its parent
  std::vector<seen> nodes;
  std::set<caf::actor_id> known;
  caf::typed_response_promise<std::string> promise;

  std::string text() {
    for (auto i = nodes.size(); i-- > 1;) {
      nodes[nodes[i].parent].self["children"].push_back(std::move(nodes[i].self));
    }
    return nodes.front().self.dump(2, ' ', false, json::error_handler_t::replace);
  }
};

void ask_next(pointer self, const std::shared_ptr<walk>& through) {
  while (!through->open.empty() && through->nodes.size() < tree_nodes_max) {
    auto [who, parent] = std::move(through->open.back());
    through->open.pop_back();
    if (!who || !through->known.insert(who.id()).second) continue;
    const auto id = who.id();
    const auto add = [self, through, under = parent](json description,
                                                      const std::vector<caf::actor>& children) {
      through->nodes.push_back({std::move(description), under});
      const auto index = through->nodes.size() - 1;
      for (auto child = children.rbegin(); child != children.rend(); ++child) {
        through->open.emplace_back(*child, index);
      }
      ask_next(self, through);
    };
    self->request(who, inspect_timeout, inspect_atom_v)
        .then(
            [add, id](const inspection& answer) {
              auto description = json::parse(answer.json, nullptr, false);
              description["id_in_process"] = id;
              add(std::move(description), answer.children);
            },
            [add, id](const caf::error&) {
              add(json{{"actor", "gone"}, {"id_in_process", id}}, {});
            });
    return;
  }
  if (!through->open.empty()) {
    through->nodes.front().self["not_shown"] = through->open.size();
  }
  through->promise.deliver(through->text());
}

struct survey {
  std::vector<credential_actor> open;  ///< still to ask, last first
  std::vector<credential_view_ptr> views;
  caf::typed_response_promise<credential_views_ptr> promise;
};

void view_next(pointer self, const std::shared_ptr<survey>& of) {
  if (of->open.empty()) {
    of->promise.deliver(
        std::make_shared<const std::vector<credential_view_ptr>>(std::move(of->views)));
    return;
  }
  const auto next = of->open.back();
  of->open.pop_back();
  self->request(next, inspect_timeout, view_atom_v)
      .then(
          [self, of](const credential_view_ptr& view) {
            of->views.push_back(view);
            view_next(self, of);
          },
          [self, of](const caf::error&) { view_next(self, of); });
}

}  // namespace

inspector_actor::behavior_type inspector(pointer self, gateway_actor gateway,
                                         std::vector<caf::actor> roots) {
  return {
      [=](tree_atom) -> caf::result<std::string> {
        auto through = std::make_shared<walk>();
        through->promise = self->make_response_promise<std::string>();
        through->nodes.push_back({json{{"actor", "process"}}, 0});
        for (auto root = roots.rbegin(); root != roots.rend(); ++root) {
          through->open.emplace_back(*root, 0);
        }
        auto promise = through->promise;
        ask_next(self, through);
        return promise;
      },
      [=](view_atom) -> caf::result<credential_views_ptr> {
        auto of = std::make_shared<survey>();
        of->promise = self->make_response_promise<credential_views_ptr>();
        auto promise = of->promise;
        self->request(gateway, caf::infinite, view_atom_v)
            .then(
                [self, of](std::vector<credential_actor>& all) {
                  of->open.assign(all.rbegin(), all.rend());
                  view_next(self, of);
                },
                [of](const caf::error& reason) { of->promise.deliver(reason); });
        return promise;
      },
  };
}

}  // namespace tidegate::actors
