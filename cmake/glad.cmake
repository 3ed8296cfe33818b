# brokkr_glad: the loader of OpenGL 4.5 and EGL 1.5 functions, including those of compatibility contexts. GLAD 2
# generates it at configure time (Debian: python3-glad, PyPI: glad2). If some Python here has glad2, that is used;
# otherwise one is installed into the build directory. glad2 carries the Khronos specifications; `--reproducible` keeps
# it from fetching newer ones.
#
# If neither works, no target is defined and BROKKR_GLAD_ERROR gives the reason. Drivers are opened at run time, so
# nothing links with libGL or libEGL.
set(BROKKR_GLAD_VERSION 2.0.8)
set(BROKKR_GLAD_API gl:compatibility=4.5,egl=1.5)
set(BROKKR_GLAD_EXTENSIONS
  EGL_EXT_platform_base EGL_EXT_platform_device EGL_EXT_device_base EGL_EXT_device_enumeration EGL_EXT_device_query
  EGL_MESA_platform_surfaceless EGL_KHR_surfaceless_context EGL_KHR_no_config_context EGL_KHR_create_context)
set(BROKKR_GLAD_DIR ${CMAKE_BINARY_DIR}/glad)
set(BROKKR_GLAD_ERROR "")

# Sets `result` to ON if this Python runs a glad2 of version 2.
function(brokkr_python_has_glad python result)
  set(${result} OFF PARENT_SCOPE)
  execute_process(COMMAND ${python} -c "import glad, jinja2, importlib.metadata as m; print(m.version('glad2'))"
    OUTPUT_VARIABLE version RESULT_VARIABLE status ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(status EQUAL 0 AND version MATCHES "^2\\.")
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

# Sets `python` to an interpreter with glad2, or BROKKR_GLAD_ERROR.
function(brokkr_find_glad python)
  find_package(Python3 COMPONENTS Interpreter QUIET)
  if(NOT Python3_Interpreter_FOUND)
    set(BROKKR_GLAD_ERROR "no python3 found (install python3 and python3-venv)" PARENT_SCOPE)
    return()
  endif()
  set(venv ${CMAKE_BINARY_DIR}/glad-venv)
  # Debian's packages may belong to another Python than the first one on the PATH.
  foreach(candidate ${Python3_EXECUTABLE} /usr/bin/python3 ${venv}/bin/python3)
    if(EXISTS ${candidate})
      brokkr_python_has_glad(${candidate} found)
      if(found)
        set(${python} ${candidate} PARENT_SCOPE)
        return()
      endif()
    endif()
  endforeach()
  message(STATUS "Installing glad2 ${BROKKR_GLAD_VERSION} into ${venv}")
  execute_process(COMMAND ${Python3_EXECUTABLE} -m venv ${venv} RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(NOT status EQUAL 0)
    set(BROKKR_GLAD_ERROR "python3 -m venv failed (install python3-venv)" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${venv}/bin/python3 -m pip install --quiet --disable-pip-version-check --retries 2
      --timeout 15 glad2==${BROKKR_GLAD_VERSION}
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(NOT status EQUAL 0)
    set(BROKKR_GLAD_ERROR "pip could not install glad2 (offline? `pip install glad2` beforehand)" PARENT_SCOPE)
    return()
  endif()
  set(${python} ${venv}/bin/python3 PARENT_SCOPE)
endfunction()

# Writes GLAD's sources to BROKKR_GLAD_DIR, once for each interface, set of extensions and version of glad2.
function(brokkr_generate_glad)
  set(stamp ${BROKKR_GLAD_DIR}/stamp)
  string(JOIN "," extensions ${BROKKR_GLAD_EXTENSIONS})
  if(EXISTS ${stamp})
    file(READ ${stamp} generated)
    if(generated STREQUAL "${BROKKR_GLAD_VERSION} ${BROKKR_GLAD_API} ${extensions}")
      return()
    endif()
  endif()
  brokkr_find_glad(python)
  if(BROKKR_GLAD_ERROR)
    set(BROKKR_GLAD_ERROR "${BROKKR_GLAD_ERROR}" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${python} -m glad --quiet --reproducible --api ${BROKKR_GLAD_API}
      --extensions ${extensions} --out-path ${BROKKR_GLAD_DIR} c --loader
    RESULT_VARIABLE status ERROR_VARIABLE message OUTPUT_QUIET)
  if(NOT status EQUAL 0)
    set(BROKKR_GLAD_ERROR "glad2 failed: ${message}" PARENT_SCOPE)
    return()
  endif()
  file(WRITE ${stamp} "${BROKKR_GLAD_VERSION} ${BROKKR_GLAD_API} ${extensions}")
endfunction()

brokkr_generate_glad()
if(NOT BROKKR_GLAD_ERROR)
  add_library(brokkr_glad STATIC ${BROKKR_GLAD_DIR}/src/gl.c ${BROKKR_GLAD_DIR}/src/egl.c)
  target_include_directories(brokkr_glad SYSTEM PUBLIC ${BROKKR_GLAD_DIR}/include)
  # Window handles are opaque, so no X11 header is needed.
  target_compile_definitions(brokkr_glad PUBLIC EGL_NO_PLATFORM_SPECIFIC_TYPES)
  target_link_libraries(brokkr_glad PRIVATE ${CMAKE_DL_LIBS})
endif()
