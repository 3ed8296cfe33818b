# Third-party libraries. All of them are Debian 12 packages (tools/packages.sh installs them).
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(glm REQUIRED)
find_package(zstd REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tinyobjloader REQUIRED)
find_package(tinyexr REQUIRED)
find_package(meshoptimizer REQUIRED)
find_package(CLI11 REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(fmt REQUIRED)

# stb has no CMake package: headers in <prefix>/include/stb and one library with their implementations.
find_path(BROKKR_STB_INCLUDE_DIR stb/stb_image.h REQUIRED)
find_library(BROKKR_STB_LIBRARY stb REQUIRED)
mark_as_advanced(BROKKR_STB_INCLUDE_DIR BROKKR_STB_LIBRARY)

# The libraries with which src/engine reads and writes files. None of our headers includes theirs: a program that links
# the installed static library needs the libraries, but not their headers.
add_library(brokkr_scene_dependencies INTERFACE)
target_include_directories(brokkr_scene_dependencies SYSTEM INTERFACE
  $<BUILD_INTERFACE:${BROKKR_STB_INCLUDE_DIR}> $<BUILD_INTERFACE:${BROKKR_STB_INCLUDE_DIR}/stb>)
target_link_libraries(brokkr_scene_dependencies INTERFACE
  zstd::libzstd_shared fmt::fmt OpenSSL::Crypto $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>
  tinyobjloader::tinyobjloader tinyexr meshoptimizer::meshoptimizer $<BUILD_INTERFACE:${BROKKR_STB_LIBRARY}> $<INSTALL_INTERFACE:stb>)
