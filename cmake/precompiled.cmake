# Headers that most files read, compiled once: reading them is a third of the time that a small test takes, and a sixth of
# what a clone compiles before its first picture. Only for Clang: GCC refuses precompiled headers where a target has other
# definitions, as most of these have.
#
# A precompiled header of CMake contains the path of its build folder, so that the compiler cache would compile its users
# again in every build folder. The main file of ours is empty and has the same path everywhere, and the headers are
# options: what comes out depends only on the compiler, its options and the headers.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  set(BROKKR_PRECOMPILES ON)
else()
  set(BROKKR_PRECOMPILES OFF)
endif()

# Adds the headers `name`. A user must be compiled with the same options: those of the library `options`, at the same
# optimization level, and as PIC, or, if `code` is -fPIE, as a program.
function(brokkr_add_precompiled name code options)
  if(NOT BROKKR_PRECOMPILES)
    return()
  endif()
  set_source_files_properties(/dev/null PROPERTIES LANGUAGE CXX)
  add_library(${name} OBJECT EXCLUDE_FROM_ALL /dev/null)
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF POSITION_INDEPENDENT_CODE OFF)
  target_link_libraries(${name} PRIVATE ${options})
  list(TRANSFORM ARGN PREPEND "SHELL:-Xclang -include -Xclang " OUTPUT_VARIABLE includes)
  # Without the time of each header in it, the compiler cache knows the result again.
  target_compile_options(${name} PRIVATE ${code} -x c++-header -fpch-instantiate-templates "SHELL:-Xclang -fno-pch-timestamp" ${includes})
  add_custom_target(${name}_made DEPENDS $<TARGET_OBJECTS:${name}>)
endfunction()

# Makes targets read the headers `name` first. Names without a target are ignored, because parts can be left out.
function(brokkr_precompile name)
  foreach(target IN LISTS ARGN)
    if(BROKKR_PRECOMPILES AND TARGET ${target})
      target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include-pch $<TARGET_OBJECTS:${name}>>")
      # Users are compiled again when a header changes, because the compiler names these headers among theirs.
      add_dependencies(${target} ${name}_made)
    endif()
  endforeach()
endfunction()

add_library(brokkr_host_header_options INTERFACE)
target_link_libraries(brokkr_host_header_options INTERFACE brokkr_options nlohmann_json::nlohmann_json)
brokkr_add_precompiled(brokkr_host_headers -fPIC brokkr_host_header_options
  nlohmann/json.hpp algorithm array atomic bit charconv chrono cmath cstdint cstdlib cstring filesystem fstream functional map
  memory mutex numeric optional set span sstream stdexcept string string_view thread unordered_map utility variant vector)
