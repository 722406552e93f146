# tidegate_unify(TARGET SOURCE...): with TIDEGATE_UNITY the files of one folder are one translation
# unit, so that their headers are read once: names in anonymous namespaces are one folder's.
function(tidegate_unify target)
  if(NOT TIDEGATE_UNITY)
    return()
  endif()
  # A local variable may have the name of something in another file.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
    UNITY_BUILD_CODE_BEFORE_INCLUDE "#pragma GCC diagnostic ignored \"-Wshadow\"")
  foreach(source ${ARGN})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(REPLACE "/" "_" folder ${folder})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
  endforeach()
endfunction()

# tidegate_unify_tests(TARGET): the same for a program of tests, in batches that memory has room for.
set(TIDEGATE_TEST_BATCH 8)
function(tidegate_unify_tests target)
  if(TIDEGATE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE BATCH
      UNITY_BUILD_BATCH_SIZE ${TIDEGATE_TEST_BATCH}
      UNITY_BUILD_CODE_BEFORE_INCLUDE "#pragma GCC diagnostic ignored \"-Wshadow\"")
  endif()
endfunction()

# tidegate_module(NAME [PCH family] [DEPENDS lib...]): one static library per folder, sources found by
# name.
function(tidegate_module name)
  cmake_parse_arguments(ARG "" "PCH" "DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    add_library(tidegate_${name} INTERFACE)
    target_link_libraries(tidegate_${name} INTERFACE tidegate_options ${ARG_DEPENDS})
    return()
  endif()
  add_library(tidegate_${name} STATIC ${sources})
  target_link_libraries(tidegate_${name} PUBLIC tidegate_options ${ARG_DEPENDS})
  tidegate_unify(tidegate_${name} ${sources})
  if(ARG_PCH)
    tidegate_use_pch(tidegate_${name} ${ARG_PCH})
  endif()
endfunction()

# tidegate_unit_test(NAME [UNIFIED] [PCH family] [DEPENDS lib...] [LABELS label...]):
# tests/unit/NAME/*_test.cpp in one program. Programs with the label tsan are what the target tsan_targets
# builds. UNIFIED: their names are one folder's, too.
add_custom_target(tsan_targets)
function(tidegate_unit_test name)
  cmake_parse_arguments(ARG "UNIFIED" "PCH" "DEPENDS;LABELS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/${name}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources})
  target_link_libraries(test_${name} PRIVATE tidegate_test_main ${ARG_DEPENDS})
  if(NOT ARG_PCH)
    set(ARG_PCH test)
  endif()
  tidegate_use_pch(test_${name} ${ARG_PCH})
  if(ARG_UNIFIED)
    tidegate_unify_tests(test_${name})
  endif()
  add_test(NAME ${name} COMMAND test_${name})
  # Properties draw the same cases on every run; ./dev fuzz draws others.
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" ENVIRONMENT "RC_PARAMS=seed=1")
  if("tsan" IN_LIST ARG_LABELS)
    add_dependencies(tsan_targets test_${name})
  endif()
endfunction()
