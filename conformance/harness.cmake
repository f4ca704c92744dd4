# touchstone_conformance: cases, layouts, checks, ledger, runner and reports.

file(GLOB conformance_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/select/*.cpp
     ${CMAKE_CURRENT_SOURCE_DIR}/door/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/mutants/*.cpp
     ${CMAKE_CURRENT_SOURCE_DIR}/runner/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/report/*.cpp
     ${CMAKE_CURRENT_SOURCE_DIR}/tensor/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/examples/*.cpp)
list(FILTER conformance_sources EXCLUDE REGEX "_test\\.cpp$")
add_library(touchstone_conformance STATIC
  layouts.cpp case.cpp case_parse.cpp payload.cpp payload_values.cpp given.cpp prepare.cpp prepare_given.cpp memory.cpp
  run.cpp device.cpp execute.cpp outcome.cpp ledger.cpp expectations.cpp filter.cpp coverage.cpp ${conformance_sources})
target_link_libraries(touchstone_conformance PUBLIC touchstone_flags touchstone_judge touchstone_runtime
                      nlohmann_json::nlohmann_json fmt::fmt)

add_subdirectory(tests)
