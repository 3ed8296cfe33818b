// Local optimization of a triangle order ([Hoppe99], "local optimization"): changes are tried one after another, and
// those that lower the cost are kept.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "batch/batch_model.h"

namespace brokkr {

// Called occasionally with the progress of a slow ordering, as in "pass 2, 40 %".
using OrderProgress = std::function<void(const std::string&)>;

// For each position in turn, moves a triangle that shares an edge with the one there next to it, in one of three ways:
// the stretch between both is reflected; the triangle is inserted; it is inserted together with the one beside it. The
// best way is kept if it saves vertex shader runs. At most 8 passes are made, until one gains less than 0.1 %. The
// result never costs more than `order`, which must hold each triangle of `indices` once.
//
// Minimizes the runs of a FIFO cache of `cache_size` vertices, which is never emptied.
std::vector<uint32_t> improve_cache_order(std::span<const uint32_t> indices, std::vector<uint32_t> order,
                                          uint32_t cache_size, const OrderProgress& progress = {});
// Minimizes the runs of the model's batches. If batches end at fixed places (BatchModel::segment), or remember nothing,
// the order is unchanged.
std::vector<uint32_t> improve_batch_order(const BatchModel& model, std::span<const uint32_t> indices,
                                          std::vector<uint32_t> order, const OrderProgress& progress = {});

}  // namespace brokkr
