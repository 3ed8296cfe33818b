// Pictures that modules paint, which the window shows beside frames of the pipeline: their settings, and facts about
// them.
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

// Settings of modules: one value of each type T, which must have a default and be comparable. The settings are copied
// and compared as values; a type that was never set has its default.
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
  // Returns true if `other` has equal values for all types that this object holds.
  bool covers(const ModuleSettings& other) const {
    for (const auto& [type, held] : held_) {
      const auto found = other.held_.find(type);
      if (!held->equals(found == other.held_.end() ? nullptr : found->second.get())) return false;
    }
    return true;
  }

  std::map<std::type_index, std::unique_ptr<Held>> held_;
};

// A part of the line at the bottom of the window. The tooltip explains the text.
struct StatusPart {
  std::string text, tip;
};

// The recipe of a painted picture, stored in its PNG file.
struct PaintingRecord {
  std::string command, scene, options;  // `brokkr COMMAND SCENE … OPTIONS`; `options` starts with a space
  std::string name, facts;              // an entry of the settings file: its name and its JSON object
};

// Linear RGB triples, rows bottom to top.
struct LinearPicture {
  int width = 0, height = 0;
  const std::vector<float>& rgb;
};

// Facts about a painted picture. Modules derive from it.
struct Painting {
  virtual ~Painting() = default;
  // The status bar's text, which replaces triangles and pattern. `settings`: those of the picture.
  virtual std::vector<StatusPart> status(const FrameSettings& settings) const = 0;
  virtual PaintingRecord record(const Scene& scene, const FrameSettings& settings) const = 0;
  // The picture in linear light, if it can be saved as .exr; valid as long as the painting.
  virtual std::unique_ptr<const LinearPicture> light() const { return nullptr; }
};

// A kind of picture that a module paints.
struct PaintingKind {
  // Makes the painter; called on the render thread.
  std::unique_ptr<Painter> (*make)() = nullptr;
  // Returns true if these settings ask for this kind. `scene`: null if none is loaded.
  bool (*takes)(const Scene* scene, const FrameSettings& settings) = nullptr;
  // The time limit for a picture in milliseconds; 0: no limit.
  double (*budget_ms)(const FrameSettings& settings) = nullptr;
  // The picture improves by itself while it is shown.
  bool grows = false;
};

}  // namespace brokkr::viewer
