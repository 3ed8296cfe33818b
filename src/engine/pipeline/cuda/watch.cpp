#include "pipeline/cuda/watch.h"

#include <algorithm>

namespace brokkr {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr double kMaxSeconds = 0.25;  // between two copies of the words
constexpr int kLooks = 8;             // at least this many copies before a frame counts as hung

}  // namespace

FrameWatch::FrameWatch() {
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
  check_cuda(cudaEventCreateWithFlags(&copied_, cudaEventDisableTiming), "event");
}

FrameWatch::~FrameWatch() {
  if (device_is_lost) return;
  if (copied_ != nullptr) cudaEventDestroy(copied_);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

void FrameWatch::begin(const LaunchData& data) {
  data_ = data;
  prepared_ = false;
  since_ = Clock::now();
  next_ = since_ + std::chrono::duration_cast<Clock::duration>(Seconds(kMaxSeconds));
}

void FrameWatch::prepare() {
  // A copy for an earlier frame may still be in progress.
  if (asked_) check_cuda(cudaEventSynchronize(copied_), "words of a frame");
  asked_ = false;
  const size_t rasterizers = data_.schedule.rasterizers;
  const size_t claim_words = RasterizerBitTables::words(rasterizers);
  const size_t bytes = sizeof(ScheduleControl) + rasterizers * sizeof(RasterizerState) +
                       (rasterizers + 1) * sizeof(QueueControl) + (claim_words + 1) * sizeof(uint32_t);
  if (memory_.bytes() < bytes) memory_ = PinnedBuffer(bytes);
  std::fill_n(memory_.host(), bytes, std::byte(0));
  const std::byte* next = memory_.host();
  const auto place = [&]<class T>(const T*& words, size_t count) {
    words = reinterpret_cast<const T*>(next);
    next += count * sizeof(T);
  };
  place(words_.control, 1);
  place(words_.rasterizer, rasterizers);
  place(words_.queue, rasterizers);
  place(words_.free_blocks, 1);
  place(words_.claimed, claim_words);
  place(words_.abort, 1);
  words_.tasks = data_.schedule.tasks;
  words_.rasterizers = data_.schedule.rasterizers;
  words_.phases = data_.raster.frame.phase_count;
  progress_ = progress_of(words_);
  prepared_ = true;
}

void FrameWatch::look() {
  const auto copy = [&]<class T>(const T* to, const T* from, size_t count) {
    check_cuda(cudaMemcpyAsync(const_cast<T*>(to), from, count * sizeof(T), cudaMemcpyDeviceToHost, stream_),
               "words of a frame");
  };
  copy(words_.control, data_.schedule.control.get(), 1);
  copy(words_.rasterizer, data_.raster.rasterizers.get(), words_.rasterizers);
  copy(words_.queue, data_.raster.queues.control, words_.rasterizers);
  copy(words_.free_blocks, data_.raster.stock.free_blocks.control, 1);
  copy(words_.claimed, data_.raster.bits.claimed.get(), RasterizerBitTables::words(words_.rasterizers));
  copy(words_.abort, data_.schedule.abort.get(), 1);
  check_cuda(cudaEventRecord(copied_, stream_), "event");
  asked_ = true;
}

bool FrameWatch::stands_still(double seconds) {
  const Clock::time_point now = Clock::now();
  if (now < next_) return false;
  if (!prepared_) prepare();
  if (asked_) {
    const cudaError_t state = cudaEventQuery(copied_);
    if (state == cudaErrorNotReady) return now - since_ > Seconds(seconds);
    check_cuda(state, "words of a frame");
    asked_ = false;
    if (const uint64_t progress = progress_of(words_); progress != progress_) {
      progress_ = progress;
      since_ = now;
    }
    if (now - since_ > Seconds(seconds)) return true;
  }
  look();
  next_ = now + std::chrono::duration_cast<Clock::duration>(Seconds(std::min(seconds / kLooks, kMaxSeconds)));
  return false;
}

}  // namespace brokkr
