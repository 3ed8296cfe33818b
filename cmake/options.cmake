# brokkr_options: the options that compile all of our targets.
add_library(brokkr_options INTERFACE)

# The image must not depend on whether a compiler fuses a multiplication with an addition, so nothing is contracted.
set(BROKKR_CXX_FLAGS -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
# Designated initializers name only members that differ from the defaults. We use them for that.
list(APPEND BROKKR_CXX_FLAGS -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC notes for every vector argument that its calling convention changed in version 4.6. GCC 12 also reports overlaps
  # in std::string's operator+ that do not exist (its bug 105651).
  # In unity builds, GCC takes the files for headers whose unnamed namespaces would leak.
  list(APPEND BROKKR_CXX_FLAGS -Wno-psabi -Wno-restrict -Wno-subobject-linkage)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # In C++, GCC's -Wconversion ignores signs, but Clang's does not.
  # libstdc++ 12's std::stable_sort uses std::get_temporary_buffer, which C++17 deprecates.
  list(APPEND BROKKR_CXX_FLAGS -Wno-sign-conversion -Wno-deprecated-declarations)
endif()
if(BROKKR_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # With a sanitizer's checks, GCC 12 loses track of which member of a variant is alive.
  list(APPEND BROKKR_CXX_FLAGS -Wno-maybe-uninitialized)
endif()
if(BROKKR_WERROR)
  list(APPEND BROKKR_CXX_FLAGS -Werror)
endif()
target_compile_options(brokkr_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${BROKKR_CXX_FLAGS}>")

# brokkr_cold_options: for code that waits for people and files, such as commands and their texts. At -O1 it compiles in
# a fifth less time, and it is fast enough. At -O1, a compiler does not follow values far enough to find uninitialized
# uses; the other code is still checked for them.
add_library(brokkr_cold_options INTERFACE)
target_link_libraries(brokkr_cold_options INTERFACE brokkr_options)
target_compile_options(brokkr_cold_options INTERFACE "$<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<CONFIG:Release>>:-O1;-Wno-maybe-uninitialized>"
                       "$<$<AND:$<COMPILE_LANG_AND_ID:CXX,Clang>,$<CONFIG:Release>>:-O1>")

# brokkr_test_options: for the code of tests. Most of their time runs in the libraries, and without optimization a test
# compiles in a third of the time.
add_library(brokkr_test_options INTERFACE)
target_link_libraries(brokkr_test_options INTERFACE brokkr_options)
target_compile_options(brokkr_test_options INTERFACE "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O0>")

# Debian names its shared libraries in whole groups. Only those that are used become dependencies.
target_link_options(brokkr_options INTERFACE LINKER:--as-needed)

if(BROKKR_SANITIZE)
  set(BROKKR_SANITIZE_FLAGS -fsanitize=${BROKKR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  if(BROKKR_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND BROKKR_SANITIZE_FLAGS -Wno-tsan)  # GCC warns that fences are not modelled; the queues use none
  endif()
  # Set for the directory, because test helpers and third-party sources compiled here must be instrumented too.
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${BROKKR_SANITIZE_FLAGS}>")
  add_link_options(-fsanitize=${BROKKR_SANITIZE})
endif()

if(BROKKR_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "BROKKR_FUZZ needs clang: install clang-19, or name one with -DCMAKE_CXX_COMPILER and -DCMAKE_C_COMPILER")
  endif()
  # Coverage feedback in the code under test. Reports of each comparison took the fuzzer a third of its time (perf). It
  # does not need them, because it knows the structure of files and their words.
  add_compile_options(-fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp)
endif()
