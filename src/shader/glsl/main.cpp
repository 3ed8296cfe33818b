// brokkr-glsl: compiles one shader, so that a text which breaks the compiler breaks nothing else.
//
//   brokkr-glsl [--preprocess] < shader > result
//
// The result is SPIR-V, or the preprocessed text. Errors are one line on standard error, "LINE: problem", where line 0
// is no line, and exit status 1. The process limits itself in memory and time.
#include <sys/resource.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <iterator>
#include <new>
#include <string>

#include "shader/glsl/glsl.h"

namespace {

constexpr rlim_t kMostMemory = rlim_t(2) << 30;  // bytes of addresses; a shader of a game takes 50 MB
constexpr rlim_t kMostSeconds = 20;              // of a processor; a shader of a game takes 0.02

void limit(__rlimit_resource_t resource, rlim_t most) {
  rlimit now{};
  if (getrlimit(resource, &now) != 0) return;
  now.rlim_cur = now.rlim_max == RLIM_INFINITY || now.rlim_max > most ? most : now.rlim_max;
  setrlimit(resource, &now);
}

void write(const void* data, size_t bytes) {
  if (std::fwrite(data, 1, bytes, stdout) != bytes || std::fflush(stdout) != 0)
    throw brokkr::shader::ShaderError(0, "the result cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // their shadows take terabytes of addresses
  limit(RLIMIT_AS, kMostMemory);
#endif
  limit(RLIMIT_CPU, kMostSeconds);
  limit(RLIMIT_CORE, 0);
  try {
    const std::string text{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
    if (argc > 1 && std::strcmp(argv[1], "--preprocess") == 0) {
      const std::string seen = brokkr::shader::preprocess_glsl(text);
      write(seen.data(), seen.size());
    } else {
      const std::vector<uint32_t> words = brokkr::shader::compile_glsl(text);
      write(words.data(), words.size() * sizeof(uint32_t));
    }
    return 0;
  } catch (const brokkr::shader::ShaderError& error) {
    std::cerr << error.line() << ": " << error.what() << '\n';
  } catch (const std::bad_alloc&) {
    std::cerr << "0: it needs more memory than a shader may take to compile\n";
  } catch (const std::exception& error) {
    std::cerr << "0: " << error.what() << '\n';
  }
  return 1;
}
