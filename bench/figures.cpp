#include "bench/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace tidegate::bench {
namespace {

std::uint64_t resident_kib(const std::string& process) {
  std::ifstream status{process + "/status"};
  std::string word;
  while (status >> word) {
    std::uint64_t kib = 0;
    if (word == "VmRSS:" && status >> kib) return kib;
  }
  return 0;
}

/// Nanoseconds of one thread; /proc/PID/stat counts in ticks of 10 ms, too coarse for short runs.
double thread_cpu_us(const std::filesystem::path& thread) {
  std::ifstream file{thread / "schedstat"};
  double ns = 0;
  return file >> ns ? ns / 1000 : 0;
}

}  // namespace

void samples::add(double us) {
  if (++count_ <= samples_max) us_.push_back(us);
}

std::string samples::json() const {
  auto sorted = us_;
  std::ranges::sort(sorted);
  const auto at = [&sorted](double share) {
    if (sorted.empty()) return 0.0;
    const auto rank = std::ceil(share * static_cast<double>(sorted.size()));
    return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
  };
  return fmt::format(R"({{"n":{},"p50":{:.1f},"p90":{:.1f},"p99":{:.1f},"max":{:.1f}}})", count_,
                     at(0.5), at(0.9), at(0.99), at(1));
}

usage usage_of(const std::vector<pid_t>& processes) {
  usage sum;
  for (const auto process : processes) {
    const auto folder = "/proc/" + std::to_string(process);
    sum.resident_kib += resident_kib(folder);
    std::error_code gone;
    for (std::filesystem::directory_iterator thread{folder + "/task", gone}, end;
         !gone && thread != end; thread.increment(gone)) {
      sum.cpu_us += thread_cpu_us(thread->path());
    }
  }
  return sum;
}

}  // namespace tidegate::bench
