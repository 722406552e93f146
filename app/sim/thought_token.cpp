#include "app/sim/thought_token.hpp"

#include <openssl/evp.h>

#include "base/hash.hpp"

namespace tidegate::sim {
namespace {

using protocol::wire;

constexpr std::size_t seal_chars = 32;

/// The digest of the thinking and a seal over it, so that a token is known without its thinking.
std::string sealed(std::string_view digest) {
  std::string out{digest};
  return out.append(sha256_hex("tidegate sim " + out).substr(0, seal_chars));
}

std::string base64(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const auto length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                      reinterpret_cast<const unsigned char*>(bytes.data()),
                                      static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

/// A protobuf field of bytes; all here are shorter than 128.
std::string field(char tag, std::string_view bytes) {
  return std::string{tag} + static_cast<char>(bytes.size()) + std::string{bytes};
}

std::string wrapped(wire vendor, std::string_view sealed) {
  using namespace std::string_view_literals;
  switch (vendor) {
    case wire::openai_chat:
      break;
    case wire::openai_responses: {
      // Fernet: version, time, 16 bytes of vector, ciphertext of 16-byte blocks, 32 bytes of MAC.
      std::string token{"\x80\0\0\0\0\x66\x77\x11\x22"sv};
      token.append(sealed).append(48 - sealed.size() % 16, '.');
      auto text = base64(token);
      for (auto& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
      return text;
    }
    case wire::anthropic_messages:
      return base64(field('\x12', field('\x0A', "\x08\x05\x18\x02"sv) +
                                      field('\x12', "claude-sim " + std::string{sealed})));
    case wire::gemini:
      return base64(field('\x12', field('\x0A', '\x01' + std::string{sealed})));
  }
  return {};
}

}  // namespace

std::string thought_token(wire vendor, std::string_view thinking) {
  return wrapped(vendor, sealed(sha256_hex(thinking).substr(0, seal_chars)));
}

bool is_thought_token(wire vendor, std::string_view token) {
  // The digest stands in base64 at an unknown offset: it is found by trying what decoding gives.
  std::string text{token};
  for (auto& c : text) c = c == '-' ? '+' : c == '_' ? '/' : c;
  std::string bytes(text.size() / 4 * 3 + 3, '\0');
  const auto length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                      reinterpret_cast<const unsigned char*>(text.data()),
                                      static_cast<int>(text.size()));
  if (length < 0) return false;
  bytes.resize(static_cast<std::size_t>(length));
  for (std::size_t at = 0; at + 2 * seal_chars <= bytes.size(); ++at) {
    const auto digest = std::string_view{bytes}.substr(at, seal_chars);
    if (digest.find_first_not_of("0123456789abcdef") != digest.npos) continue;
    if (wrapped(vendor, sealed(digest)) == token) return true;
  }
  return false;
}

}  // namespace tidegate::sim
