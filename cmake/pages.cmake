# Writes the manual pages (compressed, as Debian keeps them) and completions of shells that the program generates.
#   cmake -DPROGRAM=… -DPAGES=FOLDER -P pages.cmake
function(write_page file)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${PAGES})
file(MAKE_DIRECTORY ${PAGES}/man1)
foreach(shell bash zsh fish)
  write_page(${PAGES}/${shell} --completion ${shell})
endforeach()
execute_process(COMMAND ${PROGRAM} --help-markdown OUTPUT_VARIABLE commands COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n## [a-z-]+" commands "${commands}")
list(TRANSFORM commands REPLACE "\n## " "brokkr-")
foreach(page IN LISTS commands ITEMS brokkr)  # brokkr is last: the build looks at its time
  write_page(${PAGES}/man1/${page}.1 --help-man ${page})
  execute_process(COMMAND gzip -9nf ${PAGES}/man1/${page}.1 COMMAND_ERROR_IS_FATAL ANY)
endforeach()
