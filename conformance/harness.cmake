# touchstone_cases: one case, from its name to its verdict, and the faults that can be planted at the door.
# touchstone_conformance: all cases; selection, tiers, ledger, runner and reports.

set(case_sources layouts.cpp case.cpp case_parse.cpp payload.cpp payload_values.cpp given.cpp prepare.cpp
    prepare_given.cpp memory.cpp run.cpp device.cpp execute.cpp tally.cpp outcome.cpp filter.cpp)
file(GLOB door_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
     ${CMAKE_CURRENT_SOURCE_DIR}/select/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/door/*.cpp
     ${CMAKE_CURRENT_SOURCE_DIR}/mutants/*.cpp)
list(REMOVE_ITEM door_sources select/tiers.cpp mutants/hunt.cpp)
list(APPEND case_sources ${door_sources})
add_library(touchstone_cases STATIC ${case_sources})
target_link_libraries(touchstone_cases PUBLIC touchstone_flags touchstone_judge touchstone_registry
                      nlohmann_json::nlohmann_json fmt::fmt)

file(GLOB conformance_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
     ${CMAKE_CURRENT_SOURCE_DIR}/runner/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/report/*.cpp
     ${CMAKE_CURRENT_SOURCE_DIR}/tensor/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/examples/*.cpp)
list(FILTER conformance_sources EXCLUDE REGEX "_test\\.cpp$")
add_library(touchstone_conformance STATIC ledger.cpp expectations.cpp coverage.cpp select/tiers.cpp mutants/hunt.cpp
            ${conformance_sources})
target_link_libraries(touchstone_conformance PUBLIC touchstone_cases touchstone_runtime)

add_subdirectory(tests)
