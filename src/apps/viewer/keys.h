// The key table: each key stands here once, with its action and its help. What a key does, the keys in the menu, the
// help sheet and the list in docs/guide/viewer.md all follow from it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace brokkr::viewer {

enum class Action : uint8_t {
  open_file,
  reload_file,
  capture_frame,
  play_sequence,
  step_file,
  step_pattern,
  step_policy,
  step_shading,
  render_always,
  as_in_paper,
  race_patterns,
  record_log,
  step_draw,
  isolate_draw,
  hide_draw,
  show_all_draws,
  hold_reference,
  hold_original,
  hold_difference,
  recall_bookmark,
  save_bookmark,
  camera_home,
  copy_camera,
  paste_camera,
  show_help,
  hide_panels,
  show_time_line,
  scale_interface,
  full_screen,
  save_window,
  save_image,
  next_panel,
  dismiss,
  quit,
  one_to_one,
  fit_image,
  zoom,
  of_module,  // KeyEvent::number is the key
};

// Modifier bits, as GLFW has them.
enum KeyModifier : int { kNoModifier = 0, kShift = 1, kControl = 2, kAlt = 4 };

// Keys are GLFW's key codes; letters and digits are their capital ASCII code.
struct KeyBinding {
  Action action{};
  int key = 0;
  int modifiers = kNoModifier;  // KeyModifier bits that must be held, and no other
  const char* group = "";       // heading in the help sheet
  const char* help = "";        // "Save the window as PNG"
  int number = 0;     // of the event: 1 or -1 of a step; of several keys that of the first; of a module, the key
  int keys = 1;       // so many keys in a row share the action: digits
  bool held = false;  // the action lasts until the key is released
};
// The label of a key, as a KeyBinding has it. `key` is GLFW's, the place of an American keyboard; `name` the text of
// the key without modifiers, UTF-8 or null (glfwGetKeyName); `has_period` whether another key has a full stop without
// modifiers. A key keeps its place's meaning where it has no letter or sign of ASCII, as Cyrillic ones, and in the row
// of digits, which French keyboards have above other signs. "+" is as good as "=".
int key_that_stands(int key, const char* name, bool has_period);

// The viewer's own; modules add theirs.
std::span<const KeyBinding> key_bindings();

// A key that went down, or one with a held action that went up again.
struct KeyEvent {
  Action action{};
  int number = 0;  // 1, -1: forward, backward; of a bookmark
  bool down = true;
};

// The keyboard's events as actions.
class Keyboard {
 public:
  explicit Keyboard(std::vector<KeyBinding> more = {}) : more_(std::move(more)) {}
  std::optional<KeyEvent> press(int key, int modifiers);
  // Whatever modifiers are held by now: an action that was begun ends.
  std::optional<KeyEvent> release(int key);

 private:
  std::vector<KeyBinding> more_;
  std::vector<KeyBinding> held_;
};

// "Ctrl+1", "F12", "Left arrow".
std::string key_text(int key, int modifiers);
// The keys of an action, for the menu.
std::string key_text(Action action);

// The help sheet: keys and the mouse's gestures by group.
struct HelpGroup {
  struct Line {
    std::string keys, help;
  };
  std::string name;
  std::vector<Line> lines;
};
std::vector<HelpGroup> help_groups(std::span<const KeyBinding> more = {});

// Draws the sheet in the middle of the window if it is `open`; its cross closes it.
void draw_help_sheet(const std::vector<HelpGroup>& groups, bool& open);

}  // namespace brokkr::viewer
