# Script: writes the header OUTPUT with the commit that SOURCE is at. It adds "+" if files of the program differ from
# that commit. The file changes only when its text changes.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short HEAD OUTPUT_VARIABLE commit RESULT_VARIABLE failed
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(failed)
  set(commit unknown)
else()
  execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD -- src shaders cmake CMakeLists.txt RESULT_VARIABLE changed ERROR_QUIET)
  if(changed)
    string(APPEND commit "+")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define BROKKR_COMMIT \"${commit}\"\n")
