// libFuzzer target of all readers that knows how files are built (document.h), and draws what they accept.
//
// Whatever an input holds, it is refused by std::runtime_error, or it is a frame that is drawn with the same bits under
// settings that the input's own bytes choose. Frames with many pixels or triangles are only prepared. Sanitizers,
// -rss_limit_mb, -malloc_limit_mb and -timeout judge the rest.
//
// Random shaders are valid: one that is refused or drawn in false colours is a fault, and so is one whose bits differ
// between its forms, between the CPU machine and the emulated one, or, of a few, from those of its compiled code.
//
// Most inputs are drawn in the calling thread (solo_launch.h). Bytes of an input choose whether the CPU machine draws
// the second picture with up to three workers, and whether a captured frame is written and read again without a change.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "base/file_io.h"
#include "brokkr/renderer.h"
#include "document.h"
#include "formats/gltf.h"
#include "formats/obj.h"
#include "formats/sources.h"
#include "frame/bkf.h"
#include "inspect/settings_check.h"
#include "log/frame_statistics.h"
#include "log/log_reader.h"
#include "pack.h"
#include "solo_launch.h"
#include "tally.h"
#include "target/target_tables.h"
#if defined(BROKKR_HAVE_SHADERS)
#include "pipeline/cpu_machine.h"
#include "shade/kernels.h"
#include "shader/random/random_frame.h"
#include "shader/random/trial.h"
#endif

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

// Half of the time would be spent on storing the stack of each allocation.
extern "C" const char* __asan_default_options() { return "malloc_context_size=3:quarantine_size_mb=64"; }

namespace brokkr::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxPixels = 1 << 13;      // in all targets of a frame that is drawn
constexpr uint64_t kMaxPrimitives = 1 << 12;  // in a frame that is drawn
// The limits if every primitive covered every pixel: for a few frames, and for most.
constexpr uint64_t kMaxFragments = uint64_t(1) << 22, kUsualFragments = uint64_t(1) << 18;
constexpr uint64_t kManyRegions = 64;  // regions of 64 x 64 samples; with more of them, bins are of 8 x 8
constexpr int kSceneSize = 32;         // pixels a side of scenes
constexpr int kMemoryLimit = 512;      // MiB; set, so that the free memory is not determined for each input
// One in this many inputs is drawn despite its size, drawn by several threads, written and read again, or has its
// random shader compiled, which takes a second.
constexpr uint32_t kLargeShare = 16, kThreadsShare = 32, kAgainShare = 8, kCompiledShare = 64;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// A folder in memory for readers that take a path. It exists until the program ends.
const fs::path& folder() {
  static const struct Folder {
    fs::path path;
    Folder() {
      const fs::path above = fs::is_directory("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();
      std::string name = (above / "brokkr-fuzz-XXXXXX").string();
      if (mkdtemp(name.data()) == nullptr) fault("no folder in " + above.string());
      path = name;
    }
    ~Folder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } made;
  return made.path;
}

fs::path stored(const char* name, const std::string& content) {
  const fs::path path = folder() / name;
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr || std::fwrite(content.data(), 1, content.size(), file) != content.size() ||
      std::fclose(file) != 0)
    fault("cannot write " + path.string());
  return path;
}

// Instances and views multiply primitives; sums end at 2^64 - 1.
uint64_t primitives_of(const Frame& frame) {
  uint64_t sum = 0;
  for (const Command& command : frame.commands) {
    const auto* const draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr) continue;
    uint64_t each = primitive_count(frame, *draw), all = 0;
    if (__builtin_mul_overflow(each, uint64_t(draw->instances), &each) ||
        __builtin_mul_overflow(each, uint64_t(draw->view_count), &all) || __builtin_add_overflow(sum, all, &sum))
      return ~uint64_t(0);
  }
  return sum;
}

uint64_t regions_of(const Frame& frame) {
  const auto parts = [](int size) { return (uint64_t(size) + kMaxRegion - 1) / kMaxRegion; };
  uint64_t sum = 0;
  for (const Target& t : frame.targets) sum += parts(t.width) * parts(t.height) * uint64_t(t.layers);
  return sum;
}

bool is_small(const Frame& frame, uint64_t seed) {
  uint64_t pixels = 0;
  for (const Target& t : frame.targets)
    pixels += uint64_t(t.width) * uint64_t(t.height) * uint64_t(t.layers) * uint64_t(t.samples);
  const uint64_t primitives = primitives_of(frame);
  const uint64_t fragments = Lot(~seed).below(kLargeShare) == 0 ? kMaxFragments : kUsualFragments;
  return pixels <= kMaxPixels && primitives <= kMaxPrimitives && pixels * primitives <= fragments &&
         frame.commands.size() <= 256;
}

LoadOptions load_options() {
  LoadOptions options;
  options.memory_limit = kMemoryLimit;
  return options;
}

// The plain settings.
RenderOptions plain_options(const Frame& frame) {
  RenderOptions options;
  options.machine = MachineKind::cpu;
  options.workers = 1;
  options.memory_limit = kMemoryLimit;
  options.keep_ids = true;
  options.shaders = ShaderCode::interpreted;  // the compiler is not under test here
  if (regions_of(frame) > kManyRegions) options.bin = 8;
  return options;
}

// One in four inputs has several samples per pixel.
int samples_of(uint64_t seed) {
  Lot lot(seed + 1);
  return lot.below(4) == 0 ? 2 << lot.below(3) : 1;
}

// Other settings with the same picture.
RenderOptions other_options(const RenderOptions& plain, const Frame& frame, Lot& lot) {
  RenderOptions other = random_settings(plain, {"machine", "vertex-work", "shaders"}, frame, lot);
  // Many threads, large stores, and tables for thousands of rasterizers take more time than they are worth.
  other.workers = std::min(other.workers, 3);
  other.rasterizers = std::min(other.rasterizers, 40);
  // The time of dart throwing grows with the third power of the number of darts.
  const auto* const kind = std::get_if<PatternKind>(&other.pattern);
  if (kind != nullptr && *kind == PatternKind::hierarchical_maximized_distance)
    other.rasterizers = 1 + other.rasterizers % 7;
  other.store_blocks = std::min(other.store_blocks, 512);
  if (plain.bin == 8) other.bin = 8;
  return other;
}

Renderer& renderer() {
  static Renderer made;
  return made;
}

void expect_same(const std::vector<TargetImage>& expected, const std::vector<TargetImage>& found,
                 const RenderOptions& plain, const RenderOptions& other) {
  if (const auto difference = first_difference(expected, found))
    fault(std::string(difference->what) + " of " + std::to_string(difference->pixels) + " pixels differs under" +
          settings_text(other, plain));
}

// Draws `frame`, and `again`, which must be equal, with settings that `seed` chooses. Throws std::runtime_error for a
// frame that the pipeline refuses.
void draw(const Frame& frame, const Frame& again, uint64_t seed, const PatternChoice* pattern = nullptr) {
  PreparedFrame prepared = renderer().prepare(frame, load_options());
  std::optional<PreparedFrame> of_again;
  if (&again != &frame) of_again.emplace(renderer().prepare(again, load_options()));
  PreparedFrame& second = of_again ? *of_again : prepared;
  RenderOptions options = plain_options(frame);
  options.samples = samples_of(seed);
  const std::vector<TargetImage> expected = draw_solo(prepared, options);
  Lot lot(seed);
  const bool threads = lot.below(kThreadsShare) == 0;
  RenderOptions other = other_options(options, frame, lot);
  if (pattern != nullptr) other.pattern = *pattern, other.rasterizers = 0;
  expect_same(expected, threads ? renderer().render(second, other).targets : draw_solo(second, other), options, other);
  Tally::get().drawn();
}

void draw(const Frame& frame, uint64_t seed) {
  validate(frame);
  Tally::get().accepted();
  if (is_small(frame, seed)) draw(frame, frame, seed);
}

void try_frame(const Document& d, uint64_t seed) {
  const BkfLimits limits{.file_bytes = 1 << 22,
                         .json_bytes = 1 << 20,
                         .json_values = 1 << 16,
                         .blob_bytes = 1 << 22,
                         .reference_bytes = 1 << 20,
                         .target_pixels = 1 << 20,
                         .vertex_bytes = 1 << 22};
  const Frame frame =
      read_bkf(packed_frame(bytes_of(d.parts[0]), bytes_of(d.parts[1])), "fuzz.bkf", limits, load_options());
  if (!is_small(frame, seed) || Lot(seed ^ 1).below(kAgainShare) != 0) return draw(frame, seed);
  Frame again;
  try {
    again = read_bkf(bkf_bytes(frame, {.level = 1}), "again.bkf", {}, load_options());
  } catch (const std::runtime_error& error) {
    fault(std::string("a frame that was read cannot be written and read again: ") + error.what());
  }
  Tally::get().accepted();
  draw(frame, again, seed);
}

LoadOptions scene_options() {
  LoadOptions options = load_options();
  options.width = options.height = kSceneSize;
  return options;
}

void try_gltf(const Document& d, uint64_t seed) {
  const ResourceReader resources = [&](const std::string& name, Loading&) -> std::vector<std::byte> {
    if (name == "missing") throw std::runtime_error("missing");
    const auto content = bytes_of(d.parts[1]);
    return {content.begin(), content.end()};
  };
  const std::vector<std::byte> file = packed_gltf(bytes_of(d.parts[0]), bytes_of(d.parts[1]));
  draw(read_gltf(file, "fuzz.glb", resources, scene_options(), {.texture_pixels = 1 << 18, .copied_vertices = 1 << 16}),
       seed);
}

void try_obj(const Document& d, uint64_t seed) {
  const ResourceReader resources = [&](const std::string& name, Loading&) -> std::vector<std::byte> {
    if (name == "missing") throw MissingResource("missing");
    const auto content = bytes_of(d.parts[name.ends_with(".mtl") ? 1 : 2]);
    return {content.begin(), content.end()};
  };
  draw(read_obj(d.parts[0], "fuzz.obj", resources, scene_options(), {.texture_pixels = 1 << 18}), seed);
}

void try_ply(const Document& d, uint64_t seed) {
  const ResourceReader resources = [](const std::string& name, Loading&) -> std::vector<std::byte> {
    throw MissingResource(name);
  };
  draw(read_ply(bytes_of(d.parts[0]), "fuzz.ply", resources, scene_options(), {.texture_pixels = 1 << 18}), seed);
}

// A triangle in front of another one and of a blended one, over bins of many owners.
const Frame& frame_for_patterns() {
  static const Frame frame = [] {
    Frame f;
    f.targets.push_back({.width = 61, .height = 47});
    f.views.emplace_back();
    f.states.resize(2);
    for (State& state : f.states) state.viewport = {0, 0, 61, 47};
    f.states[1].blend.emplace();
    f.states[1].blend->color = f.states[1].blend->alpha = {BlendFactor::one, BlendFactor::one};
    f.materials.emplace_back();
    f.positions = {{-1, -1, 0, 1},       {1, -0.9f, 0.1f, 1}, {-0.8f, 1, 0.2f, 1},
                   {-0.9f, -0.5f, 0, 1}, {1, 0.3f, -0.5f, 1}, {0.1f, 1, 0.9f, 1}};
    f.commands.emplace_back(ClearCommand{.color = glm::vec4(0, 0, 0, 1), .depth = 1.0f});
    f.commands.emplace_back(DrawCommand{.element_count = 6, .vertex_count = 6});
    f.commands.emplace_back(DrawCommand{.state = 1, .element_count = 6, .vertex_count = 6});
    validate(f);
    return f;
  }();
  return frame;
}

void try_pattern(const Document& d, uint64_t seed) {
  const PatternChoice pattern = std::make_shared<const SavedPattern>(load_pattern(stored("pattern.json", d.parts[0])));
  Tally::get().accepted();
  draw(frame_for_patterns(), frame_for_patterns(), seed, &pattern);
}

void try_log(const Document& d, uint64_t) {
  stored("log.json", d.parts[1]);
  const FrameLog log = read_frame_log(stored("log.csv", d.parts[0]));
  Tally::get().accepted();
  if (!log.frame_ms.empty()) frame_statistics(log.frame_ms);
}

#if defined(BROKKR_HAVE_SHADERS)
std::vector<std::string> runnable_kernels() {
  std::vector<std::string> names = shader::kernel_names();
  std::erase_if(names, [](const std::string& name) { return !cpu_supports(name); });
  return names;
}

void draw_random_shader(uint64_t of_shader, Lot& lot, const std::vector<std::string>& kernels) {
  shader::test::RandomTrial trial(of_shader);
  if (const std::string found = trial.run(kernels); !found.empty()) fault(found);
  const Frame frame = shader::test::random_frame(of_shader);
  validate(frame);
  Tally::get().accepted();
  PreparedFrame prepared = renderer().prepare(frame, load_options());
  RenderOptions options = plain_options(frame);
  options.samples = samples_of(of_shader);
  const std::vector<TargetImage> expected = draw_solo(prepared, options);
  const auto try_machine = [&](MachineKind machine, ShaderCode code) {
    RenderOptions other = other_options(options, frame, lot);
    other.machine = machine;
    other.warps_per_block = 1 + int(lot.below(4));
    other.shaders = code;
    const RenderResult result = renderer().render(prepared, other);
    for (const std::string& line : result.statistics.false_colors) fault(line);
    expect_same(expected, result.targets, options, other);
  };
  const bool has_emulated = std::find(kernels.begin(), kernels.end(), "emulated") != kernels.end();
  try_machine(has_emulated ? MachineKind::emulated : MachineKind::cpu, ShaderCode::interpreted);
  if (lot.below(kCompiledShare) == 0) try_machine(MachineKind::cpu, ShaderCode::compiled);
  Tally::get().drawn();
}

void try_random_shader(const Document& d, uint64_t seed) {
  static const std::vector<std::string> kernels = runnable_kernels();
  static const int no_cache = setenv("XDG_CACHE_HOME", folder().c_str(), 1);
  if (no_cache != 0) fault("no folder for compiled code");
  const uint64_t of_shader = std::hash<std::string>()(d.parts[0]);
  Lot lot(seed);
  try {
    draw_random_shader(of_shader, lot, kernels);
  } catch (const std::exception& error) {
    fault("random shader " + std::to_string(of_shader) + ": " + error.what());
  }
}
#else
void try_random_shader(const Document&, uint64_t) { throw std::runtime_error("built without shaders"); }
#endif

void try_document(const Document& d, uint64_t seed) {
  switch (d.kind) {
    case 'F': return try_frame(d, seed);
    case 'G': return try_gltf(d, seed);
    case 'O': return try_obj(d, seed);
    case 'P': return try_pattern(d, seed);
    case 'L': return try_log(d, seed);
    case 'Y': return try_ply(d, seed);
    case 'R': return try_random_shader(d, seed);
    default: return draw(read_stl(bytes_of(d.parts[0]), "fuzz.stl", scene_options()), seed);
  }
}

// Accepted inputs, as material for further ones: most mutations of a refused file are refused as well.
class Accepted {
 public:
  static Accepted& get() {
    static Accepted accepted;
    return accepted;
  }
  // Allocates nothing while an input is tried, because the fuzzer would look for a leak.
  void note(std::string_view input) {
    noted_ = input.size() <= last_.size() ? input.size() : 0;
    std::copy_n(input.begin(), noted_, last_.begin());
  }
  // Called between inputs.
  void keep() {
    if (noted_ == 0) return;
    const std::string_view input(last_.data(), noted_);
    noted_ = 0;
    std::vector<std::string>& inputs = of_kind_[input.front()];
    if (inputs.size() < kMaxInputs)
      inputs.emplace_back(input);
    else
      inputs[next_++ * kStep % kMaxInputs] = input;
  }
  // Null if there is none.
  const std::string* one(char kind, std::minstd_rand& random) const {
    const auto found = of_kind_.find(kind);
    if (found == of_kind_.end()) return nullptr;
    return &found->second[(size_t(random()) >> 4) % found->second.size()];
  }

 private:
  static constexpr size_t kMaxInputs = 512, kStep = 167;
  std::array<char, 16384> last_{};
  size_t noted_ = 0;
  std::map<char, std::vector<std::string>> of_kind_;
  size_t next_ = 0;
};

size_t changed(const uint8_t* data, size_t size, const uint8_t* donor, size_t donor_size, uint8_t* out, size_t most,
               unsigned seed) {
  const auto text = [](const uint8_t* begin, size_t count) {
    return std::string_view(reinterpret_cast<const char*>(begin), count);
  };
  std::optional<Document> document = parse_document(text(data, size));
  if (!document) return 0;
  const std::optional<Document> other = parse_document(text(donor, donor_size));
  std::minstd_rand random(seed);
  Accepted::get().keep();
  const std::string* const known = Accepted::get().one(document->kind, random);
  if (known != nullptr && (random() & 16) != 0) document = parse_document(*known);
  mutate(*document, other ? *other : *document, random, LLVMFuzzerMutate);
  const std::string input = input_of(*document);
  if (input.size() > most) return 0;
  std::copy(input.begin(), input.end(), out);
  return input.size();
}

}  // namespace
}  // namespace brokkr::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto document = brokkr::fuzz::parse_document(input);
  if (!document) return -1;  // not worth keeping
  brokkr::fuzz::Tally& tally = brokkr::fuzz::Tally::get();
  tally.tried(document->kind);
  try {
    brokkr::fuzz::try_document(*document, std::hash<std::string_view>()(input));
  } catch (const std::runtime_error&) {
  }
  if (tally.now_accepted()) brokkr::fuzz::Accepted::get().note(input);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  const size_t result = brokkr::fuzz::changed(data, size, data, size, data, most, seed);
  return result > 0 ? result : LLVMFuzzerMutate(data, size, most);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* first, size_t first_size, const uint8_t* second,
                                            size_t second_size, uint8_t* out, size_t most, unsigned seed) {
  return brokkr::fuzz::changed(first, first_size, second, second_size, out, most, seed);
}
