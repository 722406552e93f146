# Debian packages only; ./dev installs them.
find_package(Threads REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED CONFIG)
find_package(spdlog REQUIRED CONFIG)
find_package(simdjson REQUIRED CONFIG)
find_package(yaml-cpp REQUIRED CONFIG)
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
find_path(NLOHMANN_INCLUDE nlohmann/json.hpp REQUIRED)
find_path(CLI11_INCLUDE CLI/CLI.hpp REQUIRED)
find_path(BOOST_INCLUDE boost/beast.hpp REQUIRED)
find_library(RE2_LIBRARY re2 REQUIRED)
find_library(ZSTD_LIBRARY zstd REQUIRED)
find_library(BROTLI_LIBRARY brotlidec REQUIRED)
find_library(CRYPT_LIBRARY crypt REQUIRED)

# CAF and the Catch2 and rapidcheck test libraries ship without CMake files on some releases.
find_path(CAF_INCLUDE caf/config.hpp REQUIRED)
find_library(CAF_CORE_LIBRARY caf_core REQUIRED)
add_library(caf_core INTERFACE)
target_include_directories(caf_core SYSTEM INTERFACE ${CAF_INCLUDE})
target_link_libraries(caf_core INTERFACE ${CAF_CORE_LIBRARY} Threads::Threads)

# CAF 0.17 dereferences a null shared_ptr when an actor made from a function takes no arguments. It
# does no harm, but UBSan and _GLIBCXX_ASSERTIONS stop there: under the sanitizers a corrected copy of
# the one header comes first.
if(TIDEGATE_ASAN AND EXISTS ${CAF_INCLUDE}/caf/detail/init_fun_factory.hpp)
  file(READ ${CAF_INCLUDE}/caf/detail/init_fun_factory.hpp caf_header)
  string(REGEX REPLACE
    "sizeof\\.\\.\\.\\(Ts\\) > 0[ \n]*\\?([^?]*make_shared[^?]*[^ \n])[ \n]*: nullptr" "\\1"
    caf_header "${caf_header}")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/caf/caf/detail/init_fun_factory.hpp
    CONTENT "${caf_header}" @ONLY)
  target_include_directories(caf_core SYSTEM BEFORE INTERFACE ${PROJECT_BINARY_DIR}/caf)
endif()
