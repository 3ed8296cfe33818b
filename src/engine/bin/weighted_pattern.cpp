#include "bin/weighted_pattern.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace brokkr {

std::vector<uint16_t> hand_out_parts(std::span<const int> weights) {
  int64_t sum = 0;
  for (const int weight : weights) {
    if (weight < 1) throw std::invalid_argument("weights: " + std::to_string(weight) + " is less than 1");
    sum += weight;
  }
  if (weights.empty() || sum > kMaxRasterizers)
    throw std::invalid_argument("weights: their sum is " + std::to_string(sum) + "; it must be 1 to " +
                                std::to_string(kMaxRasterizers));
  struct Wish {
    int64_t numerator, denominator;  // of the place, between 0 and 1
    uint16_t owner;
  };
  std::vector<Wish> wishes;
  for (size_t i = 0; i < weights.size(); ++i) {
    for (int64_t j = 0; j < weights[i]; ++j) wishes.push_back({2 * j + 1, 2 * int64_t(weights[i]), uint16_t(i)});
  }
  std::sort(wishes.begin(), wishes.end(), [](const Wish& a, const Wish& b) {
    const int64_t left = a.numerator * b.denominator, right = b.numerator * a.denominator;
    return left != right ? left < right : a.owner < b.owner;
  });
  std::vector<uint16_t> owner;
  for (const Wish& wish : wishes) owner.push_back(wish.owner);
  return owner;
}

Pattern weighted_pattern(const Pattern& units, std::span<const int> weights) {
  const std::vector<uint16_t> owner = hand_out_parts(weights);
  if (int(owner.size()) != units.rasterizers)
    throw std::invalid_argument("weights: their sum is " + std::to_string(owner.size()) + ", and the pattern has " +
                                std::to_string(units.rasterizers) + " rasterizers");
  Pattern pattern = units;
  pattern.rasterizers = int(weights.size());
  for (uint16_t& o : pattern.owner) o = owner[o];
  return pattern;
}

}  // namespace brokkr
