# brokkr-simt.so, the simulated device: the CUDA machine's own objects with PTX instead of machine code, the
# interpreter's runtime instead of CUDA's, and the machine that counts cycles. The program loads it for --machine simt
# and links nothing of it. It requires -DBROKKR_PTX=ON (preset ptx), because the objects must contain PTX.
if(NOT BROKKR_PTX)
  return()
endif()
set(cuda_objects $<TARGET_OBJECTS:brokkr_cuda>)
foreach(room trace reyes lab)
  if(TARGET brokkr_${room}_cuda)
    list(APPEND cuda_objects $<TARGET_OBJECTS:brokkr_${room}_cuda>)
  endif()
endforeach()

set(device_sources device/device.cpp device/host_only.cpp ../lab/queue/queue_shape.cpp)
set(cuda_host_sources compiler.cpp linked_programs.cpp name.cpp)
list(TRANSFORM cuda_host_sources PREPEND ${BROKKR_ENGINE_ROOT}/pipeline/cuda/)
add_library(brokkr-simt MODULE ${device_sources} ${BROKKR_PTX_RUNTIME_SOURCES} ${cuda_host_sources} ${cuda_objects}
                               $<TARGET_OBJECTS:brokkr_frame> $<TARGET_OBJECTS:brokkr_formats> $<TARGET_OBJECTS:brokkr_host>
                               $<TARGET_OBJECTS:brokkr_linked_kernel>)
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
