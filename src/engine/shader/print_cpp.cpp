#include "shader/print_cpp.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace brokkr::shader {

namespace {

class CppPrinter {
 public:
  CppPrinter(const Code& code, bool holds_lookups) : code_(code), holds_lookups_(holds_lookups) {}

  std::string print(const std::string& name) {
    find_names();
    row(fmt::format("extern \"C\" BROKKR_EXPORTED void {}(CompiledCall* call) {{", name));
    for (const uint32_t number : samplers_) row(fmt::format("  const KnownSampler s{0}(*call, {0});", number));
    if (holds_lookups_ && reads_inputs()) row(fmt::format("  SmoothInputs<{}> inputs;", input_count()));
    row("  run_vectors(*call, [&](VectorRun& run) BROKKR_INLINE_LAMBDA {");
    declare();
    for (uint32_t index = code_.head; index < code_.instructions.size(); ++index) {
      instruction(code_.instructions[index], index);
      for (; !ends_.empty() && ends_.back() == index; ends_.pop_back()) close("}");
    }
    row("    return true;");
    row("  });");
    row("}");
    return std::move(text_);
  }

 private:
  void row(const std::string& line) { text_ += line + "\n"; }
  void statement(const std::string& line) { row(std::string(4 + 2 * depth_, ' ') + line); }
  void close(const std::string& line) {
    --depth_;
    statement(line);
  }

  // Collects the registers that instructions use, and which of these are elements of arrays.
  void find_names() {
    for (uint32_t index = code_.head; index < code_.instructions.size(); ++index) {
      const CodeInstruction& one = code_.instructions[index];
      if (one.op == Op::element || one.op == Op::set_element) arrays_[one.operand[0]] = one.extra;
    }
    for (uint32_t index = code_.head; index < code_.instructions.size(); ++index) {
      const CodeInstruction& one = code_.instructions[index];
      note_names(one);
      lookups_ += one.op == Op::sample;
      if (is_known_detail(one) || is_known_usual(one)) samplers_.insert(one.extra & kSamplerMask);
    }
  }
  bool is_known_detail(const CodeInstruction& one) const {
    return holds_lookups_ && one.op == Op::detail && one.known != 0;
  }
  bool is_known_usual(const CodeInstruction& one) const {
    return holds_lookups_ && one.op == Op::sample && (one.known & (kKnownUsual | kKnownNearest)) != 0;
  }
  void note_names(const CodeInstruction& one) {
    const auto [results, operands] = counts_of(one);
    for (int i = 0; i < results; ++i) note(one.result[i], gives_mask(one.op));
    for (int i = 0; i < operands; ++i) note(one.operand[i], takes_mask(one, i));
  }
  void note(uint16_t number, bool is_mask) { (is_mask ? masks_ : registers_).insert(number); }

  std::string reg(uint16_t number) const {
    const auto behind = arrays_.upper_bound(number);
    if (behind != arrays_.begin()) {
      const auto& [first, length] = *std::prev(behind);
      if (number < first + length) return fmt::format("a{}[{}]", first, number - first);
    }
    return fmt::format("r{}", number);
  }
  static std::string mask(uint16_t number) { return fmt::format("m{}", number); }

  // Registers start with their value from before the run, or with 0.
  void declare() {
    std::map<uint16_t, std::string> begin, mask_begin;
    for (const Preset& one : code_.constants) begin[one.number] = fmt::format("Uint({:#010x}u)", one.payload);
    for (const Preset& one : code_.mask_constants)
      mask_begin[one.number] = one.payload != 0 ? "Mask(true)" : "Mask(false)";
    // CPUs read presets from the draw's table (Instance::presets).
    size_t preset = code_.constants.size();
    const auto same = [&](uint16_t number) {
      begin[number] = holds_lookups_ ? fmt::format("run.preset({})", preset) : fmt::format("run.uniform({})", number);
      ++preset;
    };
    const auto given = [&](uint16_t number) { mask_begin[number] = fmt::format("run.mask({})", number); };
    for (const Preset& one : code_.uniforms) same(one.number);
    for (uint32_t index = 0; index < code_.head; ++index) {
      const CodeInstruction& one = code_.instructions[index];
      if (gives_mask(one.op)) {
        given(one.result[0]);
      } else {
        same(one.result[0]);
      }
    }
    for (const uint16_t number : code_.inputs) {
      if (number != kNoRegister && !holds_lookups_) begin[number] = fmt::format("run.input({})", number);
    }
    for (const uint16_t number : code_.mask_inputs) {
      if (number != kNoRegister) given(number);
    }
    given(code_.running);
    for (const auto& [first, length] : arrays_) {
      statement(fmt::format("Uint a{}[{}];", first, length));
      statement(fmt::format("for (Uint& cell : a{}) cell = Uint(0u);", first));
    }
    for (const uint16_t number : registers_) {
      const auto found = begin.find(number);
      const std::string name = reg(number), value = found == begin.end() ? "Uint(0u)" : found->second;
      if (name.front() == 'r') statement(fmt::format("Uint {} = {};", name, value));
      if (name.front() == 'a' && found != begin.end()) statement(fmt::format("{} = {};", name, value));
    }
    for (const uint16_t number : masks_) {
      const auto found = mask_begin.find(number);
      statement(fmt::format("Mask {} = {};", mask(number), found == mask_begin.end() ? "Mask(false)" : found->second));
    }
    if (holds_lookups_) fill_inputs();
  }
  bool reads_inputs() const {
    return std::any_of(code_.inputs.begin(), code_.inputs.end(),
                       [&](uint16_t number) { return number != kNoRegister && registers_.contains(number); });
  }
  size_t input_count() const { return code_.inputs.size() - size_t(std::ranges::count(code_.inputs, kNoRegister)); }
  // CPUs interpolate smooth varyings here; other inputs are in the registers.
  void fill_inputs() {
    if (!reads_inputs()) return;
    std::string interpolated, loaded;
    uint32_t i = 0;
    for (const uint16_t number : code_.inputs) {
      if (number == kNoRegister) continue;
      if (registers_.contains(number)) {
        interpolated += fmt::format("      {} = inputs.at({});\n", reg(number), i);
        loaded += fmt::format("      {} = run.input({});\n", reg(number), number);
      }
      ++i;
    }
    text_ += "    if (inputs.take(run)) {\n" + interpolated + "    } else {\n" + loaded + "    }\n";
  }

  void instruction(const CodeInstruction& o, uint32_t index) {
    switch (o.op) {
      case Op::change_x: return change(o, 1);
      case Op::change_y: return change(o, 2);
      case Op::set:
        return assign(o, fmt::format("op_set({}, {}, {})", reg(o.operand[0]), mask(o.operand[1]), reg(o.result[0])));
      case Op::mask_set:
        return statement(fmt::format("{0} = op_mask_set({1}, {2}, {0});", mask(o.result[0]), mask(o.operand[0]),
                                     mask(o.operand[1])));
      case Op::element:
        return assign(o, fmt::format("run.element(a{}, {}, {})", o.operand[0], o.extra, reg(o.operand[1])));
      case Op::set_element:
        return statement(fmt::format("run.set_element(a{}, {}, {}, {}, {});", o.operand[0], o.extra, reg(o.operand[1]),
                                     reg(o.operand[2]), mask(o.operand[3])));
      case Op::uniform_at: return assign(o, fmt::format("run.uniform_at({})", reg(o.operand[0])));
      case Op::detail:
        if (is_known_detail(o)) return detail(o);
        return look_up(o);
      case Op::sample:
      case Op::texture_size:
      case Op::detail_levels: return look_up(o);
      case Op::discard: return statement(fmt::format("if (!run.discard({})) return false;", mask(o.operand[0])));
      case Op::output: return statement(fmt::format("run.output({}, {});", o.extra, reg(o.operand[0])));
      case Op::begin_if:
      case Op::begin_loop:
      case Op::end_if:
      case Op::repeat: return control(o, index);
      default: return function(o);
    }
  }
  void assign(const CodeInstruction& o, const std::string& value) {
    statement(fmt::format("{} = {};", reg(o.result[0]), value));
  }
  // The registers of operands first .. first + count - 1, and zeros up to `length` of them.
  std::string list_of(const CodeInstruction& o, int first, int count, int length) const {
    std::string list;
    for (int i = 0; i < length; ++i)
      list += (i == 0 ? "" : ", ") + (i < count ? reg(o.operand[first + i]) : "Uint(0u)");
    return "{" + list + "}";
  }
  void detail(const CodeInstruction& o) {
    const int axes = axes_of(kind_of_sample(o.extra));
    assign(o, fmt::format("run.detail_along<{}>(s{}, {}, {}, {})", axes, o.extra & kSamplerMask,
                          (o.extra & kSampleOfQuad) != 0, list_of(o, 0, axes, axes), list_of(o, axes, axes, axes)));
  }
  void change(const CodeInstruction& o, int bit) {
    const bool of_quads = holds_lookups_ && o.operand[1] == code_.running;  // the lanes of a run are whole quads
    assign(o, of_quads ? fmt::format("run.change_in_quad({}, {})", reg(o.operand[0]), bit)
                       : fmt::format("run.change({}, {}, {})", reg(o.operand[0]), mask(o.operand[1]), bit));
  }
  void function(const CodeInstruction& o) {
    const auto [results, operands] = counts_of(o);
    std::string list;
    for (int i = 0; i < operands; ++i) {
      list += i == 0 ? "" : ", ";
      list += takes_mask(o, i) ? mask(o.operand[i]) : reg(o.operand[i]);
    }
    const std::string result = gives_mask(o.op) ? mask(o.result[0]) : reg(o.result[0]);
    statement(fmt::format("{} = op_{}({});", result, signature_of(o.op).name, list));
  }
  void look_up(const CodeInstruction& o) {
    const auto [results, operands] = counts_of(o);
    std::string list, lanes = "Mask(true)";
    for (int i = 0; i < operands; ++i) {
      const bool is_mask = takes_mask(o, i);
      if (is_mask) lanes = mask(o.operand[i]);
      list += is_mask ? ", Uint(0u)" : ", " + reg(o.operand[i]);
    }
    statement("{");
    statement(fmt::format("  Uint t[{}];", kMaxResults));
    if (is_known_usual(o)) {
      statement(fmt::format("  run.look_up_usual<{}, {}>(s{}, t, {}, {}, {}, {});", o.known, lookups_,
                            o.extra & kSamplerMask, lanes, reg(o.operand[0]), reg(o.operand[1]), reg(o.operand[2])));
    } else if (holds_lookups_ && o.op == Op::sample && is_known_plain(o.known)) {
      // The coordinates, a reference if it compares, and the level of detail.
      const bool compares = (o.extra & kSampleCompare) != 0;
      const int axes = axes_of(kind_of_sample(o.extra)), count = axes + (compares ? 1 : 0);
      statement(fmt::format("  run.look_up_{}<{}, {}>({}, t, {}, {}, {});", compares ? "compared" : "plain", o.known,
                            axes, o.extra & kSamplerMask, lanes, list_of(o, 0, count, 3), reg(o.operand[count])));
    } else {
      statement(fmt::format("  run.look_up({}, {:#010x}u, t, {}{});", uint32_t(o.op), o.extra, lanes, list));
    }
    for (int i = 0; i < results; ++i) statement(fmt::format("  {} = t[{}];", reg(o.result[i]), i));
    statement("}");
  }
  void control(const CodeInstruction& o, uint32_t index) {
    const std::string any = fmt::format("any({})", mask(o.operand[0]));
    if (o.op == Op::begin_if) {
      statement("if (" + any + ") {");
      ++depth_;
      ends_.push_back(o.extra);
    } else if (o.op == Op::begin_loop) {
      statement(fmt::format("if (uint32_t i{} = 0; {}) do {{", index, any));
      ++depth_;
    } else if (o.op == Op::repeat) {
      close(fmt::format("}} while (run.repeat({}, i{}));", mask(o.operand[0]), o.extra));
    }
  }

  const Code& code_;
  bool holds_lookups_;
  uint32_t lookups_ = 0;
  std::string text_;
  size_t depth_ = 0;
  std::vector<uint32_t> ends_;            // last instruction of each open if
  std::map<uint32_t, uint32_t> arrays_;   // array lengths, by first register
  std::set<uint16_t> registers_, masks_;  // registers that instructions use
  std::set<uint32_t> samplers_;           // samplers of which the text has copies
};

}  // namespace

std::string to_cpp(const Code& code, const std::string& name, bool holds_lookups) {
  return CppPrinter(code, holds_lookups).print(name);
}

}  // namespace brokkr::shader
