# The pipeline's kernel and the interpreter of shaders by itself, once per instruction set of the CPU machine and once
# for CUDA. The kernel of brokkr/diff.h is apart: no program of ours has it, and a first picture does not wait for it.
if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/pipeline/cpu_kernel.cpp)
  brokkr_add_isa_objects(brokkr brokkr_kernel pipeline/cpu_kernel.cpp shade/interpreter_kernel.cpp)
  brokkr_add_isa_objects(brokkr brokkr_diff_kernel diff/cpu_kernel.cpp)
  set(BROKKR_KERNEL_LIBRARIES ${brokkr_kernel_LIBRARIES} PARENT_SCOPE)
endif()

if(BROKKR_HAVE_CUDA)
  set(kernels pipeline/cuda/kernel.cu pipeline/cuda/kernel_built_in.cu pipeline/cuda/kernel_opaque.cu
              pipeline/cuda/kernel_vertices.cu)
  brokkr_add_cuda_objects(brokkr ${kernels} pipeline/cuda/device_frame.cpp pipeline/cuda/launch.cu pipeline/cuda/machine.cpp
                          pipeline/cuda/resolve.cu pipeline/cuda/squares.cu pipeline/cuda/task_machine.cpp pipeline/cuda/watch.cpp
                          diff/cuda_kernel.cu)
  target_sources(brokkr PRIVATE pipeline/cuda/compiler.cpp pipeline/cuda/linked_programs.cpp pipeline/cuda/name.cpp)
  # The compiler leaves registers for this many blocks of 256 threads: 255 per thread for 1 block, 128 for 2, 64 for 4.
  set(BROKKR_CUDA_BLOCKS_PER_SM 2 CACHE STRING "Blocks of the pipeline that share a multiprocessor: 1 to 8")
  if(NOT BROKKR_CUDA_BLOCKS_PER_SM MATCHES "^[1-8]$")
    message(FATAL_ERROR "BROKKR_CUDA_BLOCKS_PER_SM: '${BROKKR_CUDA_BLOCKS_PER_SM}' is not one of 1 to 8")
  endif()
  set_property(SOURCE ${kernels} pipeline/cuda/linked_programs.cpp APPEND PROPERTY COMPILE_DEFINITIONS
               BROKKR_CUDA_BLOCKS_PER_SM=${BROKKR_CUDA_BLOCKS_PER_SM})
  include(${PROJECT_SOURCE_DIR}/cmake/linked_kernel.cmake)
  target_compile_definitions(brokkr PRIVATE BROKKR_HAVE_CUDA=1)
  set(BROKKR_LIBRARY_USES_CUDA ON PARENT_SCOPE)
endif()
