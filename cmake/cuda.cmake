# The CUDA machine. Sets BROKKR_HAVE_CUDA. AUTO builds it if a driver of an NVIDIA GPU is found; without a driver, its
# kernels would take minutes to compile and never run. ON builds it if nvcc is found.
set(BROKKR_HAVE_CUDA OFF)
if(BROKKR_CUDA STREQUAL "OFF")
  return()
endif()
if(NOT BROKKR_CUDA MATCHES "^(AUTO|ON)$")
  message(FATAL_ERROR "BROKKR_CUDA: '${BROKKR_CUDA}' is not one of AUTO, ON, OFF")
endif()

if(BROKKR_CUDA STREQUAL "AUTO" AND NOT BROKKR_PTX)
  find_file(BROKKR_CUDA_DRIVER NAMES nvidiactl dxg libcuda.so.1 PATHS /dev /usr/lib/wsl/lib /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib64
            NO_DEFAULT_PATH)
  mark_as_advanced(BROKKR_CUDA_DRIVER)
  if(NOT BROKKR_CUDA_DRIVER)
    brokkr_left_out("CUDA machine" "no driver of an NVIDIA GPU is here; `tools/run --cuda` or -DBROKKR_CUDA=ON builds it all the same")
    return()
  endif()
endif()

# The toolkit's own installer does not add nvcc to the PATH.
if(NOT CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER $ENV{CUDACXX})
endif()
if(NOT CMAKE_CUDA_COMPILER)
  find_program(BROKKR_NVCC nvcc HINTS /usr/local/cuda/bin /opt/cuda/bin)
  mark_as_advanced(BROKKR_NVCC)
  if(NOT BROKKR_NVCC)
    brokkr_left_out("CUDA machine" "nvcc was not found (nvidia-cuda-toolkit, or name it with CUDACXX)" BROKKR_CUDA)
    return()
  endif()
  set(CMAKE_CUDA_COMPILER ${BROKKR_NVCC})
endif()
# The runtime that programs link: NVIDIA's, or the interpreter of src/research/ptx, which needs only PTX with its line
# numbers. One run of nvcc makes the PTX, and ptxas's counts of it (tools/check-spills).
set(BROKKR_CUDA_RUNTIME CUDA::cudart_static)
if(CMAKE_CUDA_RUNTIME_LIBRARY STREQUAL "Shared")
  set(BROKKR_CUDA_RUNTIME CUDA::cudart)
endif()
if(BROKKR_PTX)
  set(BROKKR_CUDA_RUNTIME $<BUILD_INTERFACE:brokkr_ptx>)
  set(BROKKR_CUDA_ARCHITECTURES 90)
  set(CMAKE_CUDA_RUNTIME_LIBRARY None)
endif()
# Set before the language is enabled, because the compiler check would try an architecture that CUDA 13 dropped.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES ${BROKKR_CUDA_ARCHITECTURES})
endif()

brokkr_try(BROKKR_NVCC_WORKS CUDA LINK CUDA::cudart SOURCE "#include <cuda_runtime.h>\nint main() { return cudaDeviceReset(); }"
           FIND "set(CMAKE_CUDA_COMPILER ${CMAKE_CUDA_COMPILER})" "set(CMAKE_CUDA_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES})"
                "enable_language(CUDA)" "find_package(CUDAToolkit REQUIRED)")
if(NOT BROKKR_NVCC_WORKS)
  brokkr_left_out("CUDA machine" "${CMAKE_CUDA_COMPILER} does not work: ${BROKKR_NVCC_WORKS_WHY}" BROKKR_CUDA)
  return()
endif()
enable_language(CUDA)
# CMake 3.25.1 does not know that nvcc speaks C++20.
if(NOT cuda_std_20 IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_COMPILE_FEATURES cuda_std_20)
  list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
endif()
find_package(CUDAToolkit REQUIRED)  # here, so that all folders below know its targets
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(BROKKR_HAVE_CUDA ON)
message(STATUS "CUDA machine: ${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_COMPILER_VERSION}, ${CMAKE_CUDA_ARCHITECTURES}")

# Flags of every .cu file. There is no fused multiply-add, because the CPU machine has none and the images must agree.
set(BROKKR_CUDA_FLAGS --fmad=false --expt-relaxed-constexpr --extended-lambda -Xptxas=-v)
if(BROKKR_PTX)
  list(APPEND BROKKR_CUDA_FLAGS -lineinfo)
endif()
# The report of ptxas (registers, spills) is kept beside each object, as <object>.ptxas. If the user sets a launcher
# (-DCMAKE_CUDA_COMPILER_LAUNCHER), the script that keeps the report starts through it.
list(APPEND CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CURRENT_LIST_DIR}/keep-ptxas-report)
add_library(brokkr_cuda_options INTERFACE)
# Compiles the CUDA files `sources` as the object library <target>_cuda, and adds the objects and the runtime to
# `target`. The simulated device links the same objects. Files without code for the device are C++, which takes a fifth of
# nvcc's time.
function(brokkr_add_cuda_objects target)
  add_library(${target}_cuda OBJECT ${ARGN})
  set_target_properties(${target}_cuda PROPERTIES CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden
                                                  VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${target}_cuda PRIVATE ${BROKKR_INCLUDE_ROOTS} ${PROJECT_SOURCE_DIR}/shaders)
  target_include_directories(${target}_cuda SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(${target}_cuda PRIVATE glm::glm Threads::Threads ${BROKKR_CUDA_RUNTIME} brokkr_options brokkr_cuda_options)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_cuda>)
  target_link_libraries(${target} PRIVATE ${BROKKR_CUDA_RUNTIME} $<BUILD_INTERFACE:brokkr_cuda_options>)
endfunction()
target_compile_options(brokkr_cuda_options INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${BROKKR_CUDA_FLAGS}>")
