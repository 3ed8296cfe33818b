#include "settings.h"

#include <cstdlib>

#include "pictures.h"

namespace brokkr {
namespace {

class Settings {
 public:
  template <typename Change>
  void add(const std::string& name, Change change) {
    RenderOptions options;
    options.machine = MachineKind::cpu;
    options.shading = Shading::draw;
    options.keep_ids = true;
    change(options);
    list.push_back({name, options});
  }
  std::vector<Setting> list;
};

void emulate(RenderOptions& o, int warps) {
  o.machine = MachineKind::emulated;
  o.warps_per_block = warps;
}

// Every build of the CPU machine that this processor runs.
void add_instruction_sets(Settings& s) {
  for (const MachineInfo& machine : find_machines()) {
    if (machine.kind != MachineKind::cpu || !machine.available) continue;
    for (const char* isa : {"v2", "v3", "v4", "neon"}) {
      if (machine.isa.find(isa) == std::string::npos) continue;
      s.add(std::string("isa ") + isa, [&](RenderOptions& o) { o.isa = isa; });
      s.add(std::string("isa ") + isa + ", strict", [&](RenderOptions& o) {
        o.isa = isa;
        o.order = OrderMode::strict;
      });
    }
  }
}

// Every setting of the CPU again on CUDA, if there is a GPU or the PTX interpreter.
void add_cuda(Settings& s) {
  const size_t count = test::is_there(MachineKind::cuda) ? s.list.size() : 0;
  for (size_t i = 0; i < count; ++i) {
    Setting setting = s.list[i];
    setting.name = "cuda, " + setting.name;
    setting.options.machine = MachineKind::cuda;
    s.list.push_back(setting);
  }
}

}  // namespace

std::vector<Setting> all_settings() {
  Settings s;
  s.add("cpu", [](RenderOptions&) {});
  for (const auto& info : Choices<PatternKind>::all) {
    s.add(std::string("pattern ") + info.name, [&](RenderOptions& o) {
      o.pattern = info.value;
      o.rasterizers = 20;
      o.bin = 16;
      o.workers = 2;
    });
  }
  for (const int bin : {8, 16, 32, 64, 128, 256}) {
    s.add("bin " + std::to_string(bin), [&](RenderOptions& o) { o.bin = bin; });
  }
  for (const int workers : {1, 2, 7}) {
    for (const Ownership ownership : {Ownership::fixed, Ownership::stealing}) {
      const char* owned = ownership == Ownership::fixed ? " fixed" : " stealing";
      s.add("workers " + std::to_string(workers) + owned, [&](RenderOptions& o) {
        o.workers = workers;
        o.ownership = ownership;
        o.rasterizers = 6;
        o.bin = 32;
      });
    }
  }
  for (const int rasterizers : {1, 3, 132, 1056}) {
    s.add("rasterizers " + std::to_string(rasterizers), [&](RenderOptions& o) {
      o.rasterizers = rasterizers;
      o.bin = 8;
    });
  }
  s.add("strict order", [](RenderOptions& o) { o.order = OrderMode::strict; });
  s.add("strict order, bin 16, workers 7", [](RenderOptions& o) {
    o.order = OrderMode::strict;
    o.bin = 16;
    o.workers = 7;
  });
  for (const auto& info : Choices<ReuseMode>::all) {
    if (info.value == ReuseMode::automatic) continue;
    s.add(std::string("reuse ") + info.name, [&](RenderOptions& o) { o.reuse = info.value; });
  }
  s.add("geometry first", [](RenderOptions& o) { o.policy = Policy::geometry_first; });
  s.add("raster first", [](RenderOptions& o) { o.policy = Policy::raster_first; });
  s.add("round-robin", [](RenderOptions& o) { o.policy = Policy::round_robin; });
  s.add("fair, 3 to 1", [](RenderOptions& o) {
    o.policy = Policy::fair;
    o.quotas = {3, 1};
    o.workers = 3;
  });
  s.add("earliest deadline first", [](RenderOptions& o) {
    o.policy = Policy::edf;
    o.view_deadlines_ms = {1.5};
    o.bin = 16;
  });
  s.add("priority", [](RenderOptions& o) {
    o.policy = Policy::priority;
    o.view_priorities = {7};
    o.workers = 3;
  });
  s.add("foveated", [](RenderOptions& o) {
    o.policy = Policy::foveated;
    o.fixation = {{3.5f, 40.0f}};
    o.bin = 16;
    o.workers = 2;
    o.ownership = Ownership::fixed;
  });
  s.add("foveated, smallest store, strict", [](RenderOptions& o) {
    o.policy = Policy::foveated;
    o.store_blocks = 1;
    o.workers = 3;
    o.order = OrderMode::strict;
  });
  s.add("direct", [](RenderOptions& o) { o.small_triangles = SmallTriangles::direct; });
  for (const int bin : {8, 32, 256}) {
    s.add("direct, 3 workers, bin " + std::to_string(bin), [&](RenderOptions& o) {
      o.small_triangles = SmallTriangles::direct;
      o.workers = 3;
      o.bin = bin;
    });
  }
  s.add("direct, smallest store, 7 workers, raster first", [](RenderOptions& o) {
    o.small_triangles = SmallTriangles::direct;
    o.store_blocks = 1;
    o.workers = 7;
    o.rasterizers = 6;
    o.bin = 16;
    o.policy = Policy::raster_first;
    o.ownership = Ownership::fixed;
  });
  s.add("direct, foveated", [](RenderOptions& o) {
    o.small_triangles = SmallTriangles::direct;
    o.policy = Policy::foveated;
    o.fixation = {{30.0f, 4.0f}};
    o.workers = 2;
  });
  s.add("queue, warp reuse", [](RenderOptions& o) {
    o.small_triangles = SmallTriangles::queue;
    o.reuse = ReuseMode::warp;
  });
  s.add("smallest store", [](RenderOptions& o) {
    o.store_blocks = 1;
    o.workers = 2;
  });
  s.add("smallest store, strict, workers 7", [](RenderOptions& o) {
    o.store_blocks = 1;
    o.workers = 7;
    o.order = OrderMode::strict;
  });
  add_cuda(s);
  add_instruction_sets(s);
  if (!test::is_there(MachineKind::emulated)) return s.list;
  for (const int warps : {1, 2, 5}) {
    s.add("emulated, warps " + std::to_string(warps), [&](RenderOptions& o) { emulate(o, warps); });
  }
  s.add("emulated, queue, warp reuse", [](RenderOptions& o) {
    emulate(o, 2);
    o.small_triangles = SmallTriangles::queue;
    o.reuse = ReuseMode::warp;
  });
  s.add("emulated, strict", [](RenderOptions& o) {
    emulate(o, 2);
    o.order = OrderMode::strict;
    o.bin = 32;
  });
  return s.list;
}

std::vector<Setting> some_settings() {
  Settings s;
  s.add("cpu", [](RenderOptions&) {});
  s.add("strict, bin 16, 3 workers", [](RenderOptions& o) {
    o.order = OrderMode::strict;
    o.bin = 16;
    o.workers = 3;
    o.rasterizers = 20;
    o.pattern = PatternKind::hilbert;
  });
  s.add("bin 128, fixed, smallest store", [](RenderOptions& o) {
    o.bin = 128;
    o.ownership = Ownership::fixed;
    o.workers = 2;
    o.store_blocks = 1;
  });
  s.add("direct, 2 workers, bin 16", [](RenderOptions& o) {
    o.small_triangles = SmallTriangles::direct;
    o.workers = 2;
    o.bin = 16;
  });
  add_cuda(s);
  add_instruction_sets(s);
  if (!test::is_there(MachineKind::emulated)) return s.list;
  s.add("emulated, queue", [](RenderOptions& o) {
    emulate(o, 2);
    o.small_triangles = SmallTriangles::queue;
  });
  s.add("emulated", [](RenderOptions& o) {
    emulate(o, 2);
    o.bin = 32;
  });
  return s.list;
}

int seeds_or(int number) {
  const char* value = std::getenv("BROKKR_SOUP_SEEDS");
  return value && std::atoi(value) > 0 ? std::atoi(value) : number;
}

}  // namespace brokkr
