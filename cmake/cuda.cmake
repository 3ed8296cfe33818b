# The CUDA machine: found or left out. Sets BROKKR_HAVE_CUDA. Nothing of CUDA is looked at when it is OFF.
set(BROKKR_HAVE_CUDA OFF)
file(GLOB BROKKR_CUDA_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*.cu ${PROJECT_SOURCE_DIR}/tests/*/*.cu)
if(BROKKR_CUDA STREQUAL "OFF" OR NOT BROKKR_CUDA_SOURCES)
  return()
endif()
if(NOT BROKKR_CUDA MATCHES "^(AUTO|ON)$")
  message(FATAL_ERROR "BROKKR_CUDA: '${BROKKR_CUDA}' is not one of AUTO, ON, OFF")
endif()

# The toolkit's own installer leaves nvcc off the PATH.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(BROKKR_NVCC nvcc HINTS /usr/local/cuda/bin /opt/cuda/bin)
  mark_as_advanced(BROKKR_NVCC)
  if(BROKKR_NVCC)
    set(CMAKE_CUDA_COMPILER ${BROKKR_NVCC})
  endif()
endif()
# Named before the language is enabled: the compiler check would try an architecture that CUDA 13 dropped.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES ${BROKKR_CUDA_ARCHITECTURES})
endif()

include(CheckLanguage)
if(BROKKR_CUDA STREQUAL "AUTO")
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    message(STATUS "CUDA machine: left out, no working nvcc was found (set CUDACXX or -DBROKKR_CUDA=ON to insist)")
    return()
  endif()
endif()
enable_language(CUDA)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(BROKKR_HAVE_CUDA ON)
message(STATUS "CUDA machine: ${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_COMPILER_VERSION}, ${CMAKE_CUDA_ARCHITECTURES}")

# Flags of every .cu file. No fused multiply-add: the CPU machine has none, and the images must agree.
set(BROKKR_CUDA_FLAGS --fmad=false --expt-relaxed-constexpr --extended-lambda -Xptxas=-v)
# What ptxas reports (registers, spills) is kept beside each object, as <object>.ptxas.
set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CURRENT_LIST_DIR}/keep-ptxas-report)
add_library(brokkr_cuda_options INTERFACE)
target_compile_options(brokkr_cuda_options INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${BROKKR_CUDA_FLAGS}>")
