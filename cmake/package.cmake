# The Debian packages. `cpack` in a build folder writes brokkr, brokkr-viewer, brokkr-ranks and libbrokkr-dev. Programs
# without a window need no GL, no LLVM and no Python. Packages that only some commands need are recommended.
set(CPACK_GENERATOR DEB)
# If you give packages to others, set an address at which you answer; tools/release insists on it. Nobody can own the
# domain of the default [RFC 2606].
set(BROKKR_MAINTAINER "" CACHE STRING "Maintainer of the Debian packages, \"NAME <ADDRESS>\" (default: DEBFULLNAME <DEBEMAIL>)")
set(maintainer "${BROKKR_MAINTAINER}")
if(NOT maintainer AND DEFINED ENV{DEBFULLNAME} AND DEFINED ENV{DEBEMAIL})
  set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
elseif(NOT maintainer)
  set(maintainer "Local build <nobody@brokkr.invalid>")
endif()
if(NOT maintainer MATCHES "^[^<>]+ <[^<>@ ]+@[^<>@ ]+>$")
  message(FATAL_ERROR "BROKKR_MAINTAINER: '${maintainer}' names no maintainer; write \"NAME <ADDRESS>\"")
endif()
set(CPACK_PACKAGE_CONTACT "${maintainer}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENTS_ALL brokkr dev)

# Each description begins with its summary.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(about "Brokkr draws captured game frames and scenes with a complete rendering
pipeline in software, in one persistent launch, on CUDA and, from the same
source, on the cores and vector units of any CPU.
.")
set(CPACK_DEBIAN_BROKKR_PACKAGE_NAME brokkr)
set(CPACK_DEBIAN_BROKKR_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_BROKKR_DESCRIPTION "streaming software rendering pipeline for CUDA and CPU
${about}
This package holds the command line, the library and what captures frames
of OpenGL programs.")
set(CPACK_DEBIAN_BROKKR_PACKAGE_RECOMMENDS "brokkr-viewer, libegl1")
set(CPACK_DEBIAN_BROKKR_PACKAGE_SUGGESTS "apitrace, mesa-utils, brokkr-ranks, python3-renderdoc, python3-numpy")

file(WRITE ${PROJECT_BINARY_DIR}/package/shlibs
     "libbrokkr ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} brokkr (>= ${PROJECT_VERSION})\n")
file(WRITE ${PROJECT_BINARY_DIR}/package/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_BROKKR_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/shlibs ${PROJECT_BINARY_DIR}/package/triggers)

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libbrokkr-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_DESCRIPTION "streaming software rendering pipeline (development files)
${about}
This package holds headers, the static library and what CMake finds them
with.")
set(same_version "brokkr (= ${PROJECT_VERSION})")
# Our headers include GLM; the static library links the others.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${same_version}, libglm-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "cmake, libzstd-dev, libfmt-dev, libssl-dev, libtinyobjloader-dev, libtinyexr-dev, libstb-dev")

if(TARGET brokkr-view)
  list(APPEND CPACK_COMPONENTS_ALL viewer)
  set(CPACK_DEBIAN_VIEWER_PACKAGE_NAME brokkr-viewer)
  set(CPACK_DEBIAN_VIEWER_PACKAGE_SECTION graphics)
  set(CPACK_DEBIAN_VIEWER_DESCRIPTION "streaming software rendering pipeline (window)
${about}
This package holds the window: patterns and policies switched live, time
lines, frame-time logs.")
  set(CPACK_DEBIAN_VIEWER_PACKAGE_DEPENDS "${same_version}, libgl1")
  set(CPACK_DEBIAN_VIEWER_PACKAGE_RECOMMENDS "libgl1-mesa-dri")
endif()

if(TARGET brokkr-mpi)
  list(APPEND CPACK_COMPONENTS_ALL ranks)
  set(CPACK_DEBIAN_RANKS_PACKAGE_NAME brokkr-ranks)
  set(CPACK_DEBIAN_RANKS_PACKAGE_SECTION graphics)
  set(CPACK_DEBIAN_RANKS_DESCRIPTION "streaming software rendering pipeline (many processes, one frame)
${about}
This package holds what speaks MPI where several processes, on one computer
or on many, draw a frame together.")
  set(CPACK_DEBIAN_RANKS_PACKAGE_DEPENDS "${same_version}, openmpi-bin")
endif()

# Each package has its own changelog and copyright file, as Debian requires.
set(package ${PROJECT_SOURCE_DIR}/cmake/package)
file(READ ${PROJECT_SOURCE_DIR}/scenes/LICENSES.md licenses)
string(REGEX REPLACE "\n\n" "\n.\n" licenses " ${licenses}")
string(REGEX REPLACE "\n" "\n " licenses "${licenses}")
string(STRIP "${licenses}" licenses)
set(licenses " ${licenses}")
configure_file(${package}/copyright.in ${PROJECT_BINARY_DIR}/package/copyright @ONLY)
find_program(BROKKR_GZIP gzip)
mark_as_advanced(BROKKR_GZIP)
configure_file(${package}/changelog.in ${PROJECT_BINARY_DIR}/package/changelog @ONLY)
if(BROKKR_GZIP)
  execute_process(COMMAND ${BROKKR_GZIP} -9nc ${PROJECT_BINARY_DIR}/package/changelog OUTPUT_FILE ${PROJECT_BINARY_DIR}/package/changelog.gz)
endif()
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(name ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  install(FILES ${PROJECT_BINARY_DIR}/package/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
  install(FILES ${PROJECT_BINARY_DIR}/package/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component}
          OPTIONAL)
  if(EXISTS ${package}/${name}.lintian-overrides)
    install(FILES ${package}/${name}.lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${name}
            COMPONENT ${component})
  endif()
endforeach()
include(CPack)
