#include "http/server/body_decoder.hpp"

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/text.hpp"

namespace tidegate::http {
namespace {

constexpr std::size_t first_room = 64 * 1024;
constexpr std::size_t input_slice_max = std::size_t{1} << 30;  ///< zlib counts in 32 bits

std::unexpected<error> corrupt(std::string_view coding) {
  return failed(errc::invalid_input, "the body is not valid " + std::string{coding});
}

/// Output that grows by doubling and never holds more than one byte above the bound.
class bounded_output {
 public:
  explicit bounded_output(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// Where the next bytes go; empty only when the bound was passed.
  std::span<char> room() {
    if (used_ == bytes_.size()) {
      const auto wanted = std::max(first_room, bytes_.size() * 2);
      bytes_.reserve(std::min(wanted, bytes_max_ + 1) + body_padding);
      bytes_.resize_and_overwrite(std::min(wanted, bytes_max_ + 1),
                                  [](char*, std::size_t size) { return size; });
    }
    return {bytes_.data() + used_, bytes_.size() - used_};
  }
  void add(std::size_t count) { used_ += count; }
  bool passed_bound() const { return used_ > bytes_max_; }

  result<std::string> take() && {
    if (passed_bound()) return failed(errc::limit_exceeded, "the decoded body is too large");
    bytes_.resize(used_);
    return std::move(bytes_);
  }

 private:
  std::size_t bytes_max_;
  std::size_t used_ = 0;
  std::string bytes_;
};

struct inflate_end {
  void operator()(z_stream* state) const {
    inflateEnd(state);
    delete state;
  }
};

/// `window_bits` as zlib takes it: 15 zlib, 31 gzip, -15 raw deflate.
result<std::string> inflate_all(std::string_view in, int window_bits, std::string_view coding,
                                std::size_t bytes_max) {
  std::unique_ptr<z_stream, inflate_end> state(new z_stream{});
  if (inflateInit2(state.get(), window_bits) != Z_OK) return corrupt(coding);
  bounded_output out(bytes_max);
  bool ended = false;
  while (!in.empty() || !ended) {
    // Members of a gzip body follow each other without anything between them.
    if (ended && (window_bits != 31 || inflateReset(state.get()) != Z_OK)) return corrupt(coding);
    const auto slice = std::min(in.size(), input_slice_max);
    const auto room = out.room();
    state->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    state->avail_in = static_cast<uInt>(slice);
    state->next_out = reinterpret_cast<Bytef*>(room.data());
    state->avail_out = static_cast<uInt>(std::min(room.size(), input_slice_max));
    const auto offered = state->avail_out;
    const int code = inflate(state.get(), Z_NO_FLUSH);
    in.remove_prefix(slice - state->avail_in);
    out.add(offered - state->avail_out);
    if (out.passed_bound()) break;
    ended = code == Z_STREAM_END;
    if (code != Z_OK && code != Z_STREAM_END) return corrupt(coding);
  }
  return std::move(out).take();
}

result<std::string> undeflate(std::string_view in, std::size_t bytes_max) {
  auto wrapped = inflate_all(in, 15, "deflate", bytes_max);
  if (wrapped || wrapped.error().code != errc::invalid_input) return wrapped;
  return inflate_all(in, -15, "deflate", bytes_max);
}

struct brotli_end {
  void operator()(BrotliDecoderState* state) const { BrotliDecoderDestroyInstance(state); }
};

result<std::string> unbrotli(std::string_view in, std::size_t bytes_max) {
  std::unique_ptr<BrotliDecoderState, brotli_end> state(
      BrotliDecoderCreateInstance(nullptr, nullptr, nullptr));
  if (!state) return corrupt("br");
  bounded_output out(bytes_max);
  auto* next_in = reinterpret_cast<const std::uint8_t*>(in.data());
  std::size_t left = in.size();
  for (;;) {
    const auto room = out.room();
    auto* next_out = reinterpret_cast<std::uint8_t*>(room.data());
    std::size_t free = room.size();
    const auto code =
        BrotliDecoderDecompressStream(state.get(), &left, &next_in, &free, &next_out, nullptr);
    out.add(room.size() - free);
    if (out.passed_bound()) break;
    if (code == BROTLI_DECODER_RESULT_SUCCESS) {
      if (left != 0) return corrupt("br");
      break;
    }
    if (code != BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) return corrupt("br");
  }
  return std::move(out).take();
}

struct zstd_end {
  void operator()(ZSTD_DCtx* state) const { ZSTD_freeDCtx(state); }
};

result<std::string> unzstd(std::string_view in, std::size_t bytes_max) {
  std::unique_ptr<ZSTD_DCtx, zstd_end> state(ZSTD_createDCtx());
  if (!state) return corrupt("zstd");
  bounded_output out(bytes_max);
  ZSTD_inBuffer source{in.data(), in.size(), 0};
  std::size_t hint = 1;
  while (source.pos < source.size || hint != 0) {
    const auto room = out.room();
    ZSTD_outBuffer target{room.data(), room.size(), 0};
    const auto before = source.pos;
    hint = ZSTD_decompressStream(state.get(), &target, &source);
    if (ZSTD_isError(hint) != 0) return corrupt("zstd");
    out.add(target.pos);
    if (out.passed_bound()) break;
    if (hint != 0 && source.pos == before && target.pos == 0) return corrupt("zstd");
  }
  return std::move(out).take();
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> out;
  for (;;) {
    const auto comma = list.find(',');
    auto name = lower(trimmed(list.substr(0, comma)));
    if (!name.empty() && name != "identity") out.push_back(std::move(name));
    if (comma == std::string_view::npos) return out;
    list.remove_prefix(comma + 1);
  }
}

bool is_known(std::string_view coding) {
  return coding == "gzip" || coding == "x-gzip" || coding == "deflate" || coding == "br" ||
         coding == "zstd";
}

result<void> check(const std::vector<std::string>& names) {
  if (names.size() > codings_max) return failed(errc::not_found, "too many codings");
  const auto unknown = std::ranges::find_if_not(names, is_known);
  if (unknown != names.end()) return failed(errc::not_found, *unknown);
  return {};
}

result<std::string> undo(std::string_view body, std::string_view coding, std::size_t bytes_max) {
  if (coding == "zstd") return unzstd(body, bytes_max);
  if (coding == "br") return unbrotli(body, bytes_max);
  if (coding == "deflate") return undeflate(body, bytes_max);
  return inflate_all(body, 31, "gzip", bytes_max);
}

}  // namespace

result<void> check_codings(std::string_view codings) {
  return check(split(codings));
}

result<void> decode_body(std::string& body, std::string_view codings, std::size_t bytes_max) {
  if (body.empty()) return {};
  const auto names = split(codings);
  if (auto served = check(names); !served) return served;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    auto decoded = undo(body, *name, bytes_max);
    if (!decoded) return std::unexpected(std::move(decoded.error()));
    body = std::move(*decoded);
    body.reserve(body.size() + body_padding);
  }
  return {};
}

}  // namespace tidegate::http
