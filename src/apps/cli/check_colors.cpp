#include "cli/check_colors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "app/command.h"
#include "app/picture.h"
#include "frame/bkf_fields.h"
#include "inspect/image_compare.h"

namespace brokkr::app {
namespace {

constexpr const char* kExactFilter = "no_brilinear,no_rho_approx,no_quad_lod,no_aos_sampling";
constexpr int kGain = 8;  // amplifies differences in the picture

bool is_lossless(const Reference& reference) {
  return reference.color_file.size() > 4 && reference.color_file[1] == 'P' && reference.color_file[2] == 'N' &&
         reference.color_file[3] == 'G';
}

std::vector<const Reference*> lossless_references(const Frame& frame) {
  std::vector<const Reference*> references;
  for (const Reference& reference : frame.references) {
    if (is_lossless(reference)) references.push_back(&reference);
  }
  if (references.empty()) {
    throw std::runtime_error(frame.source +
                             ": holds no lossless picture of the game to compare with; capture the frame again");
  }
  return references;
}

nlohmann::ordered_json row_json(const ColorRow& row) {
  const ColorComparison& c = row.colors;
  const auto finite = [](double value) { return std::isfinite(value) ? nlohmann::ordered_json(value) : nullptr; };
  return {{"by", row.by},
          {"target", row.target},
          {"before", row.before},
          {"pixels", c.pixels},
          {"psnr_db", finite(c.psnr_db)},
          {"psnr_without_flips_db", finite(c.kept_db)},
          {"flips", c.flips()},
          {"within_2_percent", c.percent(c.within_2)},
          {"within_4_percent", c.percent(c.within_4)},
          {"within_16_percent", c.percent(c.within_16)},
          {"most", c.max_difference},
          {"frame_ms", row.frame_ms}};
}

// The layer's colours as 8 bits per channel, clamped, like the game's picture.
std::vector<uint32_t> bytes_of(const Layer& layer) {
  if (!layer.color.empty()) return layer.color;
  std::vector<uint32_t> pixels(layer.color_float.size() / 4);
  for (size_t i = 0; i < layer.color_float.size(); ++i) {
    const float value = layer.color_float[i];
    const float clamped = std::isnan(value) ? 0.0f : std::clamp(value, 0.0f, 1.0f);
    pixels[i / 4] |= uint32_t(std::lround(clamped * 255)) << (8 * (i % 4));
  }
  return pixels;
}

// Compares the references one by one.
class ColorChecker {
 public:
  ColorChecker(const Frame& frame, const std::string& file, const ColorRequest& request)
      : frame_(frame), file_(file), request_(request) {
    check_.limits = request.limits.value_or(limits_of(frame));
    count_missing();
  }

  void draw(const Reference& reference, Renderer& renderer, PreparedFrame& prepared, const std::string& picture) {
    RenderOptions options = request_.render;
    options.command_limit = reference.before;
    const RenderResult result = renderer.render(prepared, options);
    if (result.aborted) throw std::runtime_error(frame_.source + ": cut off by --budget; nothing was compared");
    check_.false_color_draws =
        std::max(check_.false_color_draws, without_program_ + result.statistics.false_color_draws);
    for (const std::string& line : result.statistics.false_colors) add_failure(line);
    const std::vector<uint32_t> ours = bytes_of(result.targets[reference.target].layers[0]);
    add(reference, "brokkr", ours, result.statistics.frame_ms, picture);
    check_.passed = check_.passed && is_close(check_.rows.back().colors, check_.limits);
  }

  void draw_peer(const Reference& reference, Peer& peer) {
    Workload workload;
    workload.file = file_;
    const PeerDrawing drawing = peer.draw_programs(workload, reference.target, reference.before);
    for (const std::string& line : drawing.failures) add_failure(peer.setup().name + ": " + line);
    add(reference, peer.setup().name, drawing.picture.color, drawing.frame_ms, "");
  }

  ColorCheck finish() {
    const bool is_whole = check_.false_color_draws == 0 && check_.skipped_draws == 0;
    check_.passed = check_.passed && check_.failures.empty() && (is_whole || check_.limits != ColorLimits::exact);
    return std::move(check_);
  }

 private:
  // Counts draws that the capture could not record, and draws whose program the file does not hold.
  void count_missing() {
    constexpr std::string_view kText = "pixels drawn by ";  // glBitmap and glDrawPixels, which draw letters
    check_.skipped_draws = frame_.skipped_draws;
    for (const auto& [reason, count] : frame_.skipped_reasons) {
      if (reason.starts_with(kText)) check_.skipped_text += count;
    }
    check_.reasons = frame_.skipped_reasons;
    std::erase_if(check_.reasons, [](const auto& one) { return one.first.starts_with(bkf::kExpandedReason); });
    for (const brokkr::Command& command : frame_.commands) {
      const auto* const draw = std::get_if<DrawCommand>(&command);
      if (draw == nullptr || draw->inputs >= 0 || draw->element_count == 0) continue;
      const std::array<bool, 4>& mask = frame_.states[draw->state].color_mask;
      without_program_ += std::any_of(mask.begin(), mask.end(), [](bool on) { return on; });
    }
    check_.false_color_draws = without_program_;
  }

  void add_failure(const std::string& line) {
    std::vector<std::string>& all = check_.failures;
    if (std::find(all.begin(), all.end(), line) == all.end()) all.push_back(line);
  }

  void add(const Reference& reference, const std::string& by, const std::vector<uint32_t>& ours, double ms,
           const std::string& picture) {
    const Target& target = frame_.targets[reference.target];
    const Image original = original_picture(frame_, reference);
    if (original.width != target.width || original.height != target.height) {
      throw std::runtime_error(fmt::format(
          "{}: the picture before command {} has a different size from its target {}; capture the frame again",
          frame_.source, reference.before, target.id));
    }
    check_.rows.push_back({by, target.id, reference.before, compare_colors(ours, original.texels), ms});
    if (picture.empty()) return;
    write_pixels(picture, 3 * target.width, target.height, side_by_side(target.width, ours, original.texels, kGain));
  }

  const Frame& frame_;
  const std::string& file_;
  const ColorRequest& request_;
  ColorCheck check_;
  uint64_t without_program_ = 0;  // draws that write colours
};

}  // namespace

Peer& ColorPeer::get(ColorLimits limits) {
  if (peer_ && limits_ == limits) return *peer_;
  peer_.reset();
  limits_ = limits;
  const bool exact = limits == ColorLimits::exact;
  const PeerSetup setup{"llvmpipe",
                        "llvmpipe",
                        "software",
                        {{"GALLIUM_DRIVER", "llvmpipe"}, {"GALLIVM_PERF", exact ? kExactFilter : ""}}};
  peer_ = std::make_unique<Peer>(setup, find_peer_program(""), folder_.path());
  return *peer_;
}

ColorCheck check_colors(const Frame& frame, const std::string& file, Renderer& renderer, const ColorRequest& request,
                        ColorPeer& peer, Progress& progress) {
  const std::vector<const Reference*> references = lossless_references(frame);
  if (request.picture == "-" && references.size() > 1) {
    throw UsageError("--output -: " + frame.source + " has " + std::to_string(references.size()) +
                     " references, and standard output takes one picture; name a file");
  }
  ColorChecker checker(frame, file, request);
  LoadOptions load;
  load.memory_limit = request.render.memory_limit;
  progress.show("preparing " + file);
  PreparedFrame prepared = renderer.prepare(frame, load);
  for (size_t i = 0; i < references.size(); ++i) {
    progress.show("rendering up to command " + std::to_string(references[i]->before));
    const std::string name = request.picture.empty() ? "" : numbered(request.picture, i + 1, references.size());
    checker.draw(*references[i], renderer, prepared, name);
    if (request.peer) checker.draw_peer(*references[i], peer.get(request.limits.value_or(limits_of(frame))));
  }
  return checker.finish();
}

const char* ColorCheck::problem() const {
  if (passed) return "";
  if (!failures.empty()) return "a program of the frame could not run";
  const auto is_ours = [&](const ColorRow& row) { return row.by == "brokkr" && !is_close(row.colors, limits); };
  if (std::any_of(rows.begin(), rows.end(), is_ours)) return "its colours are not the game's";
  return skipped_draws > 0 ? "the capture did not record all draws"
                           : "the file does not hold the programs of all draws";
}

nlohmann::ordered_json to_json(const std::string& file, const ColorCheck& check) {
  nlohmann::ordered_json json = {{"file", file},
                                 {"limits", check.limits == ColorLimits::exact ? "exact" : "driver"},
                                 {"passed", check.passed},
                                 {"false_color_draws", check.false_color_draws},
                                 {"skipped_draws", check.skipped_draws},
                                 {"skipped_text", check.skipped_text},
                                 {"not_recorded", check.reasons},
                                 {"failed_programs", check.failures}};
  json["references"] = nlohmann::ordered_json::array();
  for (const ColorRow& row : check.rows) json["references"].push_back(row_json(row));
  return json;
}

void print(const ColorCheck& check) {
  const auto decibels = [](double value) { return std::isfinite(value) ? fixed(value, 2) : std::string("equal"); };
  std::vector<std::vector<std::string>> cells;
  for (const ColorRow& row : check.rows) {
    const ColorComparison& c = row.colors;
    cells.push_back({row.by, std::to_string(row.target), std::to_string(row.before), grouped(c.pixels),
                     decibels(c.psnr_db), decibels(c.kept_db), fixed(c.percent(c.within_2), 3),
                     fixed(c.percent(c.within_4), 3), fixed(c.percent(c.within_16), 3), grouped(c.flips()),
                     fixed(row.frame_ms, 2)});
  }
  std::cout << format_table(
      {"by", "target", "before", "pixels", "PSNR dB", "without flips", "within 2 %", "4 %", "16 %", "flips", "ms"},
      cells);
  std::cout << "required: " << describe(check.limits) << '\n';
  if (check.false_color_draws > 0) {
    std::cout << counted(check.false_color_draws, "draw") << " in false colours\n";
  }
  if (check.skipped_draws > 0) {
    std::cout << counted(check.skipped_draws, "draw") << " not recorded, " << grouped(check.skipped_text)
              << " of them letters or pixels\n";
  }
  for (const auto& [reason, count] : check.reasons)
    std::cout << "  " << grouped(count) << " x " << printable(reason) << '\n';
  for (const std::string& line : check.failures) std::cout << "failed: " << printable(line) << '\n';
}

std::string numbered(const std::string& path, size_t number, size_t count) {
  if (count == 1) return path;
  std::filesystem::path result(path);
  const std::string name = result.stem().string() + "-" + std::to_string(number) + result.extension().string();
  return result.replace_filename(name).string();
}

}  // namespace brokkr::app
