// The number of processors that control groups allow, from files as different systems lay them out.
#include "base/processors.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>
#include <vector>

namespace brokkr {
namespace {

namespace fs = std::filesystem;

class Processors : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(root_);
    all_ = int(std::max(1u, std::thread::hardware_concurrency()));
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  int usable() const { return usable_processors(root_); }

  fs::path root_;
  int all_ = 1;
};

TEST_F(Processors, AreAllWithoutGroups) {
  EXPECT_EQ(usable(), all_);
  EXPECT_GE(usable_processors(), 1);
  EXPECT_LE(usable_processors(), all_);
}

TEST_F(Processors, OfVersion2AreTheLeastOfAllGroups) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(usable(), all_);
  write("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
  EXPECT_EQ(usable(), 1) << "half a processor";
  write("sys/fs/cgroup/a/cpu.max", "110000 100000\n");
  EXPECT_EQ(usable(), std::min(2, all_)) << "rounded up";
  write("sys/fs/cgroup/a/cpu.max", "100000 100000\n");
  EXPECT_EQ(usable(), 1);
  write("sys/fs/cgroup/a/cpu.max", "9223372036854775807 1\n");
  EXPECT_EQ(usable(), all_);
}

// In a container, the group's own folder is mounted as the root.
TEST_F(Processors, OfAContainer) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/cpu.max", "100000 100000\n");
  EXPECT_EQ(usable(), 1);
}

TEST_F(Processors, OfVersion1) {
  write("proc/self/cgroup", "5:memory:/a\n4:cpu,cpuacct:/docker/1\n1:name=systemd:/a\n");
  write("sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(usable(), all_) << "-1 is no quota";
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "20000\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(usable(), 1);
  // Systems that also mount or link the single name.
  write("sys/fs/cgroup/cpu/docker/1/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(usable(), all_);
}

TEST_F(Processors, OfBrokenFilesAreAll) {
  write("proc/self/cgroup", "no group\n0::/a\n:\n");
  for (const char* text : {"", "max", "x y\n", "0 0\n", "100000\n", "100000 0\n", "-5 100000\n"}) {
    write("sys/fs/cgroup/a/cpu.max", text);
    EXPECT_EQ(usable(), all_) << '\'' << text << '\'';
  }
}

}  // namespace
}  // namespace brokkr
