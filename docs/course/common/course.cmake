# Settings that the CMakeLists.txt of every step needs: cmake -S docs/course/mpN -B build/mpN makes build/mpN/test.
cmake_minimum_required(VERSION 3.20)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE -O2)
option(OWN "Build on your own solutions of the earlier steps" OFF)

get_filename_component(course ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
get_filename_component(root ${course}/../.. ABSOLUTE)

# The code that all tests share, with the oracle that also tests Brokkr's own pipeline. The oracle is exact only with
# -ffp-contract=off: a product and a sum are two roundings.
if(NOT TARGET course_common)
  add_library(course_common STATIC
    ${course}/common/picture.cpp ${course}/common/recording.cpp ${course}/common/check.cpp ${course}/common/expected.cpp
    ${root}/tests/engine/oracle/assembly.cpp ${root}/tests/engine/oracle/fragment.cpp ${root}/tests/engine/oracle/surface.cpp
    ${root}/tests/engine/oracle/triangle.cpp)
  set_target_properties(course_common PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  target_include_directories(course_common PUBLIC ${course} PRIVATE ${course}/common ${root}/src/engine ${root}/tests/engine)
  target_compile_definitions(course_common PUBLIC COURSE_RECORDINGS="${course}/recordings")
  # GCC 12 warns of strings of the standard library that are right.
  target_compile_options(course_common PUBLIC
    -ffp-contract=off $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
    $<$<CXX_COMPILER_ID:Clang>:-Wno-unused-private-field>)  # of skeletons
  target_precompile_headers(course_common PRIVATE ${course}/common/check.h <map> <random> <set>)
endif()

# The test of step `number`, twice: `test` of what you write, `test-solution` (target `solution`) of the solution. Both
# see the earlier steps' solutions; with -DOWN=ON, `test` sees yours.
function(course_step number)
  set(step mp${number})
  set(earlier)
  set(own)
  if(number GREATER 0)
    math(EXPR last "${number} - 1")
    foreach(k RANGE ${last})
      list(PREPEND earlier ${course}/mp${k}/solution)
      list(PREPEND own ${course}/mp${k}/yours)
    endforeach()
  endif()
  if(OWN)
    set(base ${own})
  else()
    set(base ${earlier})
  endif()
  add_executable(${step}_test ${course}/${step}/test.cpp)
  set_target_properties(${step}_test PROPERTIES OUTPUT_NAME test)
  target_include_directories(${step}_test PRIVATE ${course}/${step}/yours ${base})
  add_executable(${step}_solution EXCLUDE_FROM_ALL ${course}/${step}/test.cpp)
  set_target_properties(${step}_solution PROPERTIES OUTPUT_NAME test-solution)
  target_include_directories(${step}_solution PRIVATE ${course}/${step}/solution ${earlier})
  foreach(name ${step}_test ${step}_solution)
    target_link_libraries(${name} PRIVATE course_common)
    target_compile_options(${name} PRIVATE -Wall)
    target_precompile_headers(${name} REUSE_FROM course_common)
  endforeach()
  if(NOT TARGET solution)
    add_custom_target(solution)
  endif()
  add_dependencies(solution ${step}_solution)
endfunction()
