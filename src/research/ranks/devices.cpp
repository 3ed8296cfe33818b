#include "ranks/devices.h"
#include "base/file_io.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace brokkr::ranks {

std::string own_device(const std::string& visible, int devices, int local_rank) {
  std::vector<std::string> names;
  for (size_t begin = 0; !visible.empty() && begin <= visible.size();) {
    const size_t end = std::min(visible.find(',', begin), visible.size());
    if (end > begin) names.push_back(visible.substr(begin, end - begin));
    begin = end + 1;
  }
  for (int i = 0; visible.empty() && i < devices; ++i) names.push_back(std::to_string(i));
  if (names.size() < 2 || local_rank < 0) return {};
  return names[size_t(local_rank) % names.size()];
}

void choose_device() {
  int devices = 0;
  while (is_there("/dev/nvidia" + std::to_string(devices))) ++devices;
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}) {
    const char* const rank = std::getenv(name);
    if (rank == nullptr) continue;
    const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
    const std::string own = own_device(visible != nullptr ? visible : "", devices, std::atoi(rank));
    if (!own.empty()) setenv("CUDA_VISIBLE_DEVICES", own.c_str(), 1);
    return;
  }
}

}  // namespace brokkr::ranks
