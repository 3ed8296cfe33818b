#include "viewer/keys.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace brokkr::viewer {
namespace {

struct KeyName {
  int key;
  const char* name;
};

constexpr KeyName kNames[] = {
    {GLFW_KEY_SPACE, "Space"},
    {GLFW_KEY_ESCAPE, "Esc"},
    {GLFW_KEY_ENTER, "Enter"},
    {GLFW_KEY_TAB, "Tab"},
    {GLFW_KEY_BACKSPACE, "Backspace"},
    {GLFW_KEY_DELETE, "Delete"},
    {GLFW_KEY_RIGHT, "Right arrow"},
    {GLFW_KEY_LEFT, "Left arrow"},
    {GLFW_KEY_DOWN, "Down arrow"},
    {GLFW_KEY_UP, "Up arrow"},
    {GLFW_KEY_PAGE_UP, "Page up"},
    {GLFW_KEY_PAGE_DOWN, "Page down"},
    {GLFW_KEY_HOME, "Home"},
    {GLFW_KEY_END, "End"},
    {GLFW_KEY_COMMA, ","},
    {GLFW_KEY_PERIOD, "."},
    {GLFW_KEY_MINUS, "-"},
    {GLFW_KEY_EQUAL, "="},
};

}  // namespace

void KeyTable::add(KeyBinding binding) {
  for (const KeyBinding& other : bindings_) {
    if (other.gesture.empty() && other.key == binding.key && other.modifiers == binding.modifiers) {
      throw std::invalid_argument("key " + key_text(binding.key, binding.modifiers) + " has two meanings: '" +
                                  other.help + "' and '" + binding.help + "'");
    }
  }
  bindings_.push_back(std::move(binding));
}

void KeyTable::add_gesture(const std::string& gesture, const std::string& group, const std::string& help) {
  bindings_.push_back({.group = group, .help = help, .gesture = gesture});
}

bool KeyTable::press(int key, int modifiers) {
  for (size_t i = 0; i < bindings_.size(); ++i) {
    const KeyBinding& binding = bindings_[i];
    if (!binding.gesture.empty() || binding.key != key || binding.modifiers != modifiers) continue;
    if (binding.release) held_.push_back(i);
    if (binding.press) binding.press();
    return true;
  }
  return false;
}

bool KeyTable::release(int key) {
  // A binding that was pressed must end, whatever modifiers are held now.
  bool found = false;
  const auto ends = [&](size_t i) { return bindings_[i].key == key; };
  for (const size_t i : std::vector<size_t>(held_)) {
    if (!ends(i)) continue;
    found = true;
    bindings_[i].release();
  }
  held_.erase(std::remove_if(held_.begin(), held_.end(), ends), held_.end());
  return found;
}

std::string key_text(int key, int modifiers) {
  std::string text;
  if (modifiers & kControl) text += "Ctrl+";
  if (modifiers & kAlt) text += "Alt+";
  if (modifiers & kShift) text += "Shift+";
  if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) return text + "F" + std::to_string(key - GLFW_KEY_F1 + 1);
  for (const KeyName& name : kNames) {
    if (name.key == key) return text + name.name;
  }
  if (key > 32 && key < 127) return text + static_cast<char>(key);
  return text + "key " + std::to_string(key);
}

}  // namespace brokkr::viewer
