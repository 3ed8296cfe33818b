// The points where paths meet, distances to loops, and the number of live registers.
#include <gtest/gtest.h>

#include "simt/flow.h"
#include "timed.h"

namespace brokkr::simt::test {
namespace {

// Returns the instruction on the line that contains `text`.
uint32_t at(const ptx::Program& p, const std::string& text) {
  for (uint32_t pc = 0; pc < p.code.size(); ++pc) {
    if (p.ptx_line(pc).find(text) != std::string_view::npos) return pc;
  }
  ADD_FAILURE() << text;
  return 0;
}

TEST(SimtFlow, PathsMeetAtThePostDominator) {
  const auto p = ptx::test::kernel_of(
      "@%p0 bra other;\nadd.u32 %r1, %r0, 1;\n@%p1 bra inner;\nadd.u32 %r1, %r0, 2;\ninner:\nadd.u32 %r1, %r0, 3;\n"
      "bra join;\nother:\nadd.u32 %r1, %r0, 4;\njoin:\nadd.u32 %r1, %r0, 5;");
  const Flow flow(*p);
  EXPECT_EQ(flow.meeting(at(*p, "bra other")), at(*p, "%r0, 5"));
  EXPECT_EQ(flow.meeting(at(*p, "bra inner")), at(*p, "%r0, 3"));
  EXPECT_EQ(flow.meeting(at(*p, "%r0, 5")), kNoMeeting);
}

TEST(SimtFlow, PathsThatEndApartMeetNowhere) {
  const auto p = ptx::test::kernel_of("@%p0 bra other;\nret;\nother:\nadd.u32 %r1, %r0, 4;");
  EXPECT_EQ(Flow(*p).meeting(at(*p, "bra other")), kNoMeeting);
}

TEST(SimtFlow, ALoopMeetsBehindItself) {
  const auto p = ptx::test::kernel_of(
      "again:\nadd.u32 %r1, %r1, 1;\n@%p0 bra skip;\nadd.u32 %r1, %r1, 2;\nskip:\nadd.u32 %r1, %r1, 3;\n@%p1 bra "
      "again;\n"
      "add.u32 %r1, %r1, 4;");
  const Flow flow(*p);
  EXPECT_EQ(flow.meeting(at(*p, "bra again")), at(*p, "%r1, 4"));
  EXPECT_EQ(flow.meeting(at(*p, "bra skip")), at(*p, "%r1, 3"));
  EXPECT_EQ(flow.to_loop(at(*p, "%r1, 3")), 2u);
  EXPECT_EQ(flow.to_loop(at(*p, "%r1, 2")), 3u);
  EXPECT_EQ(flow.to_loop(at(*p, "%r1, 4")), ~0u);
}

// Paths of an infinite loop have no point where they meet.
TEST(SimtFlow, ALoopWithoutAnEndMeetsNowhere) {
  const auto p = ptx::test::kernel_of("again:\n@%p0 bra skip;\nadd.u32 %r1, %r1, 2;\nskip:\nbra again;");
  EXPECT_EQ(Flow(*p).meeting(at(*p, "bra again")), kNoMeeting);
}

TEST(SimtFlow, RegistersAreThoseThatAreLiveAtOnce) {
  const auto registers = [](const std::string& body) {
    const auto p = ptx::test::kernel_of(body);
    return Flow(*p).registers(*p->find("kernel"));
  };
  // The address needs two registers.
  EXPECT_EQ(registers("mov.u32 %r1, 1;\nst.global.u32 [%rd0], %r1;"), 3u);
  EXPECT_EQ(
      registers("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nmov.u32 %r3, 3;\nadd.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, %r3;\n"
                "st.global.u32 [%rd0], %r1;"),
      5u);
  // Values that live one after the other share a register.
  EXPECT_EQ(registers("mov.u32 %r1, 1;\nst.global.u32 [%rd0], %r1;\nmov.u32 %r2, 2;\nst.global.u32 [%rd0], %r2;"), 3u);
}

}  // namespace
}  // namespace brokkr::simt::test
