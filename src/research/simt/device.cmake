# brokkr-simt.so, the simulated device: the CUDA machine's own text with PTX in place of machine code, the interpreter's
# runtime in place of CUDA's, and the machine that counts cycles. The program loads it where --machine simt is asked
# for, and links nothing of it. CMake's CUDA language may be off, or build for real devices: nvcc is called by name.
find_package(CUDAToolkit QUIET)
if(NOT BROKKR_SIMT_NVCC OR NOT CUDAToolkit_FOUND)
  return()
endif()
set(cuda_sources)
foreach(name device_frame kernel kernel_built_in kernel_opaque launch machine resolve squares task_machine watch)
  list(APPEND cuda_sources engine/pipeline/cuda/${name}.cu)
endforeach()
list(APPEND cuda_sources research/trace/trace_kernel.cu research/reyes/reyes_kernel.cu research/lab/lab_kernel.cu)

set(folder ${PROJECT_BINARY_DIR}/generated/simt/device)
file(MAKE_DIRECTORY ${folder})
set(nvcc_flags -std=c++20 -O3 -DNDEBUG --fmad=false --expt-relaxed-constexpr --extended-lambda -lineinfo
    -gencode arch=compute_90,code=compute_90 -Xcompiler=-fPIC,-fvisibility=hidden,-ffp-contract=off
    -DBROKKR_SIMT_DEVICE=1 -DBROKKR_CUDA_BLOCKS_PER_SM=2 -I${BROKKR_ENGINE_ROOT} -I${BROKKR_RESEARCH_ROOT} -I${PROJECT_SOURCE_DIR}/shaders)
include(${PROJECT_SOURCE_DIR}/cmake/glm_includes.cmake)
brokkr_add_glm_includes(nvcc_flags)
set(objects)
foreach(source IN LISTS cuda_sources)
  get_filename_component(name ${source} NAME_WE)
  set(object ${folder}/${name}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${BROKKR_SIMT_NVCC} -c ${nvcc_flags} -MD -MF ${object}.d -MT ${object} -o ${object}
            ${PROJECT_SOURCE_DIR}/src/${source}
    DEPENDS ${PROJECT_SOURCE_DIR}/src/${source} DEPFILE ${object}.d
    COMMENT "Compiling ${source} to PTX" VERBATIM)
  list(APPEND objects ${object})
endforeach()

# The kernel that programs of a frame are linked into.
set(fatbin ${folder}/kernel_linked.fatbin)
add_custom_command(OUTPUT ${fatbin}
  COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${BROKKR_SIMT_NVCC} -fatbin -rdc=true ${nvcc_flags} -MD -MF ${fatbin}.d -MT ${fatbin} -o ${fatbin}
          ${PROJECT_SOURCE_DIR}/src/engine/pipeline/cuda/kernel_linked.cu
  DEPENDS ${PROJECT_SOURCE_DIR}/src/engine/pipeline/cuda/kernel_linked.cu DEPFILE ${fatbin}.d
  COMMENT "Compiling pipeline/cuda/kernel_linked.cu to PTX" VERBATIM)
file(CONFIGURE OUTPUT ${folder}/kernel_linked.cpp CONTENT [[
__asm__(
    ".pushsection .rodata\n.balign 64\n"
    ".globl brokkr_kernel_linked_begin\n.hidden brokkr_kernel_linked_begin\nbrokkr_kernel_linked_begin:\n"
    ".incbin \"@fatbin@\"\n"
    ".globl brokkr_kernel_linked_end\n.hidden brokkr_kernel_linked_end\nbrokkr_kernel_linked_end:\n"
    ".byte 0\n.popsection\n");
]] @ONLY)
set_source_files_properties(${folder}/kernel_linked.cpp PROPERTIES OBJECT_DEPENDS ${fatbin})
include(${PROJECT_SOURCE_DIR}/cmake/linked_headers.cmake)

set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)

file(GLOB device_sources CONFIGURE_DEPENDS device/*.cpp)
file(GLOB runtime_sources CONFIGURE_DEPENDS ../ptx/runtime_*.cpp ../ptx/registry.cpp ../ptx/queue.cpp)
list(APPEND device_sources ../lab/queue/queue_shape.cpp)
file(GLOB cuda_host_sources CONFIGURE_DEPENDS ${BROKKR_ENGINE_ROOT}/pipeline/cuda/*.cpp)
add_library(brokkr-simt MODULE ${device_sources} ${runtime_sources} ${cuda_host_sources} ${objects} ${fatbin}
                               ${folder}/kernel_linked.cpp $<TARGET_OBJECTS:brokkr_frame> $<TARGET_OBJECTS:brokkr_host>)
set(exports ${CMAKE_CURRENT_SOURCE_DIR}/device/exports.map)
set_target_properties(brokkr-simt PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                                             UNITY_BUILD OFF LINKER_LANGUAGE CXX LINK_DEPENDS ${exports})
target_compile_definitions(brokkr-simt PRIVATE BROKKR_SIMT_DEVICE=1 BROKKR_CUDA_BLOCKS_PER_SM=2)
target_include_directories(brokkr-simt PRIVATE ${BROKKR_INCLUDE_ROOTS} ${PROJECT_SOURCE_DIR}/shaders
                                               ${PROJECT_BINARY_DIR}/generated)
target_include_directories(brokkr-simt SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
target_link_options(brokkr-simt PRIVATE LINKER:--version-script,${exports} LINKER:--exclude-libs,ALL LINKER:--no-undefined)
target_link_libraries(brokkr-simt PRIVATE brokkr_simt_core brokkr_ptx_core brokkr_options brokkr_scene_dependencies
                                          glm::glm fmt::fmt nlohmann_json::nlohmann_json Threads::Threads ${CMAKE_DL_LIBS})
