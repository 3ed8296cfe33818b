# Adds -I for each folder of GLM to the named list, for commands that CMake does not generate from targets. Leaves out
# /usr/include, because compilers search it by themselves, in their own order.
function(brokkr_add_glm_includes name_of_list)
  get_target_property(glm_folders glm::glm INTERFACE_INCLUDE_DIRECTORIES)
  set(glm_flags)
  foreach(glm_folder IN LISTS glm_folders)
    if(NOT glm_folder STREQUAL "/usr/include")
      list(APPEND glm_flags -I${glm_folder})
    endif()
  endforeach()
  set(${name_of_list} ${${name_of_list}} ${glm_flags} PARENT_SCOPE)
endfunction()
