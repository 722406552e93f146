#include "app/account_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <optional>
#include <system_error>
#include <thread>

#include "actors/config_source.hpp"
#include "config/check.hpp"
#include "config/load.hpp"
#include "config/parse.hpp"
#include "persistence/store.hpp"
#include "provider/login/account_text.hpp"

namespace tidegate::app {
namespace {

/// A renewal holds a file while it asks the provider.
constexpr std::chrono::seconds lock_patience{40};
constexpr std::chrono::milliseconds lock_look{200};

bool is_held(const error& why) {
  return why.code == errc::unavailable;
}

}  // namespace

config::snapshot_ptr settings_of(const std::string& path, bool chosen) {
  struct stat info {};
  const bool missing = ::stat(path.c_str(), &info) != 0 && errno == ENOENT;
  auto text = missing && !chosen ? result<std::string>{"{}"}
                                 : persistence::read_file(path, config::input_bytes_max);
  if (!text) {
    std::fprintf(stderr, "%s: error: %s\n", path.c_str(), text.error().detail.c_str());
    return nullptr;
  }
  auto loaded = config::load_text(*text, path, actors::process_environment());
  for (const auto& finding : loaded.diagnostics) {
    std::fprintf(stderr, "%s\n", config::format_diagnostic(path, finding).c_str());
  }
  return loaded.snapshot;
}

instant system_now() {
  return std::chrono::time_point_cast<duration>(std::chrono::system_clock::now());
}

result<void> writable_directory(const std::string& root) {
  const auto path = persistence::expand_home(root);
  const auto opened = persistence::directory::open(path, persistence::if_missing::create);
  if (!opened) return std::unexpected{opened.error()};
  if (::access(path.c_str(), W_OK | X_OK) == 0) return {};
  return failed(errc::io_failure, path + ": " + std::generic_category().message(errno));
}

result<void> patiently(const std::string& name, const std::function<result<void>()>& run) {
  const auto give_up = std::chrono::steady_clock::now() + lock_patience;
  for (bool told = false;; told = true) {
    auto how = run();
    if (how || !is_held(how.error())) return how;
    if (std::chrono::steady_clock::now() >= give_up) {
      return failed(errc::unavailable, name + " is still held by another program; nothing was "
                                              "changed, try again when that one has ended");
    }
    if (!told) {
      std::fprintf(stderr,
                   "%s is held by another program, which may be renewing it; waiting up to %lld "
                   "seconds\n",
                   printable(name).c_str(), static_cast<long long>(lock_patience.count()));
    }
    std::this_thread::sleep_for(lock_look);
  }
}

std::unexpected<error> unusable_file(const std::string& name, const error& why) {
  return failed(why.code,
                name + ": " + why.detail + "; correct the file, or log in or import it again");
}

result<persistence::credential_edit> edit_account(const std::string& root,
                                                  const std::string& name) {
  const persistence::credential_store store{root};
  std::optional<persistence::credential_edit> held;
  const auto how = patiently(name, [&]() -> result<void> {
    auto edit = store.edit(name);
    if (!edit) return std::unexpected{edit.error()};
    held.emplace(std::move(*edit));
    return {};
  });
  if (!how) return std::unexpected{how.error()};
  return std::move(*held);
}

result<stored_account> store_account(const std::string& root,
                                     const provider::login::account_file& made) {
  const persistence::credential_store store{root};
  stored_account out{persistence::expand_home(root) + "/" + made.name, false};
  const auto created = store.create(made.name, made.text);
  if (created) return out;
  if (created.error().code != errc::invalid_input ||
      !persistence::is_credential_file_name(made.name)) {
    return std::unexpected{created.error()};
  }
  {
    auto edit = edit_account(root, made.name);
    if (!edit) return std::unexpected{edit.error()};
    auto over = provider::login::text_over(edit->text(), made.text, system_now());
    out.existed = over.merged;
    if (auto written = edit->replace(std::move(over.text)); !written) {
      return std::unexpected{written.error()};
    }
  }
  // The provider has just given these tokens out.
  if (out.existed) static_cast<void>(store.confirm(made.name));
  return out;
}

std::string printable(std::string_view text) {
  constexpr std::size_t bytes_max = 4096;
  std::string out{text.substr(0, bytes_max)};
  for (auto& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == 0x7f) c = '?';
  }
  return out;
}

}  // namespace tidegate::app
