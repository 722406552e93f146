# Warnings, hardening, sanitizers, linker and compiler cache: the same for every target.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(tidegate_options INTERFACE)
target_compile_options(tidegate_options INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor -Werror
  -fno-omit-frame-pointer -fstack-protector-strong)
target_compile_definitions(tidegate_options INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
  # Recycled coroutine frames crash with some compilers and Boost 1.81 (docs/decisions/0003).
  BOOST_ASIO_DISABLE_AWAITABLE_FRAME_RECYCLING
  BOOST_ASIO_NO_DEPRECATED)
target_include_directories(tidegate_options INTERFACE ${PROJECT_SOURCE_DIR})
# Same for all, so that test programs can share a precompiled header.
target_compile_definitions(tidegate_options INTERFACE TIDEGATE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # ccache can only trust a precompiled header whose time stamp is not part of it.
  target_compile_options(tidegate_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
  set(CMAKE_PCH_INSTANTIATE_TEMPLATES ON)
else()
  # g++ 12 reports these inside libstdc++ and Boost headers at -O2; clang checks the same code.
  target_compile_options(tidegate_options INTERFACE
    -Wno-maybe-uninitialized -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-dangling-pointer -Wno-mismatched-new-delete -Wno-free-nonheap-object)
endif()

if(TIDEGATE_ASAN)
  target_compile_options(tidegate_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all)
  target_link_options(tidegate_options INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(tidegate_options INTERFACE _GLIBCXX_ASSERTIONS)
endif()
if(TIDEGATE_TSAN)
  target_compile_options(tidegate_options INTERFACE -fsanitize=thread)
  target_link_options(tidegate_options INTERFACE -fsanitize=thread)
endif()

foreach(linker mold lld)
  find_program(LINKER_${linker} NAMES ${linker} ${linker}-19 ld.${linker})
  if(LINKER_${linker})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR linker STREQUAL "mold")
      target_link_options(tidegate_options INTERFACE -fuse-ld=${linker})
      break()
    endif()
  endif()
endforeach()
