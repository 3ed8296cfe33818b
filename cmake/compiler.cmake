# The compiler that builds Brokkr if the user names none: clang 19 if it is installed, otherwise CMake's choice (g++ 12
# on Debian 12). Both give the same pictures; clang compiles the CPU kernels in about a third of the time. Name another
# compiler with CXX and CC, or -DCMAKE_CXX_COMPILER and -DCMAKE_C_COMPILER. Included before project().
if(NOT CMAKE_CXX_COMPILER AND NOT CMAKE_C_COMPILER AND NOT CMAKE_TOOLCHAIN_FILE
   AND NOT DEFINED ENV{CXX} AND NOT DEFINED ENV{CC})
  find_program(BROKKR_CLANGXX clang++-19)
  find_program(BROKKR_CLANG clang-19)
  mark_as_advanced(BROKKR_CLANGXX BROKKR_CLANG)
  if(BROKKR_CLANGXX AND BROKKR_CLANG)
    set(CMAKE_CXX_COMPILER ${BROKKR_CLANGXX})
    set(CMAKE_C_COMPILER ${BROKKR_CLANG})
  endif()
endif()
