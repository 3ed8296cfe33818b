# Headers that most host files read, compiled once. They are a sixth of what a clone compiles before its first picture.
# Only for Clang: GCC refuses precompiled headers where a target has other definitions, as most of these have. Not with a
# compiler cache: a precompiled header names its build folder, so build folders would not share their objects.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang OR CMAKE_CXX_COMPILER_LAUNCHER)
  function(brokkr_precompile)
  endfunction()
  return()
endif()

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/brokkr_host_headers.cpp CONTENT "")
add_library(brokkr_host_headers OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/generated/brokkr_host_headers.cpp)
target_link_libraries(brokkr_host_headers PRIVATE brokkr_options nlohmann_json::nlohmann_json)
target_precompile_headers(brokkr_host_headers PRIVATE <nlohmann/json.hpp> <algorithm> <array> <atomic> <bit> <charconv> <chrono>
  <cmath> <cstdint> <cstdlib> <cstring> <filesystem> <fstream> <functional> <map> <memory> <mutex> <numeric> <optional>
  <set> <span> <sstream> <stdexcept> <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector>)

# Makes libraries read these headers first. Names without a target are ignored, because parts can be left out. Programs
# cannot use the headers: they are compiled as PIE.
function(brokkr_precompile)
  foreach(target IN LISTS ARGN)
    if(TARGET ${target})
      target_precompile_headers(${target} REUSE_FROM brokkr_host_headers)
    endif()
  endforeach()
endfunction()
