#pragma once
/// The flat input buffer of one connection; lives as long as it and shrinks when it goes idle.
/// Body bytes are moved to its front in place, so a piece handed out costs no second buffer.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

namespace tidegate::http::upstream {

inline constexpr std::size_t read_bytes_min = 16 * 1024;
inline constexpr std::size_t read_bytes_bulk = 64 * 1024;  ///< once a read filled the buffer
inline constexpr std::size_t read_bytes_max = 80 * 1024;   ///< room for the largest head

class read_buffer {
 public:
  std::span<char> unread() { return {bytes_.get() + begin_, end_ - begin_}; }
  void consume(std::size_t n) { begin_ += n; }

  /// Free space behind the unread bytes, which move to the front; empty when the bound is reached.
  std::span<char> prepare() {
    const std::size_t pending = end_ - begin_;
    if (pending > 0 && begin_ > 0) std::memmove(bytes_.get(), bytes_.get() + begin_, pending);
    begin_ = 0;
    end_ = pending;
    if (pending == capacity_ && capacity_ < read_bytes_max) {
      resize(std::clamp(capacity_ * 2, read_bytes_min, read_bytes_max));
    } else if (filled_ && capacity_ < read_bytes_bulk) {
      resize(read_bytes_bulk);
    }
    return {bytes_.get() + end_, capacity_ - end_};
  }
  void commit(std::size_t n) {
    end_ += n;
    filled_ = end_ == capacity_;
  }

  void shrink() {
    begin_ = end_ = 0;
    filled_ = false;
    if (capacity_ <= read_bytes_min) return;
    bytes_.reset();
    capacity_ = 0;
  }

 private:
  void resize(std::size_t capacity) {
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    if (end_ > 0) std::memcpy(larger.get(), bytes_.get(), end_);
    bytes_ = std::move(larger);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool filled_ = false;
};

}  // namespace tidegate::http::upstream
