#include "app/aov.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <utility>

#include "app/picture.h"
#include "base/nearest_name.h"
#include "brokkr/image.h"
#include "brokkr/read_back.h"
#include "plan/color_code.h"

namespace brokkr::app {
namespace {

struct Kind {
  const char* name;
  PixelPlane plane;  // the plane it is read from
  int read = 1;      // values of that plane per pixel
  bool integer = false;
  int written = 1;  // values in the file
};
// As in Aov.
constexpr std::array<Kind, 12> kKinds = {{
    {"depth", PixelPlane::depth},
    {"draw", PixelPlane::command, 1, true},
    {"triangle", PixelPlane::triangle, 1, true},
    {"overdraw", PixelPlane::overdraw, 1, true},
    {"distance", PixelPlane::distance},
    {"instance", PixelPlane::instance, 1, true},
    {"material", PixelPlane::command, 1, true},
    {"barycentric", PixelPlane::barycentric, 2, false, 3},
    {"normal", PixelPlane::normal, 3, false, 3},
    {"position", PixelPlane::position, 3, false, 3},
    {"uv", PixelPlane::texcoord, 2, false, 3},
    {"albedo", PixelPlane::color, 1, true, 3},
}};
const Kind& kind_of(Aov aov) { return kKinds[size_t(aov)]; }

std::string all_names() {
  std::string names;
  for (const Kind& kind : kKinds) names += std::string(names.empty() ? "" : ", ") + kind.name;
  return names;
}

// The values of one plane: rows bottom to top, layer after layer.
using Values = std::vector<float>;

// Converts the plane's `words` (floats or integers) to floats.
Values values_of(Aov aov, std::span<const uint32_t> words, std::span<const int32_t> materials) {
  const Kind& kind = kind_of(aov);
  const size_t pixels = words.size() / size_t(kind.read);
  Values values(pixels * size_t(kind.written));
  for (size_t i = 0; i < pixels; ++i) {
    float* const out = &values[i * size_t(kind.written)];
    const uint32_t* const in = &words[i * size_t(kind.read)];
    if (aov == Aov::albedo) {
      for (int c = 0; c < 3; ++c) out[c] = float(linear_from_srgb(double(in[0] >> (8 * c) & 0xff) / 255));
    } else if (aov == Aov::material) {
      const auto command = int32_t(in[0]);
      out[0] = float(command < 0 ? -1 : materials[size_t(command)]);
    } else {
      for (int c = 0; c < kind.read; ++c) out[c] = kind.integer ? float(int32_t(in[c])) : std::bit_cast<float>(in[c]);
    }
  }
  return values;
}

// The material of every command, or -1 for a command that draws nothing.
std::vector<int32_t> materials_of(const Frame& frame) {
  std::vector<int32_t> all;
  for (const brokkr::Command& command : frame.commands) {
    const DrawCommand* const draw = std::get_if<DrawCommand>(&command);
    all.push_back(draw != nullptr && draw->vertex_kind == VertexKind::transform ? int32_t(draw->material) : -1);
  }
  return all;
}

// Sets the colour to 0 wherever no triangle covers the pixel.
void clear_background(Values& colors, std::span<const uint32_t> triangles) {
  for (size_t i = 0; i < triangles.size(); ++i) {
    if (int32_t(triangles[i]) < 0) std::fill_n(&colors[i * 3], 3, 0.0f);
  }
}

// One plane of one layer, and the file it goes to.
struct Piece {
  std::string path, layer;  // `layer`: the name of this layer in an .exr that holds several
  int width = 0, height = 0, channels = 1;
  std::span<const float> values;
};

// The file of a layer, and the layer's name inside a file that holds all layers.
Piece place_of(const AovRequest& request, const AovLayers& layers, uint32_t layer) {
  const char* const name = kind_of(request.aov).name;
  Piece piece;
  if (layers.count == 1) {
    piece.path = output_name(request.path, layers.file, layers.several, "--aov");
    piece.layer = name;
    return piece;
  }
  const uint32_t number = layers.first + layer;
  if (request.path.find("{}") == std::string::npos) {
    piece.path = request.path;
    piece.layer = fmt::format("{}-{}", layer_name(number, layers.first + layers.count), name);
  } else {
    piece.path = layer_output_name(request.path, layers.file, layers.several, number, "--aov");
    piece.layer = name;
  }
  return piece;
}

std::vector<std::string> write_pieces(const std::vector<Piece>& pieces) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<const Piece*>> files;
  for (const Piece& piece : pieces) files[piece.path].push_back(&piece);
  for (const auto& [path, parts] : files) {
    const Piece& first = *parts.front();
    names.push_back(path);
    if (!is_exr(path)) {
      write_pfm(path, first.width, first.height, first.channels, first.values);
    } else if (parts.size() == 1) {
      write_exr(path, first.width, first.height, first.channels, first.values);
    } else {
      std::vector<ExrLayer> layers;
      for (const Piece* const part : parts)
        layers.push_back({part->layer, {part->values.begin(), part->values.end()}, part->channels});
      write_exr_layers(path, first.width, first.height, 0, layers);
    }
  }
  return names;
}

// A launch that reads planes back.
class Launch {
 public:
  Launch(const AovLayers& layers, const Target& target) : pixels_(size_t(target.width) * size_t(target.height)) {
    wanted_.target = layers.target;
    wanted_.first_layer = layers.first;
    wanted_.layers = layers.count;
    wanted_.rows_from_top = false;
  }
  void add(Aov aov) {
    if (planes_.contains(aov)) return;
    std::vector<uint32_t>& words = planes_[aov];
    words.resize(pixels_ * wanted_.layers * size_t(kind_of(aov).read));
    wanted_.planes.push_back({kind_of(aov).plane, std::as_writable_bytes(std::span(words))});
  }
  void run(Renderer& renderer, PreparedFrame& prepared, const RenderOptions& options) {
    if (!planes_.empty()) renderer.render(prepared, options, wanted_);
  }
  std::map<Aov, std::vector<uint32_t>>& planes() { return planes_; }

 private:
  size_t pixels_;
  ReadBack wanted_;
  std::map<Aov, std::vector<uint32_t>> planes_;
};

}  // namespace

int channels_of(Aov aov) { return kind_of(aov).written; }

Option aov_option() {
  Option option = several(named_file_option("--aov", "NAME=FILE",
                                            "Also write " + all_names() +
                                                " of each pixel to .pfm or .exr; may be repeated. Several may share "
                                                "one .exr, which holds them as layers. {} works as in --output",
                                            FileUse::written));
  option.shared_ending = ".exr";
  return option;
}

std::vector<AovRequest> read_aovs(const Arguments& arguments) {
  std::vector<AovRequest> all;
  for (const std::string& text : arguments.all("aov")) {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto found = std::ranges::find(kKinds, name, &Kind::name);
    if (equals == std::string::npos || found == kKinds.end()) {
      std::vector<std::string> known;
      for (const Kind& kind : kKinds) known.emplace_back(kind.name);
      throw UsageError("--aov: '" + text + "' is not NAME=FILE with NAME one of " + all_names() +
                       did_you_mean(name, known));
    }
    if (equals + 1 == text.size())
      throw UsageError("--aov: '" + text + "' names no file; write " + text + "FILE.exr or " + text + "FILE.pfm");
    const AovRequest request{Aov(found - kKinds.begin()), text.substr(equals + 1)};
    require_ending(request.path, {".pfm", ".exr"}, "--aov");
    const auto is_same = [&](const AovRequest& r) { return r.aov == request.aov && r.path == request.path; };
    if (std::ranges::any_of(all, is_same)) throw UsageError("--aov: " + text + " is there twice; give it once");
    all.push_back(request);
  }
  return all;
}

bool wants(const std::vector<AovRequest>& aovs, Aov aov) {
  return std::ranges::any_of(aovs, [&](const AovRequest& r) { return r.aov == aov; });
}

void require_layer_names(const std::vector<AovRequest>& aovs, const AovLayers& layers) {
  if (layers.count == 1) return;
  for (const AovRequest& aov : aovs) {
    if (is_exr(aov.path) || aov.path.find("{}") != std::string::npos) continue;
    throw UsageError(
        fmt::format("--aov: '{}' would be written for each of {} layers; put {{}} in the name for the layer's number, "
                    "name an .exr to hold all layers, or choose one with --layer",
                    aov.path, layers.count));
  }
}

std::vector<std::string> draw_aovs(Renderer& renderer, PreparedFrame& prepared, const Frame& frame,
                                   const RenderOptions& options, const std::vector<AovRequest>& aovs,
                                   const AovLayers& layers) {
  if (aovs.empty()) return {};
  const Target& target = frame.targets[layers.target];
  Launch common(layers, target), counting(layers, target), plain(layers, target);
  const auto launch_of = [&](Aov aov) -> Launch& {
    return aov == Aov::overdraw ? counting : aov == Aov::albedo ? plain : common;
  };
  for (const AovRequest& request : aovs) launch_of(request.aov).add(request.aov);
  RenderOptions chosen = options;
  chosen.trace = chosen.keep_ids = false;
  chosen.samples = 1;                                      // averaging numbers or positions over samples is meaningless
  if (wants(aovs, Aov::albedo)) plain.add(Aov::triangle);  // tells covered pixels from the background
  common.run(renderer, prepared, chosen);
  chosen.shading = Shading::overdraw;
  counting.run(renderer, prepared, chosen);
  chosen.shading = Shading::albedo;
  plain.run(renderer, prepared, chosen);

  const std::vector<int32_t> materials = materials_of(frame);
  std::map<Aov, Values> values;
  for (const AovRequest& request : aovs) {
    if (values.contains(request.aov)) continue;
    std::vector<uint32_t>& words = launch_of(request.aov).planes()[request.aov];
    values[request.aov] = values_of(request.aov, words, materials);
    if (request.aov == Aov::albedo) clear_background(values[Aov::albedo], plain.planes()[Aov::triangle]);
    words = {};
  }
  std::vector<Piece> pieces;
  for (const AovRequest& request : aovs) {
    const size_t size = size_t(target.width) * size_t(target.height) * size_t(channels_of(request.aov));
    for (uint32_t layer = 0; layer < layers.count; ++layer) {
      Piece piece = place_of(request, layers, layer);
      piece.width = target.width;
      piece.height = target.height;
      piece.channels = channels_of(request.aov);
      piece.values = std::span(values[request.aov]).subspan(layer * size, size);
      pieces.push_back(piece);
    }
  }
  return write_pieces(pieces);
}

void write_aovs(const std::vector<AovRequest>& aovs, const Layer& layer, const Layer& overdraw,
                const PreparedFrame& prepared, const AovLayers& layers) {
  std::vector<Values> all;
  for (const AovRequest& request : aovs) {
    switch (request.aov) {
      case Aov::depth: all.push_back(layer.depth); break;
      case Aov::overdraw: all.emplace_back(overdraw.overdraw.begin(), overdraw.overdraw.end()); break;
      case Aov::draw:
      case Aov::triangle:
        all.emplace_back();
        for (const uint32_t id : layer.visible_id) {
          const PrimitiveOrigin origin = id == ~0u ? PrimitiveOrigin{} : prepared.origin(id);
          const uint32_t number = request.aov == Aov::draw ? origin.command : origin.triangle;
          all.back().push_back(id == ~0u ? -1.0f : float(number));
        }
        break;
      default:
        throw UsageError(
            fmt::format("--aov: several ranks write only depth, draw, triangle and overdraw; write {} without --ranks",
                        kind_of(request.aov).name));
    }
  }
  std::vector<Piece> pieces;
  for (size_t i = 0; i < aovs.size(); ++i) {
    Piece piece = place_of(aovs[i], layers, 0);
    piece.width = layer.width;
    piece.height = layer.height;
    piece.values = all[i];
    pieces.push_back(piece);
  }
  write_pieces(pieces);
}

}  // namespace brokkr::app
