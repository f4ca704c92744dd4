# How every target of the project is compiled, and how a backend folder becomes a plug-in.

find_package(Threads REQUIRED)

# Flags of all code, and the include root: includes are written from the repository root.
add_library(touchstone_flags INTERFACE)
target_include_directories(touchstone_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(touchstone_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -fvisibility=hidden
                       $<$<BOOL:${TS_WERROR}>:-Werror>)
if(TS_SANITIZE)
  target_compile_options(touchstone_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined
                         -fno-omit-frame-pointer)
  target_link_options(touchstone_flags INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(touchstone_flags INTERFACE TS_SANITIZE=1)
endif()

# Kernel units: the same bits everywhere (spec/numerics.md). Contraction is off, fusion only where fma() is written.
add_library(touchstone_kernel_flags INTERFACE)
target_link_libraries(touchstone_kernel_flags INTERFACE touchstone_flags)
target_compile_options(touchstone_kernel_flags INTERFACE -ffp-contract=off -fno-math-errno -fno-trapping-math)
# Instrumented kernels take long to compile, and their time to run is small beside that of the suite around them.
if(TS_SANITIZE)
  target_compile_options(touchstone_kernel_flags INTERFACE -O1)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(touchstone_kernel_flags INTERFACE -mfma)
endif()
# What libFuzzer steers by: which parts of kernels and backends ran. Comparisons are not traced, they are the inner loops.
if(TS_FUZZ)
  target_compile_options(touchstone_kernel_flags INTERFACE -O1 -fsanitize-coverage=inline-8bit-counters,pc-table)
endif()
# A loop that is asked to be vectorized and cannot be is no fault; clang warns of each.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(touchstone_kernel_flags INTERFACE -Wno-pass-failed)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(touchstone_kernel_flags INTERFACE -fno-gnu-unique)
endif()

# Compiles a target's sources to be checked: the compiler's race instrumentation, whose hooks are ours, with the lines of sources
# for reports. Each flag is there for a compiler that would otherwise hide an access; backends/emulator/checked/README.md
# says which, and checked_traps_test shows it.
set(touchstone_instrument_gnu -fsanitize=thread --param=tsan-instrument-func-entry-exit=0 --param=tsan-distinguish-volatile=1
                              -fno-tree-vectorize
                              -fno-tree-slp-vectorize
                              # copies of known size stay calls, in the headers of the library too
                              -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset "SHELL:-include ${CMAKE_SOURCE_DIR}/backends/emulator/checked/copies.h"
                              -D__builtin_memcpy=memcpy -D__builtin_memmove=memmove -D__builtin_memset=memset
                              -Wno-tsan) # of fences: ours supports them
set(touchstone_instrument_clang
    -fsanitize=thread "SHELL:-mllvm -tsan-instrument-func-entry-exit=0" "SHELL:-mllvm -tsan-instrument-read-before-write=1"
    "SHELL:-mllvm -tsan-distinguish-volatile=1" -fno-vectorize -fno-slp-vectorize)
function(touchstone_instrument target)
  target_compile_definitions(${target} PRIVATE TS_INSTRUMENTED=1)
  target_compile_options(${target} PRIVATE -O2 -g1 -fno-optimize-sibling-calls -U_FORTIFY_SOURCE
                                           "$<$<CXX_COMPILER_ID:GNU>:${touchstone_instrument_gnu}>"
                                           "$<$<CXX_COMPILER_ID:Clang>:${touchstone_instrument_clang}>")
endfunction()

# Tells the sources that read files of the repository where it lies. They alone are compiled anew in another checkout, so
# that a compiler cache serves several.
function(touchstone_knows_source_root)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_DEFINITIONS TS_SOURCE_ROOT="${CMAKE_SOURCE_DIR}")
endfunction()

# A plug-in NAME.so in a folder of the build.
function(touchstone_plugin target name folder)
  add_library(${target} MODULE ${ARGN})
  target_link_libraries(${target} PRIVATE touchstone_kernel_flags Threads::Threads)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${folder})
endfunction()

# A backend is a plug-in: backends/NAME becomes <build>/backends/NAME.so, found there by its name.
add_custom_target(backends)
function(touchstone_backend name)
  touchstone_plugin(backend_${name} ${name} backends ${ARGN})
  add_dependencies(backends backend_${name})
endfunction()

# A backend that runs the shared kernels on the host. The target `mutants` builds it a second time, with every mutant of the
# kernels at hand, as <build>/mutants/NAME_mutant.so: outside the folder where backends are found by name.
add_custom_target(mutants)
function(touchstone_host_backend name)
  touchstone_backend(${name} ${ARGN})
  target_link_libraries(backend_${name} PRIVATE touchstone_kernels)
  if(TS_MUTANTS)
    touchstone_plugin(backend_${name}_mutant ${name}_mutant mutants ${ARGN})
    target_link_libraries(backend_${name}_mutant PRIVATE touchstone_kernels_mutant)
    set_target_properties(backend_${name}_mutant PROPERTIES EXCLUDE_FROM_ALL ON)
    add_dependencies(mutants backend_${name}_mutant)
  endif()
endfunction()

# A unit test: GoogleTest's main, registered with CTest under its own name.
function(touchstone_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;LIBRARIES" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE touchstone_flags ${TEST_LIBRARIES} GTest::gtest GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
