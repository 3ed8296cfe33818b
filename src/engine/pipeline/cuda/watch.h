// Watches whether a frame on the device makes progress, by copying the words that its blocks share.
#pragma once

#include <cuda_runtime.h>

#include <chrono>

#include "pipeline/cuda/memory.h"
#include "pipeline/launch_data.h"
#include "plan/frame_words.h"

namespace brokkr {

// A copy engine makes the copies on a separate stream beside the kernel, a few times a second; nothing waits for them.
class FrameWatch {
 public:
  FrameWatch();
  ~FrameWatch();
  FrameWatch(const FrameWatch&) = delete;
  FrameWatch& operator=(const FrameWatch&) = delete;

  // Call when a frame with these arguments begins. A short frame costs nothing extra.
  void begin(const LaunchData& data);
  // Poll while the frame runs. Returns true if it has made no progress for `seconds`. Returns immediately. Throws
  // std::runtime_error.
  bool stands_still(double seconds);
  // The words as last copied; all zero if the device has not answered.
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
  bool prepared_ = false;  // `words_` belong to this frame
  bool asked_ = false;     // a copy is in progress
  uint64_t progress_ = 0;
  Clock::time_point since_, next_;  // time of the last progress, and of the next copy
};

}  // namespace brokkr
