#pragma once
/// What travels between actors: small values and pointers to immutable ones. None leaves the
/// process, so none can be serialised. Payload bytes never do.

#include <caf/actor.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/atom.hpp>
#include <caf/type_id.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "config/snapshot.hpp"
#include "http/views.hpp"
#include "persistence/credential_store.hpp"
#include "persistence/store.hpp"
#include "protocol/surface.hpp"
#include "provider/catalog.hpp"
#include "provider/credential.hpp"
#include "provider/plain_reply.hpp"
#include "provider/token.hpp"
#include "quota/block_set.hpp"
#include "quota/outcome.hpp"
#include "quota/verdict.hpp"
#include "quota/windows.hpp"

namespace tidegate::actors {

/// What one request asks of its pool; fixed from its start to its end.
struct request_profile {
  std::string model;                          ///< as the client wrote it
  protocol::surface surface = protocol::surface::responses;
  std::uint32_t providers = 0;                ///< bit per provider::kind that serves the surface
  std::string session;                        ///< affinity key; empty = none
  std::optional<credential_id> pinned;        ///< only this credential
  config::snapshot_ptr config;                ///< settings in force when the request began
};
using profile_ptr = std::shared_ptr<const request_profile>;

/// Ids this request will not try again in the present round.
using tried_ptr = std::shared_ptr<const std::vector<credential_id>>;

/// A credential and one of the several backends that serve its alias.
using tried_backend = std::pair<credential_id, std::string>;

struct acquire_request {
  profile_ptr profile;
  tried_ptr tried;
  std::shared_ptr<const std::vector<tried_backend>> tried_backends;  ///< null = none
  int round = 0;  ///< members whose own retry limit is below it stay out
  std::optional<credential_id> only;  ///< this member and no other
  bool probe = false;                 ///< also inside its quota block
  bool waits = true;                  ///< for room, when nobody else is left
};

/// The right to one attempt.
struct lease {
  lease_id id;
  caf::actor owner;            ///< the credential_actor that wants the settlement
  provider::credential_ptr who;
  std::string upstream_model;  ///< name to send, without the request's suffix
  std::size_t backends = 1;    ///< how many serve this alias on this credential
  bool force_mapping = false;
};
using lease_ptr = std::shared_ptr<const lease>;

/// Asked of a credential on behalf of an executor.
struct grant_request {
  std::string model;                                        ///< client-visible name of the pool
  std::shared_ptr<const std::vector<std::string>> backends; ///< upstream names, one or an alias pool
  bool force_mapping = false;
  bool probe = false;                                       ///< also inside a quota block, if due
  std::vector<std::string> tried;                           ///< backends to leave out
};

/// A lease, or the id of the credential that refused, or nothing: the pool has nobody left.
struct grant {
  lease_ptr given;
  std::optional<credential_id> refused_by;
  bool full = false;  ///< the refuser has no room, or, from a pool, nobody had any within the wait
};

/// One credential behind a pool's model.
struct pool_member {
  caf::actor credential;                                    ///< a credential_actor
  provider::credential_ptr record;
  std::shared_ptr<const std::vector<std::string>> backends;
  bool force_mapping = false;
};

/// Membership of one pool under one configuration.
struct pool_start {
  std::string model;  ///< client-visible, without suffix
  config::snapshot_ptr config;
  std::vector<pool_member> members;
};
using pool_start_ptr = std::shared_ptr<const pool_start>;

/// The end of one attempt. A second settlement of the same lease changes nothing.
struct settlement {
  lease_id id;
  std::string upstream_model;
  quota::outcome outcome;
  std::optional<quota::window_report> windows;
};
using settlement_ptr = std::shared_ptr<const settlement>;

/// How a member's credential stands for one pool, pushed when it changes. Only ever a hint: the
/// credential itself decides on `grant`.
struct member_status {
  credential_id id;
  bool blocked = false;
  bool full = false;               ///< not blocked, but without room for one more request
  std::optional<instant> until;    ///< none while blocked = until further notice

  friend bool operator==(const member_status&, const member_status&) = default;
};

/// Asks a credential for its own account, as of `now`.
struct describe_request {
  std::uint64_t epoch = 0;  ///< the pool's round of questions
  instant now{};
  std::shared_ptr<const std::vector<std::string>> backends;
};
struct description {
  std::uint64_t epoch = 0;
  quota::candidate account;
};

/// The whole pool's account at one instant.
using pool_account_ptr = std::shared_ptr<const std::vector<quota::candidate>>;

/// What an executor tells its session to do next.
struct step {
  enum class kind : std::uint8_t {
    attempt,     ///< call upstream under `given`
    refuse,      ///< answer with `verdict`
  };
  kind what = kind::refuse;
  lease_ptr given;
  quota::verdict verdict;
};
using step_ptr = std::shared_ptr<const step>;

/// One credential and what it may go on from after a restart.
struct credential_start {
  provider::credential_ptr record;
  std::vector<quota::block> restored;
};

/// A configuration with the credential files that belong to it, read at the same time.
struct applied_config {
  config::snapshot_ptr config;
  std::shared_ptr<const std::vector<provider::credential_ptr>> credentials;
  std::vector<http::unusable_file> unusable_files{};
  std::shared_ptr<const http::file_looks> files{};
};

using http::credential_view;
using http::reload_view;
using credential_view_ptr = std::shared_ptr<const credential_view>;
using reload_view_ptr = std::shared_ptr<const reload_view>;

/// A node of the live tree: the actor's JSON state and the actors below it.
struct inspection {
  std::string json;
  std::vector<caf::actor> children;
};

/// Every credential's own view, in the order of their ids.
using credential_views_ptr = std::shared_ptr<const std::vector<credential_view_ptr>>;

using restored_ptr = std::shared_ptr<const std::vector<persistence::cooldown_record>>;

/// Credentials whose cooldowns are wanted back.
struct load_request {
  std::string root;
  std::vector<std::pair<credential_id, std::string>> wanted;  ///< id and credential file
};
using load_request_ptr = std::shared_ptr<const load_request>;

/// Operator switches that outlive a restart: credential -> disabled. They win over the record.
using switches = std::map<credential_id, bool>;
using switches_ptr = std::shared_ptr<const switches>;

struct save_request {
  std::string root;
  std::string file;  ///< the credential's own file; empty for a configured key
  persistence::cooldown_record record;
};
using save_request_ptr = std::shared_ptr<const save_request>;

/// A credential file held under its lock, which other processes honour; released with the last owner.
struct held_file {
  std::string root;
  std::string file;                                ///< relative to `root`
  std::shared_ptr<persistence::credential_edit> edit;  ///< the persistence actor's alone; null in tests
  secret_string text;
};
using held_file_ptr = std::shared_ptr<const held_file>;

/// `held` null: `why` says what was in the way. errc::unavailable: another process holds the lock.
struct held_answer {
  held_file_ptr held;
  std::optional<error> why;
};

using secret_ptr = std::shared_ptr<const secret_string>;

/// Empty = written.
using write_answer = std::optional<error>;

/// `view` null: `why` says what was in the way, and nothing has changed.
struct switch_answer {
  credential_view_ptr view;
  std::optional<error> why;
};

using fetched_ptr = std::shared_ptr<const result<provider::plain_reply>>;

/// Wants new tokens for `who`.
struct renewal_request {
  provider::credential_ptr who;
  config::snapshot_ptr config;
};

/// `renewed` null: `why` says what failed. Otherwise its tokens are on disk.
struct renewal {
  provider::credential_ptr renewed;
  provider::refresh_failure why;
};

}  // namespace tidegate::actors

CAF_BEGIN_TYPE_ID_BLOCK(tidegate, caf::first_custom_type_id)
CAF_ADD_ATOM(tidegate, tidegate::actors, acquire_atom, "acquire")
CAF_ADD_ATOM(tidegate, tidegate::actors, grant_atom, "grant")
CAF_ADD_ATOM(tidegate, tidegate::actors, settle_atom, "settle")
CAF_ADD_ATOM(tidegate, tidegate::actors, describe_atom, "describe")
CAF_ADD_ATOM(tidegate, tidegate::actors, described_atom, "described")
CAF_ADD_ATOM(tidegate, tidegate::actors, decide_atom, "decide")
CAF_ADD_ATOM(tidegate, tidegate::actors, subscribe_atom, "subscribe")
CAF_ADD_ATOM(tidegate, tidegate::actors, status_atom, "status")
CAF_ADD_ATOM(tidegate, tidegate::actors, clear_atom, "clear")
CAF_ADD_ATOM(tidegate, tidegate::actors, update_atom, "update")
CAF_ADD_ATOM(tidegate, tidegate::actors, unbind_atom, "unbind")
CAF_ADD_ATOM(tidegate, tidegate::actors, view_atom, "view")
CAF_ADD_ATOM(tidegate, tidegate::actors, next_atom, "next")
CAF_ADD_ATOM(tidegate, tidegate::actors, failed_atom, "failed")
CAF_ADD_ATOM(tidegate, tidegate::actors, finish_atom, "finish")
CAF_ADD_ATOM(tidegate, tidegate::actors, cancel_atom, "cancel")
CAF_ADD_ATOM(tidegate, tidegate::actors, apply_atom, "apply")
CAF_ADD_ATOM(tidegate, tidegate::actors, route_atom, "route")
CAF_ADD_ATOM(tidegate, tidegate::actors, reload_atom, "reload")
CAF_ADD_ATOM(tidegate, tidegate::actors, current_atom, "current")
CAF_ADD_ATOM(tidegate, tidegate::actors, touched_atom, "touched")
CAF_ADD_ATOM(tidegate, tidegate::actors, load_atom, "load")
CAF_ADD_ATOM(tidegate, tidegate::actors, save_atom, "save")
CAF_ADD_ATOM(tidegate, tidegate::actors, flush_atom, "flush")
CAF_ADD_ATOM(tidegate, tidegate::actors, inspect_atom, "inspect")
CAF_ADD_ATOM(tidegate, tidegate::actors, tree_atom, "tree")
CAF_ADD_ATOM(tidegate, tidegate::actors, tick_atom, "tick")
CAF_ADD_ATOM(tidegate, tidegate::actors, switch_atom, "switch")
CAF_ADD_ATOM(tidegate, tidegate::actors, poll_atom, "poll")
CAF_ADD_ATOM(tidegate, tidegate::actors, restart_atom, "restart")
CAF_ADD_ATOM(tidegate, tidegate::actors, retire_atom, "retire")
CAF_ADD_ATOM(tidegate, tidegate::actors, renew_atom, "renew")
CAF_ADD_ATOM(tidegate, tidegate::actors, fetched_atom, "fetched")
CAF_ADD_ATOM(tidegate, tidegate::actors, hold_atom, "hold")
CAF_ADD_ATOM(tidegate, tidegate::actors, keep_atom, "keep")
CAF_ADD_ATOM(tidegate, tidegate::actors, write_atom, "write")
CAF_ADD_ATOM(tidegate, tidegate::actors, confirm_atom, "confirm")
CAF_ADD_ATOM(tidegate, tidegate::actors, remove_atom, "remove")
CAF_END_TYPE_ID_BLOCK(tidegate)

#define TG_LOCAL_MESSAGE(type) CAF_ALLOW_UNSAFE_MESSAGE_TYPE(tidegate::actors::type)
TG_LOCAL_MESSAGE(acquire_request)
TG_LOCAL_MESSAGE(grant_request)
TG_LOCAL_MESSAGE(pool_start_ptr)
TG_LOCAL_MESSAGE(grant)
TG_LOCAL_MESSAGE(settlement_ptr)
TG_LOCAL_MESSAGE(member_status)
TG_LOCAL_MESSAGE(describe_request)
TG_LOCAL_MESSAGE(description)
TG_LOCAL_MESSAGE(profile_ptr)
TG_LOCAL_MESSAGE(pool_account_ptr)
TG_LOCAL_MESSAGE(step_ptr)
TG_LOCAL_MESSAGE(applied_config)
TG_LOCAL_MESSAGE(reload_view_ptr)
TG_LOCAL_MESSAGE(credential_view_ptr)
TG_LOCAL_MESSAGE(inspection)
TG_LOCAL_MESSAGE(credential_views_ptr)
TG_LOCAL_MESSAGE(restored_ptr)
TG_LOCAL_MESSAGE(load_request_ptr)
TG_LOCAL_MESSAGE(save_request_ptr)
TG_LOCAL_MESSAGE(switches_ptr)
TG_LOCAL_MESSAGE(held_file_ptr)
TG_LOCAL_MESSAGE(held_answer)
TG_LOCAL_MESSAGE(secret_ptr)
TG_LOCAL_MESSAGE(write_answer)
TG_LOCAL_MESSAGE(switch_answer)
TG_LOCAL_MESSAGE(renewal_request)
TG_LOCAL_MESSAGE(renewal)
TG_LOCAL_MESSAGE(fetched_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(tidegate::credential_id)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(tidegate::provider::credential_ptr)
#undef TG_LOCAL_MESSAGE
