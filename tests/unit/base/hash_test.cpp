#include "base/hash.hpp"

#include "tests/support/catch.hpp"

using tidegate::sha256;
using tidegate::sha256_hex;

TEST_CASE("hashes the published SHA-256 vectors") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST_CASE("hashes bytes, not C strings") {
  CHECK(sha256_hex(std::string_view{"a\0b", 3}) != sha256_hex("a"));
}

TEST_CASE("a digest is 32 bytes, the ones that its hexadecimal form writes") {
  const auto digest = sha256("abc");
  REQUIRE(digest.size() == 32);
  CHECK(digest.substr(0, 4) == "\xba\x78\x16\xbf");
}
