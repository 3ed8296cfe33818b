// Streams and events.

#include <cuda_runtime_api.h>

#include <chrono>
#include <memory>
#include <vector>

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
// Operations run in submission order, so an event is always recorded before a wait for it.
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

// Graphs of kernels and event records. Nodes run in the order in which they were added. Dependencies allow that,
// because a node can only depend on earlier ones.

namespace brokkr::ptx {
namespace {

struct Node {
  std::shared_ptr<Launch> launch;  // kernel nodes
  Event* event = nullptr;          // record nodes
  bool together = false;           // a cooperative launch
};
struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
};
struct Executable {
  std::vector<std::pair<const Node*, Node>> nodes;  // pairs of the graph's node and its executable copy
};

std::shared_ptr<Launch> launch_of(const cudaKernelNodeParams& p) {
  return make_launch(p.func, p.gridDim, p.blockDim, p.kernelParams, p.sharedMemBytes);
}
Graph& graph_of(cudaGraph_t graph) { return *reinterpret_cast<Graph*>(graph); }
Executable& executable_of(cudaGraphExec_t graph) { return *reinterpret_cast<Executable*>(graph); }

}  // namespace
}  // namespace brokkr::ptx

using namespace brokkr::ptx;

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  *graph = reinterpret_cast<cudaGraph_t>(new Graph);
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete &graph_of(graph);
  return cudaSuccess;
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t*, size_t,
                                   const cudaKernelNodeParams* p) {
  return call("cudaGraphAddKernelNode", [&] {
    graph_of(graph).nodes.push_back(std::make_unique<Node>(Node{launch_of(*p)}));
    *node = reinterpret_cast<cudaGraphNode_t>(graph_of(graph).nodes.back().get());
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t*, size_t,
                                        cudaEvent_t event) {
  return call("cudaGraphAddEventRecordNode", [&] {
    graph_of(graph).nodes.push_back(std::make_unique<Node>(Node{nullptr, &event_of(event)}));
    *node = reinterpret_cast<cudaGraphNode_t>(graph_of(graph).nodes.back().get());
    return cudaSuccess;
  });
}
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            const cudaLaunchAttributeValue* value) {
  return call("cudaGraphKernelNodeSetAttribute", [&] {
    Node& n = *reinterpret_cast<Node*>(node);
    if (n.launch == nullptr || attribute != cudaLaunchAttributeCooperative) return cudaErrorInvalidValue;
    n.together = value->cooperative != 0;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  return call("cudaGraphInstantiate", [&] {
    auto e = std::make_unique<Executable>();
    for (const auto& node : graph_of(graph).nodes) {
      if (node->together) require_together(*node->launch);
      e->nodes.emplace_back(node.get(), *node);
    }
    *executable = reinterpret_cast<cudaGraphExec_t>(e.release());
    return cudaSuccess;
  });
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(executable, graph, flags);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  Queue::instance().wait_all();
  delete &executable_of(executable);
  return cudaSuccess;
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* p) {
  return call("cudaGraphExecKernelNodeSetParams", [&] {
    for (auto& [original, copy] : executable_of(executable).nodes) {
      if (original != reinterpret_cast<const Node*>(node)) continue;
      const std::shared_ptr<Launch> launch = launch_of(*p);
      if (copy.together) require_together(*launch);
      copy.launch = launch;  // launches in progress keep their own
      return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return call("cudaGraphLaunch", [&] {
    Queue& queue = Queue::instance();
    std::vector<Node> nodes;
    for (const auto& [original, copy] : executable_of(executable).nodes) nodes.push_back(copy);
    queue.order(stream_of(stream), [&queue, nodes] {
      for (const Node& n : nodes) {
        if (n.launch != nullptr) queue.run(*n.launch);
        if (n.event != nullptr) queue.mark(*n.event);
      }
    });
    return cudaSuccess;
  });
}

}  // extern "C"
