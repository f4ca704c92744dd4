# touchstone_judge: spec, oracle, goldens and comparison. It is compiled against an include root of its own that holds
# nothing but conformance/ and the door's header, so it cannot come to depend on the runtime or on kernels.

find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED)
find_library(MPFR_LIBRARY mpfr REQUIRED)
find_library(GMP_LIBRARY gmp REQUIRED)

set(judge_root ${CMAKE_BINARY_DIR}/judge_root)
file(MAKE_DIRECTORY ${judge_root}/backends)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/conformance ${judge_root}/conformance SYMBOLIC)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/backends/abi ${judge_root}/backends/abi SYMBOLIC)

file(GLOB judge_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/oracle/*.cpp)
list(FILTER judge_sources EXCLUDE REGEX "_test\\.cpp$")
touchstone_knows_source_root(spec.cpp)
add_library(touchstone_judge STATIC array.cpp spec.cpp golden.cpp golden_parse.cpp compare.cpp ${judge_sources})
target_include_directories(touchstone_judge PRIVATE ${judge_root})
target_compile_options(touchstone_judge PRIVATE $<TARGET_PROPERTY:touchstone_flags,INTERFACE_COMPILE_OPTIONS>
                       -ffp-contract=off)
target_compile_definitions(touchstone_judge
                           PRIVATE $<TARGET_PROPERTY:touchstone_flags,INTERFACE_COMPILE_DEFINITIONS>)
target_link_libraries(touchstone_judge PUBLIC fmt::fmt nlohmann_json::nlohmann_json
                      PRIVATE OpenSSL::Crypto ${MPFR_LIBRARY} ${GMP_LIBRARY})

file(GLOB judge_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp
     ${CMAKE_CURRENT_SOURCE_DIR}/oracle/*_test.cpp)
if(judge_tests)
  touchstone_test(judge_test SOURCES ${judge_tests} LIBRARIES touchstone_judge)
endif()
