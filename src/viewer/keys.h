// The key table: one list from which keys are looked up and the help sheet is drawn.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace brokkr::viewer {

// Modifier bits, as GLFW has them.
enum KeyModifier : int { kNoModifier = 0, kShift = 1, kControl = 2, kAlt = 4 };

// What a key does. Keys are GLFW's key codes; letters and digits are their capital ASCII code.
struct KeyBinding {
  int key = 0;
  int modifiers = kNoModifier;  // KeyModifier bits that must be held, and no other
  std::string group;            // heading in the help sheet
  std::string help;             // "Save a screenshot"
  std::function<void()> press;
  std::function<void()> release;  // may be empty
  std::string gesture;            // of the mouse: named in the help sheet, never looked up (key is 0)
};

class KeyTable {
 public:
  // Throws std::invalid_argument where the key is taken: a key has one meaning.
  void add(KeyBinding binding);
  void add_gesture(const std::string& gesture, const std::string& group, const std::string& help);
  // Runs the action of a key that went down or up. Returns whether there was one.
  bool press(int key, int modifiers);
  bool release(int key);

  const std::vector<KeyBinding>& bindings() const { return bindings_; }

 private:
  std::vector<KeyBinding> bindings_;
  std::vector<size_t> held_;  // bindings whose release is due
};

// "Ctrl+1", "F12", "Left arrow".
std::string key_text(int key, int modifiers);

}  // namespace brokkr::viewer
