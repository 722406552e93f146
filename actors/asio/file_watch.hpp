#pragma once
/// Change events of directories (inotify): any change of an entry calls back, from an io thread.
/// Directories, not files: an editor that replaces the file by a rename is seen like one that
/// writes in place. A second callback comes every poll_interval, for where events do not arrive.

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tidegate::actors {

/// Pause between looks at the files where change events do not arrive.
inline constexpr std::chrono::seconds poll_interval{2};

class file_watch {
 public:
  /// Directories that do not exist are skipped. The callbacks must be cheap and thread-safe.
  file_watch(boost::asio::io_context& io, const std::vector<std::string>& directories,
             std::function<void()> changed, std::function<void()> look);
  /// A call that is already running on an io thread may still finish.
  ~file_watch();
  file_watch(const file_watch&) = delete;
  file_watch& operator=(const file_watch&) = delete;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace tidegate::actors
