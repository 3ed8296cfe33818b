# The command line. Its parts are a library so that tests can call them.
file(GLOB BROKKR_CLI_SOURCES CONFIGURE_DEPENDS cli/*.cpp)
if(BROKKR_CLI_SOURCES)
  add_library(brokkr_cli_parts STATIC ${BROKKR_CLI_SOURCES})
  include(GNUInstallDirs)  # `brokkr capture` looks for its library there
  target_compile_definitions(brokkr_cli_parts PRIVATE BROKKR_VERSION="${PROJECT_VERSION}"
                                                      BROKKR_LIBDIR="${CMAKE_INSTALL_LIBDIR}")
  # The commit that `brokkr bench` notes beside its numbers, looked up in every build.
  add_custom_target(brokkr_commit BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/brokkr_commit.h
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${PROJECT_BINARY_DIR}/generated/brokkr_commit.h
            -P ${PROJECT_SOURCE_DIR}/cmake/commit.cmake COMMENT "")
  add_dependencies(brokkr_cli_parts brokkr_commit)
  target_include_directories(brokkr_cli_parts PRIVATE ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(brokkr_cli_parts PUBLIC brokkr brokkr_lab brokkr_batch brokkr_log brokkr_inspect PRIVATE brokkr_options CLI11::CLI11 nlohmann_json::nlohmann_json)

  add_executable(brokkr_cli main.cpp)
  set_target_properties(brokkr_cli PROPERTIES OUTPUT_NAME brokkr RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_link_libraries(brokkr_cli PRIVATE brokkr_cli_parts brokkr_options)
endif()
