option(PAWL_UNITY "Compile several files at once and precompile headers: a third of the time of a clean build, but one \
edit recompiles more" ON)

# pawl_unity(TARGET PROVIDER [headers ...]): compiles TARGET so, with the precompiled headers of PROVIDER. If both are the
# same target, it provides them, and the further headers. All users of a provider are compiled with the same options
# and definitions, hence -fPIC and the definitions of fmt. Files with options of their own are compiled one by one.
function(pawl_unity target provider)
  if(NOT PAWL_UNITY)
    return()
  endif()
  # tools/mutate links a changed file before the library: there, each file of a library is an object of its own.
  if(NOT PAWL_COVERAGE OR provider STREQUAL tests_precompiled)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  endif()
  # A class of a .cpp file may use an anonymous namespace; g++ does not see that the file is included only once. And it
  # forgets that precompiled headers are the system's, where it would keep its false alarms to itself (GCC bug 105329).
  # clang compares the times of a precompiled header and its source, which differ if the header comes from ccache.
  target_compile_options(${target} PRIVATE -fPIC
    "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>"
    $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage;-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow>)
  target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
  if(target STREQUAL provider)
    # Without optimisation fmt switches it on for its own functions, and g++ does not switch it off again where the header
    # is precompiled: Eigen then calls intrinsics in their optimised form, which does not compile.
    set(fmt $<$<NOT:$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Debug>>>:<fmt/format.h$<ANGLE-R>>)
    target_precompile_headers(${target} PRIVATE ${ARGN} <algorithm> <array> <bit> <charconv> <chrono> <cmath> <cstdint>
      <cstring> <filesystem> <functional> <limits> <map> <memory> <numbers> <numeric> <optional> <span> <string>
      <string_view> <system_error> <tuple> <utility> <vector> ${fmt})
  else()
    target_precompile_headers(${target} REUSE_FROM ${provider})
  endif()
endfunction()

# pawl_library(NAME [IO | OF_PROGRAM] [COLD] [DEPENDS other folders of ours ...] [PRIVATE third-party targets ...])
# One static library for the folder it is called in: every .cpp there. DEPENDS is the dependency diagram. Libraries belong
# to Pawl::core, or to Pawl::io if they read or write files (IO). Those OF_PROGRAM are not installed. COLD folders
# compile fast rather than run fast.
function(pawl_library name)
  cmake_parse_arguments(ARG "IO;OF_PROGRAM;COLD" "" "DEPENDS;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(pawl_${name} STATIC ${sources})
  add_library(Pawl::${name} ALIAS pawl_${name})
  set_target_properties(pawl_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(pawl_${name} PUBLIC cxx_std_20)
  target_compile_options(pawl_${name} PRIVATE ${PAWL_WARNINGS})
  if(ARG_COLD)
    target_compile_options(pawl_${name} PRIVATE ${PAWL_COLD_OPTIONS})
  endif()
  pawl_unity(pawl_${name} pawl_base)
  target_include_directories(pawl_${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
  list(TRANSFORM ARG_DEPENDS PREPEND Pawl::)
  target_link_libraries(pawl_${name} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE})
  if(ARG_IO)
    set_property(GLOBAL APPEND PROPERTY PAWL_IO_LIBRARIES pawl_${name})
  elseif(NOT ARG_OF_PROGRAM)
    set_property(GLOBAL APPEND PROPERTY PAWL_CORE_LIBRARIES pawl_${name})
  endif()
endfunction()

# pawl_test(NAME LABEL [DEPENDS ...] [PRIVATE ...]): one GoogleTest program from every *.cpp of the calling
# folder and its subfolders. The target tests_LABEL builds all programs of a label. Ten files are compiled at once: a file
# whose helpers have common names keeps them in a namespace of its own name.
function(pawl_test name label)
  cmake_parse_arguments(ARG "" "" "DEPENDS;PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_executable(${name} ${sources})
  target_compile_options(${name} PRIVATE ${PAWL_WARNINGS} ${PAWL_COLD_OPTIONS} ${PAWL_TEST_OPTIONS})
  target_compile_definitions(${name} PRIVATE PAWL_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  pawl_unity(${name} tests_precompiled)
  list(TRANSFORM ARG_DEPENDS PREPEND Pawl::)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} ${ARG_PRIVATE} GTest::gtest_main GTest::gmock)
  if(NOT TARGET tests_${label})
    add_custom_target(tests_${label})
  endif()
  add_dependencies(tests_${label} ${name})
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ${label} TIMEOUT 300)
endfunction()
include(GoogleTest)

# pawl_collision_options(NAME hot files ...): compiler options of a folder of collision/.
# No SLP vectorisation: packing 3-vectors into registers costs more shuffles than it saves
# additions (10 % for boxes).
# No semantic interposition: functions of the library may be inlined (2 % for cylinders).
# The hot files' loops over vertices and axes take 20 % longer at -O2.
function(pawl_collision_options name)
  target_compile_options(pawl_${name} PRIVATE -fno-tree-slp-vectorize -fno-semantic-interposition
    -Wno-psabi)  # simd.h passes vectors by value, but only between Pawl's own files
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${PAWL_HOT_OPTIONS}" SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
