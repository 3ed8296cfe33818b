# `cmake --install`, `find_package(brokkr)` and the Debian package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/brokkr)
install(TARGETS brokkr brokkr_scene_dependencies EXPORT brokkr-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
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
install(EXPORT brokkr-targets NAMESPACE brokkr:: DESTINATION ${package_dir})

# The public headers; everything else under src/ is how it works inside.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/scene ${PROJECT_SOURCE_DIR}/src/bin
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/brokkr FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/src/pipeline/renderer.h ${PROJECT_SOURCE_DIR}/src/pipeline/statistics.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/brokkr/pipeline)
install(FILES ${PROJECT_SOURCE_DIR}/src/schedule/schedule_tables.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/brokkr/schedule)

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
# What a program that links the library needs as well.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, libglm-dev, libzstd-dev, libtinyobjloader-dev, libtinyexr-dev, libstb-dev, nlohmann-json3-dev")
include(CPack)
