// Local optimization of an order of triangles ([Hoppe99], "local optimization"): changes of the order are tried one
// after the other, and those that lower its cost are kept.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "batch/batch_model.h"

namespace brokkr {

// Is told now and then how far a slow order has come, as in "pass 2, 40 %".
using OrderProgress = std::function<void(const std::string&)>;

// For each position in turn, a triangle that shares an edge with the one there is brought next to it, in three ways:
// the stretch between both is reflected; the triangle is inserted; it and the one beside it are inserted. The best way
// is taken if vertex shader runs become fewer. Passes are made over the whole order until one gains less than 0.1 %,
// and 8 at most. The result never costs more than `order`, which holds each triangle of `indices` once.
//
// Runs of a FIFO cache of `cache_size` vertices, which lasts for the whole order.
std::vector<uint32_t> improve_cache_order(std::span<const uint32_t> indices, std::vector<uint32_t> order,
                                          uint32_t cache_size, const OrderProgress& progress = {});
// Runs of the model's batches. Where batches end at fixed places (BatchModel::segment), or remember nothing, the order
// stays as it is.
std::vector<uint32_t> improve_batch_order(const BatchModel& model, std::span<const uint32_t> indices,
                                          std::vector<uint32_t> order, const OrderProgress& progress = {});

}  // namespace brokkr
