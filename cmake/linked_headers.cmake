# The headers, as text, of programs that are compiled and linked into the kernel at run time
# (pipeline/cuda/linked_programs.h).
set(headers)
foreach(header machine/cuda_warp.h machine/halves.h machine/lane.h machine/lane_math.h machine/linked_lane.h machine/machine.h machine/near_words.h
               shader/compiled_call.h shade/compiled_shader.h shade/lane_functions.h shade/linked_call.h
               shade/linked_run.h shader/operation.h shader/operations.def)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(READ ${BROKKR_ENGINE_ROOT}/${header} text)
  string(APPEND headers "{\"${header}\", R\"brokkr_text(${text})brokkr_text\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/brokkr_linked_headers.inc CONTENT "${headers}" @ONLY)
