# One precompiled header per family of libraries, shared by every target of that family: most of the
# time of a small file goes into the same few library headers.
file(WRITE ${PROJECT_BINARY_DIR}/pch_anchor.cpp "// Carries a precompiled header.\n")

function(tidegate_pch family)
  cmake_parse_arguments(ARG "" "" "DEPENDS;HEADERS" ${ARGN})
  add_library(tidegate_pch_${family} STATIC EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/pch_anchor.cpp)
  target_link_libraries(tidegate_pch_${family} PRIVATE
    tidegate_options fmt::fmt spdlog::spdlog simdjson::simdjson OpenSSL::SSL ${ARG_DEPENDS})
  target_precompile_headers(tidegate_pch_${family} PRIVATE ${ARG_HEADERS})
  # A compiler cache can hand out the one of an older list of headers.
  set_target_properties(tidegate_pch_${family} PROPERTIES CXX_COMPILER_LAUNCHER "")
endfunction()

# g++ gains nothing from them.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(plain <algorithm> <array> <atomic> <chrono> <cstdint> <deque> <functional> <map> <memory>
    <optional> <set> <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector>
    <fmt/format.h> <nlohmann/json.hpp> <simdjson.h>)
  set(asio <boost/asio/awaitable.hpp> <boost/asio/co_spawn.hpp> <boost/asio/ip/tcp.hpp>
    <boost/asio/io_context.hpp> <boost/asio/ssl.hpp> <boost/asio/steady_timer.hpp>
    <boost/asio/strand.hpp> <boost/asio/use_awaitable.hpp> <boost/asio/write.hpp>
    <boost/beast/core/flat_buffer.hpp> <boost/beast/http.hpp>)
  tidegate_pch(plain HEADERS ${plain})
  tidegate_pch(asio HEADERS ${plain} ${asio})
  tidegate_pch(actors DEPENDS caf_core HEADERS ${plain} <caf/all.hpp>)
endif()

# tidegate_use_pch(TARGET FAMILY)
function(tidegate_use_pch target family)
  if(TARGET tidegate_pch_${family})
    target_precompile_headers(${target} REUSE_FROM tidegate_pch_${family})
  endif()
endfunction()
