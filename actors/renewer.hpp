#pragma once
/// The actor that gets new tokens: takes the credential file's lock, reads the file again, asks the
/// token endpoint, and answers only when what came is on disk. A file that another process renewed
/// meanwhile is taken over instead. Rules: spec/config-management.md 5.3 and 5.4.

#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>
#include <deque>
#include <map>
#include <optional>

#include "actors/environment.hpp"
#include "actors/interfaces.hpp"

namespace tidegate::actors {

/// Renewals at the same time; further ones wait in order.
inline constexpr std::size_t renewals_max = 16;
/// Looks at a lock that another process holds, and the pause between two: a minute and a half.
inline constexpr int lock_looks_max = 360;
inline constexpr std::chrono::milliseconds lock_look{250};
/// Pause before a token that could not be written is written again, and how often that is done by
/// itself: an hour. Later each renewal begins with it.
inline constexpr std::chrono::seconds write_look{5};
inline constexpr int write_looks_max = 720;
/// Times that a file may be renamed while one renewal's tokens are written to it.
inline constexpr int moves_max = 3;
/// Tokens that are remembered by those they replaced, so that an old text never brings these back;
/// beyond, the oldest that a file has taken is forgotten, else the oldest.
inline constexpr std::size_t given_max = 1000;

class renewer_state {
 public:
  static inline const char* name = "renewer";
  using pointer = renewer_actor::stateful_pointer<renewer_state>;

  void start(pointer self, environment_ptr env, persistence_actor persistence);
  caf::result<renewal> renew(const renewal_request& wanted);
  void on_fetched(const credential_id& id, const result<provider::plain_reply>& answer);
  /// Takes no more; true when the last one under way has ended.
  caf::result<bool> flush();
  void look_again(const credential_id& id);
  void write_again(const credential_id& id);
  /// A file was read: when its tokens were replaced, the newest are put into it.
  void look(const renewal_request& found);
  inspection inspect() const;

 private:
  struct under_way {
    renewal_request wanted;
    std::vector<caf::typed_response_promise<renewal>> waiting;
    held_file_ptr held;                ///< null for a service account: nothing of it is written
    provider::credential_ptr current;  ///< as the file says now
    secret_ptr text;                   ///< being written
    std::optional<renewal_request> elsewhere;  ///< a file that has its login meanwhile
    int looks = 0;                     ///< at the lock, in vain
    int moves = 0;                     ///< the file had another name when it was written
    bool looked_twice = false;  ///< the file was read again behind a rejection
    bool saves_only = false;    ///< writes what came earlier; nobody waits for new ones

    /// Stays when the file gets another name.
    const credential_id& id() const { return wanted.who->id; }
  };

  struct given {
    provider::fresh_tokens fresh;
    secret_string replaces;  ///< the refresh token that they were given for
    renewal_request wanted;  ///< empty once it is written
    int looks = 0;           ///< writes by itself
    bool armed = false;      ///< the next one is to come
    bool written = false;    ///< a file has taken it
  };

  void begin_queued();
  bool token_in_use(const secret_string& refresh_token) const;
  /// Writes what was given out and no file has taken; asks for nothing more once it is stopping.
  void save(const renewal_request& wanted);
  void hold(under_way& of);
  void on_held(const credential_id& id, const held_answer& answer);
  /// Goes on from the file's present text: takes over what is new in it, or asks for new tokens.
  void read(under_way& of);
  void ask(under_way& of);
  void send(under_way& of);
  void reread(under_way& of, provider::refresh_failure why);
  void on_tokens(under_way& of, provider::fresh_tokens fresh);
  void put_in(under_way& of);
  void on_not_read(under_way& of, const error& why);
  void write(under_way& of, const provider::fresh_tokens& fresh);
  void on_written(const credential_id& id, const write_answer& trouble);
  static result<provider::credential> record_of(const under_way& of, const secret_string& text);
  using given_tokens = std::deque<given>;
  /// The newest that came in place of this token.
  given_tokens::iterator newest_for(const secret_string& refresh_token);
  given_tokens::iterator unwritten_of(const credential_id& id);
  void remember(given what);
  /// What no file has taken is written again by itself, whatever was in the way.
  void arm_write(const credential_id& id);
  void finish(const credential_id& id, renewal end);
  void fail(const credential_id& id, provider::refresh_fault kind, std::string reason);

  pointer self_ = nullptr;
  environment_ptr env_;
  persistence_actor persistence_;
  std::map<credential_id, under_way> flights_;
  std::deque<under_way> queued_;
  /// What the provider gave out: written to whichever file has the refresh token that they replace
  /// before anything else is asked for, since that one is void by then.
  given_tokens given_;
  bool stopping_ = false;
  caf::typed_response_promise<bool> flushed_;
  std::uint64_t renewed_ = 0;
  std::uint64_t failed_ = 0;
};

renewer_actor::behavior_type renewer(renewer_state::pointer self, environment_ptr env,
                                     persistence_actor persistence);

}  // namespace tidegate::actors
