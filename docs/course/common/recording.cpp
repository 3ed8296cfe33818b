#include "common/recording.h"

#include <bit>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace course {
namespace {

template <typename T, size_t kCount>
T of_name(const std::string& word, const char* const (&names)[kCount]) {
  for (size_t i = 0; i < kCount; ++i) {
    if (word == names[i]) return T(i);
  }
  throw std::runtime_error("'" + word + "' is not known");
}

constexpr const char* kModes[] = {"points", "triangles",  "triangle_strip", "triangle_fan",
                                  "quads",  "quad_strip", "polygon"};
constexpr const char* kFunctions[] = {"never", "less", "equal", "lequal", "greater", "notequal", "gequal", "always"};
constexpr const char* kCulls[] = {"none", "front", "back"};

class Reader {
 public:
  explicit Reader(const std::string& path) : file_(path) {
    if (!file_) throw std::runtime_error(path + ": is not there; run tools/course-recordings");
    try {
      while (next_line()) command();
      check();
    } catch (const std::exception& error) {
      throw std::runtime_error(path + ":" + std::to_string(number_) + ": " + error.what());
    }
  }
  Recording take() { return std::move(recording_); }

 private:
  bool next_line() {
    std::string text;
    while (std::getline(file_, text)) {
      ++number_;
      if (text.empty() || text[0] == '#') continue;
      line_ = std::istringstream(text);
      return true;
    }
    return false;
  }

  template <typename T>
  T value(const char* name) {
    T result{};
    if (!(line_ >> result)) throw std::runtime_error(std::string("no ") + name);
    return result;
  }
  int count(const char* name, int low, int high) {
    const int result = value<int>(name);
    if (result < low || result > high)
      throw std::runtime_error(std::string(name) + " " + std::to_string(result) + " is out of range");
    return result;
  }
  Color color() {
    const float r = value<float>("red"), g = value<float>("green"), b = value<float>("blue");
    return {r, g, b};
  }

  void command() {
    const std::string word = value<std::string>("command");
    if (word == "size") {
      recording_.width = count("width", 1, 4096);
      recording_.height = count("height", 1, 4096);
    } else if (word == "clear") {
      if (value<std::string>("plane") == "color") {
        recording_.clear_color = color();
      } else {
        recording_.clear_depth = value<float>("depth");
      }
    } else if (word == "matrix") {
      Mat4& matrix = recording_.matrices[value<std::string>("name")];
      for (auto& row : matrix.m) {
        for (float& element : row) element = value<float>("element");
      }
    } else if (word == "texture") {
      texture();
    } else if (word == "draw") {
      draw();
    } else {
      throw std::runtime_error("'" + word + "' is no command");
    }
  }

  void texture() {
    Texture texture;
    const int number = count("number", 0, 1000), width = count("width", 1, 1024), height = count("height", 1, 1024);
    if (number != int(recording_.textures.size())) throw std::runtime_error("textures are not in order");
    if (!std::has_single_bit(unsigned(width)) || !std::has_single_bit(unsigned(height))) {
      throw std::runtime_error("a side of the texture is no power of two");
    }
    texture.width_log2 = std::countr_zero(unsigned(width));
    texture.height_log2 = std::countr_zero(unsigned(height));
    for (int y = 0; y < height; ++y) {
      if (!next_line()) throw std::runtime_error("the texture ends too early");
      for (int x = 0; x < width; ++x) {
        const auto rgb = uint32_t(std::stoul(value<std::string>("texel"), nullptr, 16));
        texture.texels.push_back(pack(rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255));
      }
    }
    recording_.textures.push_back(std::move(texture));
  }

  void draw() {
    Draw draw;
    draw.mode = of_name<Mode>(value<std::string>("mode"), kModes);
    int vertices = 0, elements = 0;
    std::vector<std::string> attributes;
    for (std::string word = value<std::string>("key"); word != "."; word = value<std::string>("key")) {
      if (word == "vertices")
        vertices = count("vertices", 0, 1 << 20);
      else if (word == "elements")
        elements = count("elements", 0, 1 << 20);
      else if (word == "shading")
        draw.flat = value<std::string>("shading") == "flat";
      else if (word == "write")
        draw.depth_write = count("write", 0, 1) == 1;
      else if (word == "cull")
        draw.cull = of_name<Cull>(value<std::string>("cull"), kCulls);
      else if (word == "texture")
        draw.texture = count("texture", -1, int(recording_.textures.size()) - 1);
      else if (word == "depth") {
        const std::string name = value<std::string>("depth");
        draw.depth_test = name != "off";
        if (draw.depth_test) draw.depth = of_name<DepthFunction>(name, kFunctions);
      } else if (word != "has")
        attributes.push_back(word);
    }
    for (int i = 0; i < vertices; ++i) {
      if (!next_line() || value<std::string>("v") != "v") throw std::runtime_error("a vertex is missing");
      draw.vertices.push_back(vertex(attributes));
    }
    if (elements == vertices && file_.peek() != 'e') {
      for (int i = 0; i < elements; ++i) draw.elements.push_back(i);
    }
    while (int(draw.elements.size()) < elements) {
      if (!next_line() || value<std::string>("e") != "e") throw std::runtime_error("elements are missing");
      for (int element = 0; line_ >> element;) {
        if (element < 0 || element >= vertices)
          throw std::runtime_error("element " + std::to_string(element) + " is no vertex");
        draw.elements.push_back(element);
      }
    }
    recording_.draws.push_back(std::move(draw));
  }

  Vertex vertex(const std::vector<std::string>& attributes) {
    Vertex vertex;
    for (const std::string& attribute : attributes) {
      if (attribute == "position") {
        for (float* part : {&vertex.position.x, &vertex.position.y, &vertex.position.z, &vertex.position.w}) {
          *part = value<float>("position");
        }
      } else if (attribute == "color") {
        vertex.color = color();
      } else if (attribute == "texcoord") {
        vertex.s = value<float>("s");
        vertex.t = value<float>("t");
      } else if (attribute == "object") {
        for (float* part : {&vertex.object.x, &vertex.object.y, &vertex.object.z}) *part = value<float>("object");
      } else {
        throw std::runtime_error("'" + attribute + "' is no attribute");
      }
    }
    return vertex;
  }

  void check() const {
    if (recording_.width == 0) throw std::runtime_error("there is no size");
  }

  std::ifstream file_;
  std::istringstream line_;
  int number_ = 0;
  Recording recording_;
};

}  // namespace

Recording read_recording(const std::string& path) { return Reader(path).take(); }

}  // namespace course
