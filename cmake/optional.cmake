# Optional parts. AUTO builds a part that works here, ON insists on it, and OFF leaves it out. A half-installed package
# must not stop a build that can do without it, so a package that AUTO finds is first tried in a separate project.

# Says in one line that `part` is left out, and why. If an option is named and it is ON, this is an error.
function(brokkr_left_out part why)
  if(ARGC GREATER 2 AND "${${ARGV2}}" AND NOT "${${ARGV2}}" STREQUAL "AUTO")
    message(FATAL_ERROR "${part}: ${why}; or set ${ARGV2}=OFF")
  endif()
  message(STATUS "${part}: left out, ${why}")
endfunction()

# Sets `result` to ON if a program of `SOURCE` can be built with the packages that `FIND` finds. `FIND` holds CMake
# commands, such as find_package(glfw3). The program includes the folders INCLUDE and links LINK. A separate CMake
# configures and builds the project, because an error in a package's CMake files ends the CMake that reads them. It uses
# this build's compilers and does not check them again. A success stays in the cache until the question changes.
# <result>_WHY is one line that says what failed.
function(brokkr_try result part)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "SOURCE" "FIND;INCLUDE;LINK")
  set(folder ${PROJECT_BINARY_DIR}/CMakeFiles/try/${part})
  list(JOIN arg_FIND "\n" find)
  list(JOIN arg_INCLUDE "\" \"" include)
  list(JOIN arg_LINK "\" \"" link)
  string(CONFIGURE [[
cmake_minimum_required(VERSION 3.25)
project(try LANGUAGES C CXX)
set(CMAKE_CXX_STANDARD 20)
list(APPEND CMAKE_MODULE_PATH "@CMAKE_CURRENT_FUNCTION_LIST_DIR@")
@find@
add_executable(try try.cpp)
target_include_directories(try PRIVATE "@include@")
target_link_libraries(try PRIVATE "@link@")
]] project @ONLY)
  # The user's CMake settings about packages apply here too.
  set(settings)
  get_cmake_property(variables CACHE_VARIABLES)
  foreach(variable IN LISTS variables ITEMS CMAKE_MODULE_PATH)
    if(variable MATCHES "^(CMAKE_(PREFIX|MODULE|LIBRARY|INCLUDE)_PATH|CMAKE_DISABLE_FIND_PACKAGE_.+|.+_(DIR|ROOT)|MPI_.+)$"
       AND NOT variable MATCHES "^(CMAKE_HOME|brokkr|BROKKR|FETCHCONTENT)" AND NOT "${${variable}}" MATCHES "NOTFOUND$")
      string(APPEND settings "set(${variable} [==[${${variable}}]==] CACHE STRING \"\" FORCE)\n")
    endif()
  endforeach()
  string(SHA1 question "${project}${arg_SOURCE}${settings}")
  if("${BROKKR_TRIED_${part}}" STREQUAL question)
    set(${result} ON PARENT_SCOPE)
    return()
  endif()

  file(REMOVE_RECURSE ${folder})
  file(WRITE ${folder}/CMakeLists.txt "${project}")
  file(WRITE ${folder}/try.cpp "${arg_SOURCE}\n")
  file(WRITE ${folder}/settings.cmake "${settings}")
  file(GLOB compilers ${CMAKE_PLATFORM_INFO_DIR}/CMakeC*Compiler.cmake ${CMAKE_PLATFORM_INFO_DIR}/CMakeSystem.cmake)
  file(COPY ${compilers} DESTINATION ${folder}/build/CMakeFiles/${CMAKE_VERSION})
  set(log ${folder}/log)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${folder} -B ${folder}/build -G ${CMAKE_GENERATOR} -C ${folder}/settings.cmake
                          -DCMAKE_MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM} -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER_LAUNCHER=
                          -DCMAKE_CXX_COMPILER_LAUNCHER=
                  RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(status EQUAL 0)
    execute_process(COMMAND ${CMAKE_COMMAND} --build ${folder}/build RESULT_VARIABLE status OUTPUT_VARIABLE built
                    ERROR_VARIABLE built)
    string(APPEND said "${built}")
  endif()
  file(WRITE ${log} "${said}")
  if(status EQUAL 0)
    set(BROKKR_TRIED_${part} ${question} CACHE INTERNAL "The question about ${part} that was answered yes")
    set(${result} ON PARENT_SCOPE)
    return()
  endif()
  unset(BROKKR_TRIED_${part} CACHE)
  set(${result} OFF PARENT_SCOPE)
  # CMake's own messages are indented below a heading; a compiler's are on one line.
  set(why "a program that uses it is not built")
  foreach(pattern "(undefined reference to [^\n]+)" "error: ([^\n]+)" "CMake Error in [^\n]*\n+ +([^\n]+\n+[^\n]*)"
                  "CMake Error at [^\n]*\n+ +([^\n]+)")
    if(said MATCHES "${pattern}")
      string(REGEX REPLACE "[ \n]+" " " why "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  if(said MATCHES "By not providing|Could NOT find|Could not find")
    set(why "it was not found")
  endif()
  set(${result}_WHY "${why} (${log})" PARENT_SCOPE)
endfunction()
