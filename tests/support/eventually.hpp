#pragma once
/// Waits for what another thread or process does, without taking time for a sign of it.

#include <chrono>
#include <thread>

namespace tidegate::test {

/// Asks again until `holds()`; false when that did not come in time, which fails the test.
template <class F>
bool eventually(F&& holds) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  while (std::chrono::steady_clock::now() < give_up) {
    if (holds()) return true;
    std::this_thread::yield();
  }
  return false;
}

}  // namespace tidegate::test
