// MP-3's test: assembly and coverage, against the oracle and against an OpenGL driver.
#include "mp3.h"

#include <algorithm>
#include <fstream>
#include <set>

#include "common/check.h"
#include "common/draw.h"
#include "common/expected.h"
#include "common/soup.h"

namespace {

using namespace course;

// Writes one colour, and checks that the walk follows its rules.
class PlotUnit {
 public:
  PlotUnit(Framebuffer& framebuffer, const Box& box, uint32_t color)
      : framebuffer_(framebuffer), box_(box), color_(color) {}

  void start(int x, int y) {
    walk_ = Walk(x, y);
    stay_near();
  }
  void move(Command command) {
    ++steps;
    walk_.move(command);
    stay_near();
  }
  void fragment(int x, int y) {
    if (x != walk_.x() || y != walk_.y())
      throw std::runtime_error("fragment " + place(x, y) + " is not where the walk is, at " +
                               place(walk_.x(), walk_.y()));
    if (!seen_.insert({x, y}).second) throw std::runtime_error("pixel " + place(x, y) + " comes twice in one triangle");
    framebuffer_.write(address(framebuffer_, x, y), color_);
  }
  uint64_t steps = 0;
  size_t fragments() const { return seen_.size(); }

 private:
  static std::string place(int x, int y) { return "(" + std::to_string(x) + ", " + std::to_string(y) + ")"; }
  void stay_near() const {
    if (walk_.x() < box_.left - 1 || walk_.x() > box_.right + 1 || walk_.y() < box_.bottom - 1 ||
        walk_.y() > box_.top + 1) {
      throw std::runtime_error("the walk is at " + place(walk_.x(), walk_.y()) +
                               ", further than a pixel from the box " + place(box_.left, box_.bottom) + " to " +
                               place(box_.right, box_.top));
    }
  }

  Framebuffer& framebuffer_;
  Box box_;
  uint32_t color_;
  Walk walk_{0, 0};
  std::set<std::pair<int, int>> seen_;
};

Picture drawn(const Recording& recording) {
  Framebuffer framebuffer(recording.width, recording.height);
  clear(framebuffer, pack(recording.clear_color));
  draw_recording(recording, [&](const Draw&, const Shape& shape) {
    // The last vertex gives a flat triangle's colour, even if the soup's vertices have different colours.
    const Color& color = shape.vertices[shape.triangle.is_turned ? 1 : 2].color;
    return PlotUnit(framebuffer, shape.box, pack(color));
  });
  return framebuffer.picture();
}

std::string text(const std::vector<Corners>& triangles) {
  std::string result;
  for (const Corners& c : triangles) {
    result +=
        (result.empty() ? "" : ", ") + std::to_string(c[0]) + " " + std::to_string(c[1]) + " " + std::to_string(c[2]);
  }
  return result.empty() ? "nothing" : result;
}

// Each triangle with its smallest corner first, because the first corner is free, but not the winding.
std::vector<Corners> turned(std::vector<Corners> triangles) {
  for (Corners& c : triangles) std::rotate(c.begin(), std::min_element(c.begin(), c.end()), c.end());
  return triangles;
}

void check_assembly(Check& check) {
  const std::pair<Mode, const char*> modes[] = {
      {Mode::triangles, "triangles"}, {Mode::triangle_strip, "triangle_strip"}, {Mode::triangle_fan, "triangle_fan"}};
  for (const auto& [mode, name] : modes) {
    for (int count = 0; count < 9; ++count) {
      std::vector<int> elements;
      for (int i = 0; i < count; ++i) elements.push_back(10 + i);
      const std::vector<Corners> right = oracle_assemble(mode, elements), yours = assemble(mode, elements);
      if (!check.claim(turned(yours) == turned(right), std::string(name) + " of " + std::to_string(count) +
                                                           " elements from 10 on: " + text(yours) + " should be " +
                                                           text(right)))
        return;
    }
  }
}

// A fan of quads around a hill, as quads, strip and polygon. The oracle's triangles determine the outline of each.
void check_quads(Check& check) {
  const float corners[][2] = {{10, 20}, {14, 90}, {50, 30}, {47, 80}, {90, 10}, {99, 100}, {140, 40}, {130, 70}};
  const std::pair<Mode, std::vector<int>> draws[] = {{Mode::quads, {0, 2, 3, 1, 2, 4, 5, 3, 4, 6, 7, 5}},
                                                     {Mode::quad_strip, {0, 1, 2, 3, 4, 5, 6, 7}},
                                                     {Mode::polygon, {0, 4, 6, 7, 5, 1}}};
  const std::vector<int> right[] = {{0, 2, 3, 0, 3, 1, 2, 4, 5, 2, 5, 3, 4, 6, 7, 4, 7, 5},
                                    {0, 2, 3, 0, 3, 1, 2, 4, 5, 2, 5, 3, 4, 6, 7, 4, 7, 5},
                                    {0, 4, 6, 0, 6, 7, 0, 7, 5, 0, 5, 1}};
  const char* const names[] = {"quads", "quad-strip", "polygon"};
  for (size_t i = 0; i < 3; ++i) {
    Recording recording;
    recording.width = 150;
    recording.height = 110;
    Draw draw;
    for (const auto& corner : corners) {
      Vertex vertex;
      vertex.position = {corner[0] / 75 - 1, corner[1] / 55 - 1, 0, 1};
      vertex.color = {0.9f, 0.7f, 0.3f};
      draw.vertices.push_back(vertex);
    }
    Recording expected = recording;
    draw.mode = draws[i].first;
    draw.elements = draws[i].second;
    recording.draws.push_back(draw);
    draw.mode = Mode::triangles;
    draw.elements = right[i];
    expected.draws.push_back(draw);
    if (!check.same(names[i], oracle_picture(expected, Shading::flat).picture, drawn(recording))) return;
    const size_t yours = assemble(draws[i].first, draws[i].second).size();
    if (!check.claim(yours == right[i].size() / 3, std::string(names[i]) + ": " + std::to_string(yours) +
                                                       " triangles should be " + std::to_string(right[i].size() / 3)))
      return;
  }
}

std::string measure(const Check& check) {
  Framebuffer framebuffer(160, 120);
  const Recording recording = check.recording("triangles");
  uint64_t triangles = 0, fragments = 0, steps = 0;
  draw_recording(recording, [&](const Draw&, const Shape& shape) {
    ++triangles;
    struct Counting : PlotUnit {
      Counting(Framebuffer& f, const Box& b, uint64_t& s, uint64_t& n)
          : PlotUnit(f, b, 0), all_steps(s), all_fragments(n) {}
      void move(Command command) { ++all_steps, PlotUnit::move(command); }
      void fragment(int x, int y) { ++all_fragments, PlotUnit::fragment(x, y); }
      uint64_t &all_steps, &all_fragments;
    };
    return Counting(framebuffer, shape.box, steps, fragments);
  });
  struct Quick {
    Framebuffer& framebuffer;
    void start(int, int) {}
    void move(Command) {}
    void fragment(int x, int y) { framebuffer.write(address(framebuffer, x, y), 0); }
  };
  const double ns = least_nanoseconds(
      [&] { draw_recording(recording, [&](const Draw&, const Shape&) { return Quick{framebuffer}; }); });
  return "zig-zag " + one_decimal(ns / double(triangles)) + " ns/triangle, " + one_decimal(ns / double(fragments)) +
         " ns/fragment, " + one_decimal(double(steps) / double(fragments)) + " steps/fragment";
}

// A walk, enlarged: covered pixels, the triangle, and the path over them.
class Drawing {
 public:
  explicit Drawing(std::ofstream& svg, int height) : svg_(svg), height_(height) {}
  void start(int x, int y) { point(walk_ = Walk(x, y)); }
  void move(Command command) {
    walk_.move(command);
    if (command == Command::pop_move_left || command == Command::pop_move_right) path_ += " M";
    point(walk_);
  }
  void fragment(int x, int y) {
    svg_ << "<rect x=\"" << 40 * x + 1 << "\" y=\"" << 40 * (height_ - 1 - y) + 1
         << "\" width=\"38\" height=\"38\" fill=\"#bcd9f5\"/>\n";
  }
  const std::string& path() const { return path_; }

 private:
  void point(const Walk& walk) {
    path_ += (path_.empty()         ? "M"
              : path_.back() == 'M' ? ""
                                    : " L") +
             std::to_string(40 * walk.x() + 20) + "," + std::to_string(40 * (height_ - 1 - walk.y()) + 20);
  }
  std::ofstream& svg_;
  int height_;
  Walk walk_{0, 0};
  std::string path_;
};

void write_page(const std::string& path) {
  constexpr int kWidth = 18, kHeight = 11;
  Triangle triangle;
  if (!setup({{12.3f, 10.4f, 0, 1}, {1.2f, 4.3f, 0, 1}, {16.7f, 0.6f, 0, 1}}, triangle)) return;
  std::ofstream svg(path);
  svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << 40 * kWidth << " " << 40 * kHeight
      << "\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  for (int i = 0; i <= kWidth; ++i)
    svg << "<path d=\"M" << 40 * i << ",0 V" << 40 * kHeight << " M0," << 40 * i << " H" << 40 * kWidth
        << "\" stroke=\"#ddd\"/>\n";
  Drawing unit(svg, kHeight);
  zig_zag(triangle, box_of(triangle, {0, 0, kWidth, kHeight}), unit);
  svg << "<path d=\"M";
  for (size_t i = 0; i < 3; ++i)
    svg << (i ? " L" : "") << double(triangle.x[i]) * 40 / kSteps << ","
        << 40 * kHeight - double(triangle.y[i]) * 40 / kSteps;
  svg << " Z\" fill=\"none\" stroke=\"#c05621\" stroke-width=\"3\"/>\n<path d=\"" << unit.path()
      << "\" fill=\"none\" stroke=\"#1a365d\" stroke-width=\"3\" stroke-linejoin=\"round\"/>\n</svg>\n";
}

}  // namespace

int main(int count, char** words) {
  Check check("mp3", count, words);
  check.part("assembly, by the oracle", [&] { check_assembly(check); });
  check.part("quads and polygons", [&] { check_quads(check); });
  check.part("coverage, by the oracle", [&] {
    for (uint32_t seed = 1; seed <= 4; ++seed) {
      const Recording soup = make_soup(seed, {});
      if (!check.same("soup", oracle_picture(soup, Shading::flat).picture, drawn(soup))) return;
    }
  });
  check.part("triangles, by the driver",
             [&] { check.same("driver", check.driver_picture("triangles"), drawn(check.recording("triangles")), 1); });
  check.leaderboard([&] { return measure(check); });
  if (!check.page().empty()) write_page(check.page());
  return check.finish("Next: docs/course/mp4.");
}
