#pragma once
/// Change events of directories (inotify): any change of an entry calls back, from an io thread.
/// Directories, not files: an editor that replaces the file by a rename is seen like one that
/// writes in place. Where events do not arrive, the config actor's poll finds the change.

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tidegate::actors {

class file_watch {
 public:
  /// Directories that do not exist are skipped. `changed` must be cheap and thread-safe.
  file_watch(boost::asio::io_context& io, const std::vector<std::string>& directories,
             std::function<void()> changed);
  /// A call that is already running on an io thread may still finish.
  ~file_watch();
  file_watch(const file_watch&) = delete;
  file_watch& operator=(const file_watch&) = delete;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace tidegate::actors
