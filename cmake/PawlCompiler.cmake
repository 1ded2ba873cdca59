# Compiler options of the whole project. The floating-point flags are part of the product: contraction and
# fast-math change bits between compilers and optimisation levels, and -march=native changes them between
# machines.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(PAWL_OPTIMISATION -O2 CACHE STRING "Optimisation level of release builds")
set(CMAKE_CXX_FLAGS_RELEASE "${PAWL_OPTIMISATION} -DNDEBUG")

# Options of the few files with hot loops, and of code that waits for files or people. Builds at another optimisation
# level use that level for all files.
set(PAWL_HOT_OPTIONS "")
set(PAWL_COLD_OPTIONS "")
if(PAWL_OPTIMISATION STREQUAL -O2)
  set(PAWL_HOT_OPTIONS $<$<CONFIG:Release>:-O3>)
  set(PAWL_COLD_OPTIONS $<$<CONFIG:Release>:-O1>)
endif()

# Options of the tests' own code. With sanitizers it takes a quarter of the time to compile without optimisation and with
# address checks alone. Pawl's code has them all.
set(PAWL_TEST_OPTIONS "")
if(PAWL_SANITIZE MATCHES fuzzer-no-link)
  set(PAWL_TEST_OPTIONS -O0 -fno-sanitize=undefined,fuzzer-no-link)
endif()

# x86-64-v3 (AVX2, FMA, BMI) if the processor supports it, else the compiler's default.
include(CheckCXXSourceRuns)
if(NOT DEFINED PAWL_ARCH)
  check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"x86-64-v3\") ? 0 : 1; }" PAWL_CPU_IS_V3)
  if(PAWL_CPU_IS_V3)
    set(PAWL_ARCH x86-64-v3)
  else()
    set(PAWL_ARCH "")
  endif()
endif()
set(PAWL_ARCH "${PAWL_ARCH}" CACHE STRING "Argument of -march=, empty for the compiler's default")
if(PAWL_ARCH)
  add_compile_options(-march=${PAWL_ARCH})
endif()
add_compile_options(-ffp-contract=off -fno-fast-math)
# g++ 12 contracts a*b ± c*d to vfmaddsub despite -ffp-contract=off when it vectorises straight-line code (GCC
# bug 107647). The product of two quaternions then has different bits at -O2 than at -O1. tools/golden detects
# this.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-fno-tree-slp-vectorize)
endif()

# Warnings apply to Pawl's code only; third-party headers are system headers. They are errors with the
# compiler that checks every change. Other compilers may have unknown warnings, and the instrumentation of
# sanitizers and coverage causes false ones in gcc.
set(PAWL_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wdouble-promotion)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13
    AND NOT PAWL_SANITIZE AND NOT PAWL_COVERAGE)
  list(APPEND PAWL_WARNINGS -Werror)
endif()

# Debug builds and sanitizer builds check the bounds of the standard containers.
add_compile_definitions($<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
if(PAWL_SANITIZE)
  add_compile_options(-fsanitize=${PAWL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PAWL_SANITIZE})
endif()
if(PAWL_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)  # atomic: some tests have several threads
  add_link_options(--coverage)
endif()

# Paths below the base directory are hashed as relative paths, so that clones share the cache. ccache needs the
# sloppiness for precompiled headers.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
    CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()
