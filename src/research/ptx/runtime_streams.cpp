// Streams and events.
#include <cuda_runtime_api.h>

#include <chrono>

#include "ptx/queue.h"
#include "ptx/runtime.h"

namespace brokkr::ptx {

Stream& stream_of(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return Queue::instance().legacy;
  return *reinterpret_cast<Stream*>(stream);
}
Event& event_of(cudaEvent_t event) { return *reinterpret_cast<Event*>(event); }

}  // namespace brokkr::ptx

using namespace brokkr::ptx;

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  *stream = reinterpret_cast<cudaStream_t>(Queue::instance().add_stream((flags & cudaStreamNonBlocking) == 0));
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (stream != nullptr) Queue::instance().remove(&stream_of(stream));
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call("cudaStreamSynchronize", [&] {
    Queue::instance().wait(stream_of(stream));
    return cudaSuccess;
  });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return call("cudaStreamQuery",
              [&] { return Queue::instance().idle(stream_of(stream)) ? cudaSuccess : cudaErrorNotReady; });
}
// Operations run in submission order, so a recorded event always comes first.
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return call("cudaLaunchHostFunc", [&] {
    Queue::instance().order(stream_of(stream), [=] { function(data); });
    return cudaSuccess;
  });
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = reinterpret_cast<cudaEvent_t>(new Event);
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event == nullptr) return cudaSuccess;
  Queue::instance().wait(event_of(event));
  delete &event_of(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call("cudaEventRecord", [&] {
    Queue::instance().record(event_of(event), stream_of(stream));
    return cudaSuccess;
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call("cudaEventQuery",
              [&] { return Queue::instance().done(event_of(event)) ? cudaSuccess : cudaErrorNotReady; });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call("cudaEventSynchronize", [&] {
    Queue::instance().wait(event_of(event));
    return cudaSuccess;
  });
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t begin, cudaEvent_t end) {
  return call("cudaEventElapsedTime", [&] {
    const Event &b = event_of(begin), &e = event_of(end);
    if (!b.recorded || !e.recorded) return cudaErrorInvalidResourceHandle;
    if (!Queue::instance().done(b) || !Queue::instance().done(e)) return cudaErrorNotReady;
    *ms = std::chrono::duration<float, std::milli>(e.time - b.time).count();
    return cudaSuccess;
  });
}

}  // extern "C"
