#pragma once
/// Every actor's interface: this file is the picture of who may say what to whom. An actor file
/// holds a state class (plain functions, testable) and a behaviour of one-line handlers.

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include "actors/messages.hpp"

namespace tidegate::actors {

/// What a credential sends to the pools it belongs to.
using member_feed = caf::typed_actor<
    // The credential's standing for this pool changed.
    caf::reacts_to<status_atom, member_status>,
    // Answer to describe.
    caf::reacts_to<described_atom, description>>;

/// Owns one credential's cooldowns, evidence, quota windows and in-flight count.
using credential_actor = caf::typed_actor<
    // The right to one attempt, or a refusal; answers the executor directly.
    caf::replies_to<grant_atom, grant_request>::with<grant>,
    // The end of an attempt; exactly one counts per lease.
    caf::reacts_to<settle_atom, settlement_ptr>,
    // Its own account for the backends in question, sent to the asking pool.
    caf::reacts_to<describe_atom, describe_request, member_feed>,
    // A pool wants to hear of changes for these backends.
    caf::reacts_to<subscribe_atom, grant_request, member_feed>,
    // Operator reset: every cooldown, or one model's when the name is not empty.
    caf::replies_to<clear_atom, std::string>::with<credential_view_ptr>,
    // New record (same id) or new settings.
    caf::reacts_to<update_atom, provider::credential_ptr, applied_config>,
    // The provider refused this lease's token. True: there is a newer one, and the attempt does not
    // count. False: it counts, and this credential has nothing better.
    caf::replies_to<renew_atom, settlement_ptr>::with<bool>,
    // Operator: renew the token now.
    caf::replies_to<renew_atom>::with<credential_view_ptr>,
    // INTERNAL: a renewal may be due.
    caf::reacts_to<tick_atom>,
    // Out of the configuration: saves nothing any more. Pools that do not know yet may still pick it.
    caf::reacts_to<retire_atom>,
    // For management.
    caf::replies_to<view_atom>::with<credential_view_ptr>,
    caf::replies_to<inspect_atom>::with<inspection>>;

/// One client-visible model: its members, whose turn it is, and their account when all refuse.
using pool_actor = member_feed::extend<
    // Picks a member and delegates to it; a grant without lease means nobody is left.
    caf::replies_to<acquire_atom, acquire_request>::with<grant>,
    // The account of every eligible member, whatever this request tried.
    caf::replies_to<decide_atom, profile_ptr>::with<pool_account_ptr>,
    // An affinity-bound session failed on this credential.
    caf::reacts_to<unbind_atom, std::string, credential_id>,
    // The sender no longer waits for room.
    caf::reacts_to<cancel_atom>,
    // New membership or settings; rotation, affinity and open rounds go on. True once in force.
    caf::replies_to<update_atom, pool_start_ptr>::with<bool>,
    // INTERNAL: a round of questions waited long enough.
    caf::reacts_to<tick_atom, std::uint64_t>,
    // INTERNAL: somebody may have waited long enough for room.
    caf::reacts_to<tick_atom>,
    caf::replies_to<inspect_atom>::with<inspection>>;

/// One exchange: attempts, retry rounds, cancellation. Lives as long as its request.
using executor_actor = caf::typed_actor<
    // What to do first.
    caf::replies_to<next_atom>::with<step_ptr>,
    // The attempt failed before the first byte; what now?
    caf::replies_to<failed_atom, settlement_ptr>::with<step_ptr>,
    // The attempt ended: answered, or failed after the first byte. Ends the executor.
    caf::reacts_to<finish_atom, settlement_ptr>,
    // The client left or the gateway drains. Ends the executor.
    caf::reacts_to<cancel_atom>,
    // INTERNAL: the wait before a retry round is over.
    caf::reacts_to<tick_atom>,
    caf::replies_to<inspect_atom>::with<inspection>>;

/// The only writer of files.
using persistence_actor = caf::typed_actor<
    // Keep this credential's cooldowns; written within the debounce interval.
    caf::reacts_to<save_atom, save_request_ptr>,
    // Bring cooldowns back; pending writes count.
    caf::replies_to<load_atom, load_request_ptr>::with<restored_ptr>,
    // Operator switches: bring them back, or keep these. The text is the directory.
    caf::replies_to<switch_atom, std::string>::with<switches_ptr>,
    caf::replies_to<switch_atom, std::string, switches_ptr>::with<write_answer>,
    // One credential file under its lock, re-read: the directory and the path below it.
    caf::replies_to<hold_atom, std::string, std::string>::with<held_answer>,
    // The same file as it is now, still under the lock.
    caf::replies_to<hold_atom, held_file_ptr>::with<held_answer>,
    // Before new tokens are asked for: its text is kept beside it until confirmed.
    caf::replies_to<keep_atom, held_file_ptr>::with<write_answer>,
    // A new text for it.
    caf::replies_to<write_atom, held_file_ptr, secret_ptr>::with<write_answer>,
    // A file as it is, without its lock.
    caf::replies_to<load_atom, std::string, std::string>::with<held_answer>,
    // A new file; refused when there is one of this name.
    caf::replies_to<write_atom, std::string, std::string, secret_ptr>::with<write_answer>,
    // Deletes a file with what lies beside it.
    caf::replies_to<remove_atom, std::string, std::string>::with<write_answer>,
    // Its tokens have served: the earlier text can go.
    caf::reacts_to<confirm_atom, std::string, std::string>,
    // Write everything pending now.
    caf::replies_to<flush_atom>::with<bool>,
    // INTERNAL: the debounce interval is over.
    caf::reacts_to<tick_atom>,
    caf::replies_to<inspect_atom>::with<inspection>>;

/// Gets new tokens, one flight a credential, a bounded number at a time.
using renewer_actor = caf::typed_actor<
    // Answers when the new tokens are on disk, or with why there are none.
    caf::replies_to<renew_atom, renewal_request>::with<renewal>,
    // INTERNAL: the token endpoint answered this flight.
    caf::reacts_to<fetched_atom, credential_id, fetched_ptr>,
    // Take no more renewals; true when none is under way.
    caf::replies_to<flush_atom>::with<bool>,
    // A credential's file was read; tokens in it that were replaced give way to the newest.
    caf::reacts_to<write_atom, renewal_request>,
    // INTERNAL: write again what no file has taken.
    caf::reacts_to<write_atom, credential_id>,
    // INTERNAL: look again whether the file's lock is free.
    caf::reacts_to<tick_atom, credential_id>,
    caf::replies_to<inspect_atom>::with<inspection>>;

/// The directory model -> pool and the list of credentials; spawns, monitors, restarts, drains.
using gateway_actor = caf::typed_actor<
    // A validated configuration with its credentials; true once it is in force.
    caf::replies_to<apply_atom, applied_config>::with<bool>,
    // The pool of a requested model; an error when no credential serves it.
    caf::replies_to<route_atom, std::string>::with<pool_actor>,
    // Operator: forget one credential's cooldowns, or one model's when the name is not empty.
    caf::replies_to<clear_atom, credential_id, std::string>::with<credential_view_ptr>,
    // Operator: take a credential out of service or back; outlives a restart, else it is not done.
    caf::replies_to<switch_atom, credential_id, bool>::with<switch_answer>,
    // Operator: renew one credential's token now.
    caf::replies_to<renew_atom, credential_id>::with<credential_view_ptr>,
    // The gateway stops: true when no renewal is under way.
    caf::replies_to<flush_atom>::with<bool>,
    // A credential wants new tokens; passed on to the renewer.
    caf::replies_to<renew_atom, renewal_request>::with<renewal>,
    // A credential's file was read; passed on to the renewer.
    caf::reacts_to<write_atom, renewal_request>,
    // The actor of every credential, in the order of their ids.
    caf::replies_to<view_atom>::with<std::vector<credential_actor>>,
    // INTERNAL: bring a crashed credential or pool back.
    caf::reacts_to<restart_atom>,
    caf::replies_to<inspect_atom>::with<inspection>>;

/// The current and the last failed configuration.
using config_actor = caf::typed_actor<
    // Read the file now; answers when the result is in force or refused.
    caf::replies_to<reload_atom>::with<reload_view_ptr>,
    // The newest report.
    caf::replies_to<current_atom>::with<reload_view_ptr>,
    // Something near the file or the credential directory changed.
    caf::reacts_to<touched_atom>,
    // INTERNAL: debounce.
    caf::reacts_to<tick_atom>,
    // Look at the files, for file systems without change events; sent by the file watch.
    caf::reacts_to<poll_atom>,
    caf::replies_to<inspect_atom>::with<inspection>>;

/// Gathers what others say about themselves, one question at a time.
using inspector_actor = caf::typed_actor<
    // The live tree below the gateway, as JSON text.
    caf::replies_to<tree_atom>::with<std::string>,
    // Every credential's own view.
    caf::replies_to<view_atom>::with<credential_views_ptr>>;

}  // namespace tidegate::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(std::vector<tidegate::actors::credential_actor>)
