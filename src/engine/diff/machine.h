// The machine that runs the stages: threads of the CPU, each with one warp, or a CUDA device.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "brokkr/renderer.h"
#include "diff/data.h"
#include "diff/device.h"
#include "machine/worker_pool.h"
#include "machine/zeroed_memory.h"

namespace brokkr {

// The frame of the last call of DiffMachine::visible. Later calls use it if only positions have changed.
struct DrawnFrame {
  DiffShape shape;
  bool is_shared, has_ranges;
  std::vector<int32_t> ranges;
  Frame frame;
  std::unique_ptr<PreparedFrame> prepared;

  DrawnFrame(const DiffShape& shape, const DiffMesh& mesh, Frame frame);
  bool fits(const DiffShape& shape, const DiffMesh& mesh) const;
};

struct DiffMachine::Impl {
  explicit Impl(const DiffOptions& options);

  // Runs a stage over `items` pixels or elements, in as many parts as pay off.
  void run(DiffStage stage, const void* data, uint64_t items);
  uint32_t parts_of(uint64_t items, uint32_t channels = 1) const;
  // Provides memory for sums of `size` elements; at most `max_terms` terms go to one element. Runs `largest`, then
  // `add`, and writes the results. `sums` is a member of `data`.
  void sum(DiffStage largest, DiffStage add, const void* data, DiffSums& sums, uint64_t items, uint64_t max_terms);

  std::mutex mutex;  // one call at a time
  DiffOptions options;
  const DiffKernel* kernel;
  int workers;
  WorkerPool pool;
  ZeroedMemory words;  // words of sums; zero between calls
  std::vector<uint32_t> largest;
  std::vector<double> units;
  std::unique_ptr<Renderer> renderer;
  std::unique_ptr<DrawnFrame> drawn;
  std::unique_ptr<DiffDevice> device;  // null: the CPU

 private:
  void run_in(uint32_t parts, DiffStage stage, const void* data);
};

// One call of a public function, and its arrays as the machine sees them: the caller's own on the CPU, copies on a
// device. Null pointers stay null.
class DiffCall {
 public:
  explicit DiffCall(DiffMachine::Impl& impl) : lock_(impl.mutex), device_(impl.device.get()) {}
  ~DiffCall() {
    if (device_ != nullptr) device_->end_call();
  }
  DiffCall(const DiffCall&) = delete;
  DiffCall& operator=(const DiffCall&) = delete;

  template <class T>
  void read(const T*& array, uint64_t count) {
    if (device_ != nullptr && array != nullptr)
      array = static_cast<const T*>(device_->upload(array, count * sizeof(T)));
  }
  template <class T>
  void write(T*& array, uint64_t count) {
    if (device_ == nullptr || array == nullptr) return;
    void* const copy = device_->zeroed(count * sizeof(T));
    results_.push_back({array, copy, count * sizeof(T)});
    array = static_cast<T*>(copy);
  }
  template <class T>
  void change(T*& array, uint64_t count) {
    if (device_ == nullptr || array == nullptr) return;
    void* const copy = device_->upload(array, count * sizeof(T));
    results_.push_back({array, copy, count * sizeof(T)});
    array = static_cast<T*>(copy);
  }
  // Gives the caller what the stages wrote.
  void finish() {
    for (const Result& r : results_) device_->download(r.host, r.copy, r.bytes);
  }

 private:
  struct Result {
    void* host;
    const void* copy;
    size_t bytes;
  };
  std::lock_guard<std::mutex> lock_;
  DiffDevice* device_;
  std::vector<Result> results_;
};

// Check arguments of public functions. Throw std::invalid_argument.
void check_shape(const DiffShape& shape);
void check_mesh(const DiffShape& shape, const DiffMesh& mesh);

}  // namespace brokkr
