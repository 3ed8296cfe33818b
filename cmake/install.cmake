# `cmake --install` and `find_package(brokkr)`. cmake/package.cmake makes a Debian package of each component: brokkr
# (command line, library, capturing), viewer, ranks and dev.
include(CMakePackageConfigHelpers)

set(programs ${CMAKE_INSTALL_LIBEXECDIR}/brokkr)  # of those that nobody starts by hand
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/brokkr)

# CMake's own message about a file that was not built names the file alone. A wheel builds and installs less.
install(CODE "if(NOT CMAKE_INSTALL_COMPONENT STREQUAL \"python\" AND NOT EXISTS [==[$<TARGET_FILE:brokkr_shared>]==])
  message(FATAL_ERROR [==[not everything is built: run `cmake --build ${PROJECT_BINARY_DIR}`, then install again]==])
endif()" ALL_COMPONENTS)

# The library, shared and static, and its headers.
install(TARGETS brokkr_shared EXPORT brokkr-shared
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT brokkr NAMELINK_COMPONENT dev)
install(TARGETS brokkr brokkr_scene_dependencies EXPORT brokkr-static
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
foreach(kind shared static)
  install(EXPORT brokkr-${kind} NAMESPACE brokkr:: DESTINATION ${package_dir} COMPONENT dev)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/engine/brokkr DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
# <brokkr/tasks.h> and the headers that it includes: text for any machine, which a program compiles for itself
# (brokkr::tasks).
install(FILES ${PROJECT_SOURCE_DIR}/src/engine/schedule/tasks.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/brokkr COMPONENT dev)
foreach(room machine queue schedule)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/engine/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/brokkr/tasks COMPONENT dev
          FILES_MATCHING PATTERN *.h PATTERN tasks.h EXCLUDE)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libbrokkr-dev COMPONENT dev)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/brokkr-config.cmake.in
                              ${PROJECT_BINARY_DIR}/brokkr-config.cmake INSTALL_DESTINATION ${package_dir}
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/brokkr-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/brokkr-config.cmake ${PROJECT_BINARY_DIR}/brokkr-config-version.cmake
        DESTINATION ${package_dir} COMPONENT dev)

# The compiler of shaders, which runs as a separate process.
if(TARGET brokkr-glsl)
  install(TARGETS brokkr-glsl RUNTIME DESTINATION ${programs} COMPONENT brokkr)
endif()
if(NOT BROKKR_APPS)
  return()
endif()

# The command line, with the manual pages and completions that it writes itself.
install(TARGETS brokkr_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT brokkr)
set(pages ${PROJECT_BINARY_DIR}/pages)
add_custom_command(OUTPUT ${pages}/man1/brokkr.1.gz
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:brokkr_cli> -DPAGES=${pages} -P ${PROJECT_SOURCE_DIR}/cmake/pages.cmake
  DEPENDS brokkr_cli ${PROJECT_SOURCE_DIR}/cmake/pages.cmake COMMENT "Writing manual pages and completions")
add_custom_target(brokkr_pages ALL DEPENDS ${pages}/man1/brokkr.1.gz)
# tools/run builds what is installed.
add_dependencies(brokkr_programs brokkr_pages brokkr_shared)
install(DIRECTORY ${pages}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT brokkr)
install(FILES ${pages}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME brokkr COMPONENT brokkr)
install(FILES ${pages}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _brokkr COMPONENT brokkr)
install(FILES ${pages}/fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME brokkr.fish COMPONENT brokkr)

# The OpenGL peer of `brokkr bench`.
if(TARGET brokkr-gl-bench)
  install(TARGETS brokkr-gl-bench RUNTIME DESTINATION ${programs} COMPONENT brokkr)
endif()
# The program that uses MPI if several ranks draw a frame. It needs MPI, so it is a separate package.
if(TARGET brokkr-mpi)
  install(TARGETS brokkr-mpi LIBRARY DESTINATION ${programs} COMPONENT ranks
          PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endif()
# The library that is preloaded into captured programs.
if(TARGET brokkr-capture)
  install(TARGETS brokkr-capture LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/brokkr COMPONENT brokkr)
endif()
# Scripts that `brokkr import` starts.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/apps/import DESTINATION ${CMAKE_INSTALL_DATADIR}/brokkr COMPONENT brokkr
        FILES_MATCHING PATTERN *.py PATTERN __pycache__ EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/shaders/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/brokkr/shaders COMPONENT brokkr)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/brokkr COMPONENT brokkr)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/SECURITY.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT brokkr)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT brokkr
        FILES_MATCHING PATTERN "*.md" PATTERN "images/*" PATTERN results EXCLUDE PATTERN examples EXCLUDE)

# The window of `brokkr view`, and its files for desktops.
if(TARGET brokkr-view)
  install(TARGETS brokkr-view RUNTIME DESTINATION ${programs} COMPONENT viewer)
  set(desktop ${PROJECT_SOURCE_DIR}/cmake/package)
  install(FILES ${desktop}/brokkr.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT viewer)
  install(FILES ${desktop}/brokkr.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages COMPONENT viewer)
  install(FILES ${PROJECT_SOURCE_DIR}/assets/icon.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps
          RENAME brokkr.svg COMPONENT viewer)
endif()
