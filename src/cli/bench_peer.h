// Other renderers that draw the same frames for comparison: OpenGL in a process of its own (brokkr-gl-bench).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/workload.h"

namespace brokkr::app {

// One configuration of a peer. Mesa reads its settings when it starts, so that every configuration is a process of its
// own.
struct PeerSetup {
  std::string name;    // "llvmpipe", "llvmpipe tuned", …
  std::string family;  // "llvmpipe", "lavapipe" or "gpu"
  std::string device;  // as EglContext takes it
  std::map<std::string, std::string> environment;
};

// Setups of the families in `texts` ("llvmpipe,lavapipe", "gpu", "none"): llvmpipe and lavapipe each with the
// allocator's defaults and with kept memory. Throws UsageError for unknown names and std::runtime_error where lavapipe
// is not installed.
std::vector<PeerSetup> peer_setups(const std::vector<std::string>& texts);

// The same peer with `threads` rasterizing threads (llvmpipe only; one more thread sets triangles up).
PeerSetup with_threads(PeerSetup setup, int threads);

// brokkr-gl-bench beside this program, in its build, or under libexec; `given` where that is not empty. Throws
// std::runtime_error.
std::filesystem::path find_peer_program(const std::string& given);

// A program that answers requests, one line each.
class LineProcess {
 public:
  // Starts `command` with `environment` added to this process's own; its standard error goes to the file `log`. Throws
  // std::runtime_error where it cannot be started.
  LineProcess(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
              std::filesystem::path log);
  ~LineProcess();  // ends it
  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;

  void send(const std::string& line);
  // The next line of its standard output. Throws std::runtime_error with the last words of its standard error where the
  // program has ended, and where it writes nothing for `seconds`; the program is then ended.
  std::string receive(int seconds);

 private:
  [[noreturn]] void fail(const std::string& what);

  std::string name_;
  std::filesystem::path log_;
  pid_t process_ = -1;
  int socket_ = -1;
  std::string pending_;  // received beyond the last line
};

struct PeerPicture {
  int width = 0, height = 0;
  std::vector<uint32_t> color;     // RGBA8, or empty
  std::vector<float> color_float;  // four per pixel, or empty
  std::vector<float> depth;
};

struct PeerTurn {
  std::vector<double> samples_ms;
  uint64_t memory_kib = 0;  // most since the frame was loaded
};

// Every function throws std::runtime_error with the peer's own message.
class Peer {
 public:
  Peer(PeerSetup setup, const std::filesystem::path& program, std::filesystem::path folder);

  const PeerSetup& setup() const { return setup_; }
  const std::string& renderer() const { return renderer_; }
  const std::string& version() const { return version_; }

  // The peer loads the frame until finish_load, so that several peers load at once. Does nothing where the peer holds
  // that frame already.
  void begin_load(const Workload& workload);
  void finish_load();
  PeerTurn turn(const Workload& workload, int warm_up, int frames, double most_ms);
  PeerPicture read(int layer);

 private:
  std::string ask(const std::string& request);

  PeerSetup setup_;
  std::filesystem::path folder_;
  LineProcess process_;
  std::string renderer_, version_, loaded_;
  bool loading_ = false;
};

}  // namespace brokkr::app
