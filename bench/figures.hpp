#pragma once
/// What a run reports: times of requests, and what the processes under test used.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tidegate::bench {

/// Durations in microseconds; at most samples_max are kept, later ones only counted.
class samples {
 public:
  void add(double us);
  std::size_t count() const { return count_; }
  /// {"n":...,"p50":...,"p90":...,"p99":...,"max":...}, microseconds.
  std::string json() const;

 private:
  static constexpr std::size_t samples_max = 4'000'000;
  std::vector<double> us_;
  std::size_t count_ = 0;
};

/// Sums over processes, read from /proc; a process that has ended counts as nothing.
struct usage {
  double cpu_us = 0;               ///< user and system time of all living threads
  std::uint64_t resident_kib = 0;  ///< resident memory
};

usage usage_of(const std::vector<pid_t>& processes);

}  // namespace tidegate::bench
