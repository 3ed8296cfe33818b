// Watches a frame that runs on the device: whether it still makes progress, by copies of the words that its blocks
// share.
#pragma once

#include <cuda_runtime.h>

#include <chrono>

#include "pipeline/cuda/memory.h"
#include "pipeline/launch_data.h"
#include "plan/frame_words.h"

namespace brokkr {

// Copies are made on a stream of its own, by a copy engine beside the kernel, a few times a second, and never waited
// for.
class FrameWatch {
 public:
  FrameWatch();
  ~FrameWatch();
  FrameWatch(const FrameWatch&) = delete;
  FrameWatch& operator=(const FrameWatch&) = delete;

  // A frame with these arguments begins. Short frames cost nothing more.
  void begin(const LaunchData& data);
  // To be called again and again while the frame runs: whether it has made no progress for so many seconds. Returns at
  // once. Throws std::runtime_error.
  bool stands_still(double seconds);
  // As they were copied last: all zero where the device has not answered.
  const FrameWords& words() const { return words_; }

 private:
  using Clock = std::chrono::steady_clock;
  void prepare();
  void look();

  cudaStream_t stream_ = nullptr;
  cudaEvent_t copied_ = nullptr;
  PinnedBuffer memory_;
  FrameWords words_;
  LaunchData data_{};
  bool prepared_ = false;  // `words_` are this frame's
  bool asked_ = false;     // a copy is under way
  uint64_t progress_ = 0;
  Clock::time_point since_, next_;  // of the last progress, of the next look
};

}  // namespace brokkr
