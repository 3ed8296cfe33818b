// brokkr-glsl compiles shaders in a separate process, so that a text which crashes the compiler crashes nothing else.
// It reads requests from its standard input and answers on its standard output (shader/front_end.h). It limits its
// memory and time. It ends when its input ends or when the program that started it ends, for any reason.
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "base/sanitizers.h"
#include "shader/front_end.h"
#include "shader/glsl/glsl.h"

namespace {

using namespace brokkr::shader;

constexpr rlim_t kMaxAddressSpace = rlim_t(2) << 30;  // bytes of address space; a game's shader needs 50 MB
constexpr rlim_t kMaxSeconds = 20;                    // processor time per program; a game's needs 0.02 s

void limit(__rlimit_resource_t resource, rlim_t max) {
  rlimit now{};
  if (getrlimit(resource, &now) != 0) return;
  now.rlim_cur = now.rlim_max == RLIM_INFINITY || now.rlim_max > max ? max : now.rlim_max;
  setrlimit(resource, &now);
}

void limit_time() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  limit(RLIMIT_CPU, rlim_t(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + kMaxSeconds);
}

// Returns true if nobody waits for answers any more: the other end of the output is closed.
bool is_abandoned() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & (POLLHUP | POLLERR)) != 0;
}

bool read_bytes(void* to, size_t bytes) { return std::fread(to, 1, bytes, stdin) == bytes; }
bool read_number(uint32_t& number) { return read_bytes(&number, sizeof number); }

// Returns false at the end of the input, or if a request is malformed.
bool read_request(GlslTask& task, Texts& texts) {
  uint32_t what = 0, count = 0;
  if (!read_number(what) || !read_number(count)) return false;
  task = GlslTask(what);
  texts.clear();
  size_t all = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t bytes = 0;
    if (!read_number(bytes) || (all += bytes) > kMaxText) return false;
    if (!read_bytes(texts.emplace_back(bytes, '\0').data(), bytes)) return false;
  }
  return true;
}

bool answer(GlslStatus status, std::string_view bytes) {
  const uint32_t head[] = {uint32_t(status), uint32_t(bytes.size())};
  return std::fwrite(head, 1, sizeof head, stdout) == sizeof head &&
         std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0;
}

std::string result_of(GlslTask task, const Texts& texts) {
  if (task == GlslTask::preprocess) return preprocess_glsl(texts.front());
  if (task == GlslTask::disassemble) return disassemble_spirv(texts.front());
  const bool is_module = task == GlslTask::spirv || task == GlslTask::spirv_vertex;
  const bool is_vertex = task == GlslTask::compile_vertex || task == GlslTask::spirv_vertex;
  const Stage stage = is_vertex ? Stage::vertex : Stage::fragment;
  const std::vector<uint32_t> words = is_module ? take_spirv(texts.front(), stage) : compile_glsl(texts, stage);
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)};
}

// Returns true if another request may follow.
bool serve(GlslTask task, const Texts& texts) {
  try {
    return answer(GlslStatus::result, result_of(task, texts));
  } catch (const ShaderError& error) {
    return answer(GlslStatus::fault, std::to_string(error.line()) + ": " + error.what());
  } catch (const std::bad_alloc&) {
    return answer(GlslStatus::broken, "0: it needs more memory than a shader may take to compile") && false;
  } catch (const std::exception& error) {
    return answer(GlslStatus::broken, std::string("0: ") + error.what()) && false;
  }
}

}  // namespace

int main() {
#if !BROKKR_ADDRESS_SANITIZER && !BROKKR_THREAD_SANITIZER  // shadow memory takes terabytes of address space
  limit(RLIMIT_AS, kMaxAddressSpace);
#endif
  limit(RLIMIT_CORE, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // is_abandoned detects a program that has ended before this line
  GlslTask task{};
  Texts texts;
  do {
    limit_time();
  } while (read_request(task, texts) && !is_abandoned() && serve(task, texts));
  return 0;
}
