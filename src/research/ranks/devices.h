// Which GPU a rank draws on, where its computer has several.
#pragma once

#include <string>

namespace brokkr::ranks {

// What CUDA_VISIBLE_DEVICES is to be for rank `local_rank` of those on this computer: they take its GPUs in turn.
// `visible`: the variable so far; empty: all `devices` are. Empty: there is nothing to choose.
std::string own_device(const std::string& visible, int devices, int local_rank);

// Sets it, so that CUDA, which must not have begun yet, sees one GPU. Nothing is changed where mpirun does not say
// which of this computer's ranks this is, or where there is one GPU.
void choose_device();

}  // namespace brokkr::ranks
