// Pictures that modules paint, shown by the window beside frames of the pipeline, the settings that they are painted
// with, and what is known of them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

namespace brokkr::viewer {

struct Scene;
struct FrameSettings;
class Painter;

// Settings of modules: one value of each type T, which has a default and compares. They are copied and compared as
// values; a type that nobody has set yet has its default.
class ModuleSettings {
 public:
  ModuleSettings() = default;
  ModuleSettings(const ModuleSettings& other) {
    for (const auto& [type, held] : other.held_) held_.emplace(type, held->copy());
  }
  ModuleSettings(ModuleSettings&&) = default;
  ModuleSettings& operator=(ModuleSettings other) {
    held_ = std::move(other.held_);
    return *this;
  }
  ~ModuleSettings() = default;

  template <typename T>
  T& get() {
    std::unique_ptr<Held>& held = held_[typeid(T)];
    if (!held) held = std::make_unique<HeldAs<T>>();
    return static_cast<HeldAs<T>&>(*held).value;
  }
  template <typename T>
  const T& get() const {
    static const T usual;
    const auto found = held_.find(typeid(T));
    return found == held_.end() ? usual : static_cast<const HeldAs<T>&>(*found->second).value;
  }

  bool operator==(const ModuleSettings& other) const { return covers(other) && other.covers(*this); }

 private:
  struct Held {
    virtual ~Held() = default;
    virtual std::unique_ptr<Held> copy() const = 0;
    virtual bool equals(const Held* other) const = 0;  // null: the default
  };
  template <typename T>
  struct HeldAs final : Held {
    T value{};
    std::unique_ptr<Held> copy() const override { return std::make_unique<HeldAs>(*this); }
    bool equals(const Held* other) const override {
      return value == (other != nullptr ? static_cast<const HeldAs&>(*other).value : T{});
    }
  };
  // Returns true if `other` has the same values of all types that are held here.
  bool covers(const ModuleSettings& other) const {
    for (const auto& [type, held] : held_) {
      const auto found = other.held_.find(type);
      if (!held->equals(found == other.held_.end() ? nullptr : found->second.get())) return false;
    }
    return true;
  }

  std::map<std::type_index, std::unique_ptr<Held>> held_;
};

// A part of the line at the bottom of the window. The tip explains the words; it is shown where the mouse points.
struct StatusPart {
  std::string text, tip;
};

// The recipe and the ingredients of a painted picture, for the PNG file that holds it.
struct PaintingRecord {
  std::string command, scene, options;  // `brokkr COMMAND SCENE … OPTIONS`; options begin with a space
  std::string name, facts;              // an entry of the settings: its name, and a JSON object
};

// Linear light: RGB triples, rows bottom to top.
struct LinearPicture {
  int width = 0, height = 0;
  const std::vector<float>& rgb;
};

// Facts about a painted picture. Each module derives its own.
struct Painting {
  virtual ~Painting() = default;
  // The status bar's text in place of triangles and pattern. `settings`: those it was painted with.
  virtual std::vector<StatusPart> status(const FrameSettings& settings) const = 0;
  virtual PaintingRecord record(const Scene& scene, const FrameSettings& settings) const = 0;
  // Its light, where it can be saved as .exr; it lives as long as the painting.
  virtual std::unique_ptr<const LinearPicture> light() const { return nullptr; }
};

// A kind of pictures that a module paints.
struct PaintingKind {
  // Draws them, on the render thread.
  std::unique_ptr<Painter> (*make)() = nullptr;
  // True if these settings ask for one. `scene`: null where none is loaded.
  bool (*takes)(const Scene* scene, const FrameSettings& settings) = nullptr;
  // Milliseconds that a picture may take by these settings; 0: no limit.
  double (*budget_ms)(const FrameSettings& settings) = nullptr;
  // Pictures grow by themselves while they are shown.
  bool grows = false;
};

}  // namespace brokkr::viewer
