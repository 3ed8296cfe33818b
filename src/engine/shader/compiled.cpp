#include "shader/compiled.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/process.h"
#include "base/processors.h"
#include "shader/code_cache.h"
#include "shader/print_cpp.h"

namespace brokkr::shader {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLook{5};  // interval at which a compiler is polled

struct HeaderText {
  const char *name, *text;
};
// The headers that a shader's text includes, and the headers that define the meaning of its numbers.
constexpr HeaderText kHeaders[] = {
#include "brokkr_shader_headers.inc"
};

// Results must equal those of the pipeline's own builds, so we use the same flags (cmake/isa.cmake,
// cmake/options.cmake).
std::vector<std::string> flags_of(const std::string& isa) {
  std::vector<std::string> flags = {"-std=c++20",
                                    "-O2",
                                    "-fPIC",
                                    "-shared",
                                    "-w",
                                    "-fvisibility=hidden",
                                    "-ffp-contract=off",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    "-fno-exceptions",
                                    "-fno-rtti"};
  if (isa == "v2") flags.emplace_back("-march=x86-64-v2");
  if (isa == "v3") flags.emplace_back("-march=x86-64-v3");
  if (isa == "v4") flags.insert(flags.end(), {"-march=x86-64-v4", "-mprefer-vector-width=512"});
  return flags;
}

fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path program = fs::path(folder.empty() ? "." : folder) / name;
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

// Identifies the compiler by file, size and modification time of each word that names a program.
std::string identity_of(const std::vector<std::string>& command) {
  std::string identity;
  for (const std::string& word : command) {
    std::error_code error;
    const fs::path file = fs::canonical(find_program(word), error);
    struct stat what {};
    identity += word + "\n";
    if (error || stat(file.c_str(), &what) != 0) continue;
    identity += fmt::format("{} {} {}.{}\n", file.string(), what.st_size, what.st_mtim.tv_sec, what.st_mtim.tv_nsec);
  }
  return identity;
}

void write_source(const fs::path& file, const std::string& text) {
  make_folder(file.parent_path());
  write_text(file, text);
}

// Says why a compiler failed: the first error in its output, or the first line, and the remedy.
std::string why_it_failed(const std::string& compiler, const fs::path& file) {
  std::ifstream stream(file);
  std::string said;
  for (std::string line; std::getline(stream, line);) {
    const bool is_error = line.find("error") != std::string::npos;
    if (said.empty() || is_error) said = line;
    if (is_error) break;
  }
  if (said.starts_with("sh: "))  // the output of Process's own script
    return fmt::format(
        "{} cannot be started; close other programs, or raise the limits of open files and processes (ulimit -n, -u)",
        compiler);
  return fmt::format("{} does not compile shaders ({}); name another compiler by CXX, or let shaders be interpreted",
                     compiler, said.empty() ? "without a word" : said);
}

// A running compiler. When this program ends, for any reason, the pipe to the compiler's watcher closes. The watcher
// then removes the files and kills the whole process group.
class Process {
 public:
  Process(const fs::path& folder, const std::vector<std::string>& command) {
    static const std::string script =
        "exec 3<&0 0</dev/null; (read -r line <&3; rm -rf -- \"$1\"; kill -9 0) & watcher=$!; exec 3<&-; shift; "
        "\"$@\"; status=$?; kill $watcher; exit $status";
    static constexpr const char* kNoFile =
        "no file can be opened for a compiler; close other programs, or raise the limit of open files (ulimit -n)";
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error(kNoFile);
    pipe_ = ends[1];
    const int said = open((folder / "said").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (said < 0) {
      close(ends[0]);
      close(ends[1]);
      throw std::runtime_error(kNoFile);
    }
    std::vector<std::string> words = {"sh", "-c", script, "sh", folder.string()};
    words.insert(words.end(), command.begin(), command.end());
    const auto close_theirs = [&] {
      close(ends[0]);
      close(said);
    };
    try {
      // Compilers create their temporary files in the folder of the part.
      process_ = start_program("/bin/sh", words, {{"TMPDIR", folder.string()}}, {ends[0], said, said}, true);
    } catch (...) {
      close_theirs();
      close(pipe_);
      throw;
    }
    close_theirs();
  }
  ~Process() {
    close(pipe_);
    if (process_ > 0) waitpid(process_, nullptr, 0);  // the watcher kills it
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Returns its exit status; empty while it runs.
  std::optional<int> ended() {
    int status = 0;
    if (process_ <= 0 || waitpid(process_, &status, WNOHANG) != process_) return std::nullopt;
    process_ = -1;
    return status;
  }

 private:
  pid_t process_ = -1;
  int pipe_ = -1;
};

struct TemporaryFolder {
  fs::path path;
  explicit TemporaryFolder(fs::path p) : path(std::move(p)) {}
  // Processes that the compiler started may still write there for a moment after it has ended.
  ~TemporaryFolder() {
    std::error_code error;
    for (int tries = 0; tries < 1000; ++tries) {
      fs::remove_all(path, error);
      if (!fs::exists(path, error)) return;
      std::this_thread::sleep_for(kLook);
    }
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

}  // namespace

std::vector<std::string> find_compiler(int lanes) {
  if (const char* const given = std::getenv("CXX"); given != nullptr && *given != 0) {
    std::istringstream words(given);
    std::vector<std::string> command;
    for (std::string word; words >> word;) command.push_back(word);
    if (!command.empty()) {
      const fs::path program = find_program(command.front());
      if (program.empty()) return {};
      command.front() = program;
      return command;
    }
  }
  // Programs of clang take less time with up to 8 lanes than those of g++ 12, and more with 16, where a mask has
  // registers of its own.
  std::vector<std::string> names = {"c++", "g++"};
  names.insert(lanes <= 8 ? names.begin() : names.end(), {"clang++", "clang++-19"});
  for (const std::string& name : names) {
    if (const fs::path program = find_program(name); !program.empty()) return {program};
  }
  return {};
}

class CompiledShaders::Library {
 public:
  explicit Library(const fs::path& file) : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {}
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  CompiledShader find(const std::string& name) const {
    return handle_ == nullptr ? nullptr : reinterpret_cast<CompiledShader>(dlsym(handle_, name.c_str()));
  }

 private:
  void* handle_;
};

struct CompiledShaders::Part {
  std::string text, name;         // text of the part, and name of its file in the cache
  std::vector<size_t> codes;      // numbers
  std::unique_ptr<Library> code;  // null until it is compiled
};

CompiledShaders::CompiledShaders(const std::string& isa, int lanes)
    : isa_(isa), lanes_(lanes), compiler_(find_compiler(lanes)) {}

// Adds parts with the texts of a stage's shaders. The stages have parts of their own, so that a frame's programs have
// the same files in the cache with and without vertex programs.
void CompiledShaders::add_parts(const std::vector<const Code*>& codes) {
  const size_t first = functions_.size(), first_part = parts_.size();
  functions_.resize(first + codes.size());
  std::vector<size_t> order(codes.size());
  std::iota(order.begin(), order.end(), size_t(0));
  const auto size = [&](size_t i) { return codes[i]->instructions.size(); };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return size(a) > size(b); });
  // As many compilers as processors run, each with about the same amount of work.
  const size_t parts = std::min(codes.size(), size_t(usable_processors()));
  std::vector<size_t> load(parts, 0);
  parts_.resize(first_part + parts);
  for (size_t i = first_part; i < parts_.size(); ++i) {
    parts_[i].text = fmt::format(
        "#define BROKKR_COMPILED_SHADER\n#define BROKKR_ISA compiled\n#define BROKKR_LANES {}\n"
        "#include \"shade/compiled_run.h\"\nusing namespace brokkr;\n",
        lanes_);
  }
  for (const size_t i : order) {
    const auto lightest = size_t(std::min_element(load.begin(), load.end()) - load.begin());
    load[lightest] += size(i) + 1;
    Part& part = parts_[first_part + lightest];
    part.text += to_cpp(*codes[i], fmt::format("brokkr_shader_{}", part.codes.size()));
    part.codes.push_back(first + i);
  }
}

void CompiledShaders::name_parts() {
  std::string same = identity_of(compiler_);
  const std::vector<std::string> flags = flags_of(isa_);
  compiler_.insert(compiler_.end(), flags.begin(), flags.end());
  for (const std::string& flag : flags) same += flag + "\n";
  for (const HeaderText& header : kHeaders) same += header.text;
  for (Part& part : parts_) part.name = name_of_content(same + part.text) + ".so";
}

CompiledShaders::~CompiledShaders() { end(); }

// Returns false if the cache has no such file or the file cannot be loaded; `why` receives the reason.
bool CompiledShaders::load(Part& part, std::string& why) {
  const fs::path file = CodeCache().find(part.name);
  why = "it is not in the cache";
  if (file.empty()) return false;
  auto library = std::make_unique<Library>(file);
  for (size_t i = 0; i < part.codes.size(); ++i) {
    const CompiledShader function = library->find(fmt::format("brokkr_shader_{}", i));
    if (function == nullptr) {
      const char* const said = dlerror();
      if (said != nullptr) why = said;
      return false;
    }
    functions_[part.codes[i]] = function;
  }
  part.code = std::move(library);
  return true;
}

void CompiledShaders::take_cached(const Codes& codes) {
  if (compiler_.empty()) return fail("there is no C++ compiler; set CXX, or install g++ or clang++");
  add_parts(codes.programs);
  add_parts(codes.vertex_programs);
  name_parts();
  try {
    bool all = true;
    std::string ignored;
    for (Part& part : parts_) all = load(part, ignored) && all;
    if (all) finish(0, functions_.size());
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void CompiledShaders::compile() {
  const CodeCache cache;
  uint64_t compiled = 0;
  struct Job {
    Part* part;
    std::unique_ptr<TemporaryFolder> folder;
    std::unique_ptr<Process> process;  // ends before its folder is removed
  };
  std::vector<Job> jobs;
  for (Part& part : parts_) {
    if (part.code) continue;
    compiled += part.codes.size();
    Job& job = jobs.emplace_back(Job{&part, std::make_unique<TemporaryFolder>(cache.make_temporary()), nullptr});
    const fs::path& folder = job.folder->path;
    for (const HeaderText& header : kHeaders) write_source(folder / header.name, header.text);
    write_source(folder / "shaders.cpp", part.text);
    std::vector<std::string> command = compiler_;
    command.insert(command.end(),
                   {"-I" + folder.string(), "-o", (folder / "shaders.so").string(), (folder / "shaders.cpp").string()});
    job.process = std::make_unique<Process>(folder, command);
  }
  while (!jobs.empty()) {
    if (is_stopped()) return;
    std::this_thread::sleep_for(kLook);
    for (auto job = jobs.begin(); job != jobs.end();) {
      const std::optional<int> status = job->process->ended();
      if (!status) {
        ++job;
        continue;
      }
      if (*status != 0) {
        throw std::runtime_error(why_it_failed(compiler_.front(), job->folder->path / "said"));
      }
      cache.keep(job->folder->path / "shaders.so", job->part->name);
      if (std::string why; !load(*job->part, why))
        brokkr::fail("a compiled shader cannot be loaded ({}); set XDG_CACHE_HOME to a folder whose files may be run",
                     why);
      job = jobs.erase(job);
    }
  }
  finish(compiled, functions_.size() - compiled);
}

}  // namespace brokkr::shader
