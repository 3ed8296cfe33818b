// The ranks that a GPU link connects, and the GPU of each rank. The link itself needs GPUs.
#include "ranks/square_link.h"

#include <gtest/gtest.h>

namespace brokkr::ranks {
namespace {

TEST(DeviceLink, AllRanksOrNone) {
  const LinkAbility able, asked{LinkMode::nccl, {}}, refuses{LinkMode::mpi, {}},
      on_cpu{LinkMode::automatic, "it does not draw on a GPU"};
  EXPECT_EQ(why_not_linked({able, asked, able}), "");
  EXPECT_EQ(why_not_linked({able, asked, on_cpu, refuses}), "rank 2: it does not draw on a GPU");
  EXPECT_EQ(why_not_linked({able, refuses}), "rank 1: --rank-link mpi was given there");
}

TEST(DeviceLink, LibraryThatIsNotThere) {
  try {
    open_nccl("/no/such/folder/libnccl.so.2");
    FAIL() << "there is no such library";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("NCCL"), std::string::npos) << error.what();
  }
}

TEST(Devices, RanksOfAComputerTakeThemInTurn) {
  EXPECT_EQ(device_of_rank("", 4, 0), "0");
  EXPECT_EQ(device_of_rank("", 4, 3), "3");
  EXPECT_EQ(device_of_rank("", 4, 5), "1");
  EXPECT_EQ(device_of_rank("2,GPU-8f,7", 8, 1), "GPU-8f");
  // One GPU, no GPU, or an unknown local rank.
  EXPECT_EQ(device_of_rank("6", 8, 1), "");
  EXPECT_EQ(device_of_rank("", 1, 1), "");
  EXPECT_EQ(device_of_rank("", 0, 1), "");
  EXPECT_EQ(device_of_rank("0,1", 2, -1), "");
}

}  // namespace
}  // namespace brokkr::ranks
