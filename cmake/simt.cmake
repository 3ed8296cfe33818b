# The SIMT machine: left out where nothing but the product is built, as it only measures. Sets BROKKR_SIMT. nvcc makes the
# PTX of its kernels; without it the machine times PTX files alone.
if(BROKKR_SIMT STREQUAL "AUTO")
  set(BROKKR_SIMT OFF)
  # A sanitizer would have to know of the memory that the interpreter lays out itself.
  if(NOT BROKKR_TESTS STREQUAL "OFF" AND NOT BROKKR_FUZZ AND NOT BROKKR_SANITIZE)
    find_package(GTest QUIET)
    set(BROKKR_SIMT ${GTest_FOUND})
  endif()
endif()
if(BROKKR_SIMT)
  find_program(BROKKR_NVCC nvcc HINTS /usr/local/cuda/bin /opt/cuda/bin)
  mark_as_advanced(BROKKR_NVCC)
  if(NOT BROKKR_NVCC)
    message(STATUS "SIMT machine: without kernels of its own, no nvcc was found")
  endif()
endif()
