// MP-0's test: products against the oracle, the sum and its cycles.
#include <cmath>
#include <fstream>
#include <random>

#include "common/check.h"
#include "common/expected.h"
#include "mp0.h"

namespace {

using namespace course;

constexpr int kVectors = 10000;

Machine make_machine() {
  std::mt19937 dice(1);
  const auto number = [&] { return int32_t(dice() % 201) - 100; };
  Machine::Matrix matrix;
  for (auto& row : matrix) {
    for (int32_t& element : row) element = number();
  }
  std::vector<Machine::Vector> memory(kVectors);
  for (auto& vector : memory) {
    for (int32_t& component : vector) component = number();
  }
  return Machine(matrix, std::move(memory));
}

std::string text(const Vec4& v) {
  return "(" + one_decimal(v.x) + ", " + one_decimal(v.y) + ", " + one_decimal(v.z) + ", " + one_decimal(v.w) + ")";
}

void check_products(Check& check) {
  std::mt19937 dice(2);
  for (int i = 0; i < 100; ++i) {
    const auto number = [&] { return float(int(dice() % 201) - 100); };  // small whole numbers: sums are exact
    Mat4 matrix;
    for (auto& row : matrix.m) {
      for (float& element : row) element = number();
    }
    const Vec4 vector{number(), number(), number(), number()};
    const Vec4 right = oracle_product(matrix, vector), yours = multiply(matrix, vector);
    const bool same = right.x == yours.x && right.y == yours.y && right.z == yours.z && right.w == yours.w;
    if (!check.claim(same, "multiply gives " + text(yours) + " where it should give " + text(right))) return;
  }
}

void check_sum(Check& check) {
  // By the oracle, vector by vector; whole numbers below 2^24 are exact in a float.
  std::array<int64_t, 4> right{};
  Machine model = make_machine();
  Mat4 matrix;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column) matrix.m[row][column] = float(model.matrix(row, column));
  }
  for (int i = 0; i < kVectors; ++i) {
    model.read(i);
    model.clock();
    const Machine::Vector& v = model.data();
    const Vec4 product = oracle_product(matrix, {float(v[0]), float(v[1]), float(v[2]), float(v[3])});
    const float parts[4] = {product.x, product.y, product.z, product.w};
    for (size_t k = 0; k < 4; ++k) right[k] += int64_t(parts[k]);
  }
  Machine machine = make_machine();
  const std::array<int64_t, 4> yours = product_sum(machine);
  for (size_t k = 0; k < 4; ++k) {
    if (!check.claim(yours[k] == right[k], "component " + std::to_string(k) + " of the sum is " +
                                               std::to_string(yours[k]) + " and should be " +
                                               std::to_string(right[k]))) {
      return;
    }
  }
  check.claim(machine.cycles() <= 5 * kVectors + 8,
              std::to_string(machine.cycles()) +
                  " cycles are more than five per vector: read the next vector while you multiply");
}

// The first cycles of the machine as a time line.
void write_page(const std::string& path) {
  Machine machine = make_machine();
  product_sum(machine);
  std::ofstream svg(path);
  svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 230\" font-family=\"sans-serif\" "
         "font-size=\"15\">\n"
         "<rect width=\"760\" height=\"230\" fill=\"white\"/>\n";
  const char* const names[] = {"read", "multiplier 1", "multiplier 2", "multiplier 3", "multiplier 4"};
  for (int row = 0; row < 5; ++row) svg << "<text x=\"8\" y=\"" << 43 + 32 * row << "\">" << names[row] << "</text>\n";
  for (const auto& [cycle, multiplier] : machine.trace()) {
    if (cycle > 20) continue;
    const int vector = multiplier < 0 ? (cycle + 3) / 4 : (cycle - 1) / 4;
    const char* const colors[] = {"#2b6cb0", "#c05621", "#2f855a", "#805ad5", "#b7791f", "#2b6cb0"};
    svg << "<rect x=\"" << 110 + 30 * cycle << "\" y=\"" << 24 + 32 * (multiplier + 1)
        << "\" width=\"27\" height=\"27\" rx=\"4\" fill=\"" << colors[vector] << "\"/>\n";
  }
  for (int cycle = 0; cycle <= 20; cycle += 4) {
    svg << "<text x=\"" << 110 + 30 * cycle << "\" y=\"204\">" << cycle << "</text>\n";
  }
  svg << "<text x=\"110\" y=\"222\" fill=\"#555\">cycle; each colour is a vector: it is read while the one before is "
         "multiplied</text>\n</svg>\n";
}

std::string measure() {
  Machine machine = make_machine();
  product_sum(machine);
  Mat4 matrix;
  for (int i = 0; i < 4; ++i) matrix.m[i][i] = 0.999f;
  constexpr int kTurns = 100000;
  Vec4 vector;
  const double ns = least_nanoseconds([&] {
    vector = {1, 2, 3, 4};
    for (int i = 0; i < kTurns; ++i) vector = multiply(matrix, vector);
    if (std::isnan(vector.x)) std::exit(3);  // the result is used
  });
  return "sum " + std::to_string(machine.cycles()) + " cycles, product " + one_decimal(ns / kTurns) + " ns";
}

}  // namespace

int main(int count, char** words) {
  Check check("mp0", count, words);
  check.part("product", [&] { check_products(check); });
  check.part("sum", [&] { check_sum(check); });
  if (!check.page().empty()) write_page(check.page());
  check.leaderboard(measure);
  return check.finish("Next: docs/course/mp1.");
}
