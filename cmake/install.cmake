# `cmake --install`, `find_package(brokkr)` and the Debian package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/brokkr)
# The library, shared and static, and its headers.
install(TARGETS brokkr_shared EXPORT brokkr-shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS brokkr brokkr_scene_dependencies EXPORT brokkr-static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(kind shared static)
  install(EXPORT brokkr-${kind} NAMESPACE brokkr:: DESTINATION ${package_dir})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/brokkr DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# The command line.
if(TARGET brokkr_cli)
  install(TARGETS brokkr_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# The OpenGL peer of `brokkr bench`, not for calling by hand.
if(TARGET brokkr-gl-bench)
  install(TARGETS brokkr-gl-bench RUNTIME DESTINATION libexec/brokkr)
endif()
# The window of `brokkr view`.
if(TARGET brokkr-view)
  install(TARGETS brokkr-view RUNTIME DESTINATION libexec/brokkr)
endif()
# What `brokkr patterns` draws its report with, and `brokkr plot` its pictures; their modules lie beside them as in tools/.
install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/plot-patterns ${PROJECT_SOURCE_DIR}/tools/plot-frames DESTINATION libexec/brokkr)
install(FILES ${PROJECT_SOURCE_DIR}/tools/plotting.py ${PROJECT_SOURCE_DIR}/tools/command_line.py DESTINATION libexec/brokkr)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tools/pattern_plots DESTINATION libexec/brokkr
        FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/brokkr-config.cmake.in
                              ${PROJECT_BINARY_DIR}/brokkr-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/brokkr-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/brokkr-config.cmake ${PROJECT_BINARY_DIR}/brokkr-config-version.cmake
        DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(EXISTS ${PROJECT_SOURCE_DIR}/scenes)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/brokkr)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The Brokkr developers <brokkr@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# What a program that links the library needs as well: GLM's headers, and for the static library those after it.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, libglm-dev, libzstd-dev, libfmt-dev, libtinyobjloader-dev, libtinyexr-dev, libstb-dev")
include(CPack)
