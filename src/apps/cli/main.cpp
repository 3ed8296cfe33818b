#include <csignal>
#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "base/ending_signals.h"
#include "cli/cli.h"
#if defined(BROKKR_RESEARCH)
#include "research_modules.h"
#endif

int main(int argc, char** argv) {
#if defined(__GLIBC__)
  // Every frame allocates and frees pictures. Returning their pages to the system each time would cost more than
  // filling them.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest value that glibc accepts
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
  // If a log exceeds the file size limit (ulimit -f), report an error instead of being killed.
  std::signal(SIGXFSZ, SIG_IGN);
  brokkr::end_after_files_in_the_making();
  std::vector<brokkr::app::Module> modules;
#if defined(BROKKR_RESEARCH)
  modules = brokkr::app::research_modules();
#endif
  return brokkr::app::run(argc, argv, modules);
}
