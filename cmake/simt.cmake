# The SIMT machine. It only measures, so a build of the product alone leaves it out. Sets BROKKR_SIMT, and
# BROKKR_SIMT_NVCC: the nvcc that makes the PTX of its kernels and the simulated device. These take minutes, so they are
# built only if the option is ON (the preset ptx) or the CUDA machine is built. Otherwise the machine times only PTX
# files.
set(BROKKR_SIMT_NVCC)
if(BROKKR_HAVE_CUDA)
  set(BROKKR_SIMT_NVCC ${CMAKE_CUDA_COMPILER})
elseif(BROKKR_SIMT AND NOT BROKKR_SIMT STREQUAL "AUTO")
  find_program(BROKKR_NVCC nvcc HINTS /usr/local/cuda/bin /opt/cuda/bin)
  mark_as_advanced(BROKKR_NVCC)
  if(NOT BROKKR_NVCC)
    message(FATAL_ERROR "BROKKR_SIMT: nvcc, which makes the PTX of its kernels, was not found; or set BROKKR_SIMT=AUTO")
  endif()
  set(BROKKR_SIMT_NVCC ${BROKKR_NVCC})
endif()
if(BROKKR_SIMT STREQUAL "AUTO")
  set(BROKKR_SIMT OFF)
  if(NOT BROKKR_TESTS STREQUAL "OFF")
    find_package(GTest QUIET)
    set(BROKKR_SIMT ${GTest_FOUND})
  endif()
endif()
