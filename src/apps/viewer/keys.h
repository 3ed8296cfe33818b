// The key table lists each key once, with its action and its help. Key handling, the keys in menus, the help sheet and
// the list in docs/reference/viewer.md all come from it.
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

// Modifier bits, as in GLFW.
enum KeyModifier : int { kNoModifier = 0, kShift = 1, kControl = 2, kAlt = 4 };

// Keys are GLFW's key codes; for letters and digits these are ASCII codes (capitals).
struct KeyBinding {
  Action action{};
  int key = 0;
  int modifiers = kNoModifier;  // KeyModifier bits that must be held; no others may be
  const char* group = "";       // heading in the help sheet
  const char* help = "";        // such as "Save the window as PNG"
  int number = 0;     // of the event: 1 or -1 for a step; for several keys, the first one's; for a module, the key
  int keys = 1;       // number of consecutive keys (digits) that share the action
  bool held = false;  // the action lasts until the key is released
};
// The label of a key, as KeyBinding uses it. `key`: GLFW's code, which is a position on an American keyboard; `name`:
// the key's text without modifiers, UTF-8 or null (glfwGetKeyName); `has_period`: another key has a full stop without
// modifiers. A key keeps the meaning of its position if it has no ASCII letter or sign, such as on Cyrillic keyboards,
// and in the row of digits, which French keyboards shift. "+" counts as "=".
int key_that_stands(int key, const char* name, bool has_period);

// The viewer's own bindings; modules add theirs.
std::span<const KeyBinding> key_bindings();

// A key that was pressed, or a released key whose action is held.
struct KeyEvent {
  Action action{};
  int number = 0;  // 1, -1: forward, backward; or the number of a bookmark
  bool down = true;
};

// Turns keyboard events into actions.
class Keyboard {
 public:
  explicit Keyboard(std::vector<KeyBinding> more = {}) : more_(std::move(more)) {}
  std::optional<KeyEvent> press(int key, int modifiers);
  // Ends the action that this key started, whatever modifiers are held now.
  std::optional<KeyEvent> release(int key);

 private:
  std::vector<KeyBinding> more_;
  std::vector<KeyBinding> held_;
};

// The key's name: "Ctrl+1", "F12", "Left arrow".
std::string key_text(int key, int modifiers);
// The names of an action's keys, for the menu.
std::string key_text(Action action);

// The help sheet: keys and mouse gestures by group.
struct HelpGroup {
  struct Line {
    std::string keys, help;
  };
  std::string name;
  std::vector<Line> lines;
};
std::vector<HelpGroup> help_groups(std::span<const KeyBinding> more = {});

// Draws the sheet in the centre of the window if it is `open`; its close button closes it.
void draw_help_sheet(const std::vector<HelpGroup>& groups, bool& open);

}  // namespace brokkr::viewer
