# The kernels that programs of a frame are linked into at run time (pipeline/cuda/linked_programs.h). The library
# contains their relocatable code for all architectures as data, and the headers of the programs as text.
set(architectures)
foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
  if(architecture MATCHES "^([0-9]+[a-z]?)(-real|-virtual)?$")
    set(number ${CMAKE_MATCH_1})
    if(NOT CMAKE_MATCH_2 STREQUAL "-virtual" AND NOT BROKKR_PTX)
      list(APPEND architectures -gencode arch=compute_${number},code=sm_${number})
    endif()
    if(NOT CMAKE_MATCH_2 STREQUAL "-real")
      list(APPEND architectures -gencode arch=compute_${number},code=compute_${number})
    endif()
  else()
    list(APPEND architectures -arch=${architecture})  # native, all, all-major
  endif()
endforeach()
# Functions of relocatable code do not know the kernel's launch bounds: blocks have 256 threads.
math(EXPR registers "65536 / 256 / ${BROKKR_CUDA_BLOCKS_PER_SM} / 8 * 8")
if(registers GREATER 255)
  set(registers 255)
endif()
set(flags ${BROKKR_CUDA_FLAGS} -maxrregcount=${registers})
list(REMOVE_ITEM flags -Xptxas=-v)
include(${PROJECT_SOURCE_DIR}/cmake/glm_includes.cmake)
brokkr_add_glm_includes(flags)
if(CMAKE_CUDA_HOST_COMPILER)
  list(APPEND flags -ccbin=${CMAKE_CUDA_HOST_COMPILER})
endif()
set(kernel_data)
foreach(kernel kernel_linked kernel_linked_vertices)
  set(fatbin ${PROJECT_BINARY_DIR}/generated/brokkr_${kernel}.fatbin)
  add_custom_command(
    OUTPUT ${fatbin}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/generated
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CUDA_COMPILER} -fatbin -rdc=true -std=c++20 -O3 -DNDEBUG ${flags} ${architectures}
            -DBROKKR_CUDA_BLOCKS_PER_SM=${BROKKR_CUDA_BLOCKS_PER_SM} -I${BROKKR_ENGINE_ROOT}
            -I${PROJECT_SOURCE_DIR}/shaders -MD -MF ${fatbin}.d -MT ${fatbin} -o ${fatbin}
            ${PROJECT_SOURCE_DIR}/src/engine/pipeline/cuda/${kernel}.cu
    DEPENDS ${PROJECT_SOURCE_DIR}/src/engine/pipeline/cuda/${kernel}.cu
    DEPFILE ${fatbin}.d
    COMMENT "Building ${kernel}, which programs are linked into" VERBATIM)
  set(data ${PROJECT_BINARY_DIR}/generated/brokkr_${kernel}.cpp)
  file(CONFIGURE OUTPUT ${data} CONTENT [[
__asm__(
    ".pushsection .rodata\n"
    ".balign 64\n"
    ".globl brokkr_@kernel@_begin\n"
    ".hidden brokkr_@kernel@_begin\n"
    "brokkr_@kernel@_begin:\n"
    ".incbin \"@fatbin@\"\n"
    ".globl brokkr_@kernel@_end\n"
    ".hidden brokkr_@kernel@_end\n"
    "brokkr_@kernel@_end:\n"
    ".byte 0\n"
    ".popsection\n");
]] @ONLY)
  set_source_files_properties(${data} PROPERTIES OBJECT_DEPENDS ${fatbin} SKIP_UNITY_BUILD_INCLUSION ON)
  list(APPEND kernel_data ${data} ${fatbin})
endforeach()
add_library(brokkr_linked_kernel OBJECT ${kernel_data})
target_sources(brokkr PRIVATE $<TARGET_OBJECTS:brokkr_linked_kernel>)

include(${PROJECT_SOURCE_DIR}/cmake/linked_headers.cmake)
target_include_directories(brokkr PRIVATE ${PROJECT_BINARY_DIR}/generated)
target_link_libraries(brokkr PRIVATE ${CMAKE_DL_LIBS})
