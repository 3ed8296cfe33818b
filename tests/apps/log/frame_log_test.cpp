// The reader reads every log of the writer; hashes, manifests and pictures are also tested.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/sha256.h"
#include "brokkr/load.h"
#include "log/frame_log.h"
#include "log/log_reader.h"
#include "log/manifest.h"

namespace brokkr {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

FrameRecord some_record() {
  FrameRecord r;
  r.time_s = 1.25;
  r.in_present_ms = 0.5;
  r.between_presents_ms = 16.6667;
  r.until_render_start_ms = -7.25;
  r.until_displayed_ms = 0.75;
  r.between_display_change_ms = 16.5;
  r.since_input_ms = 3;
  r.cpu_busy_ms = 8;
  r.gpu_busy_ms = 0;
  r.frame_id = 41;
  r.pattern = "van-der-corput";
  r.policy = "fill-level";
  r.rasterizers = 510;
  r.bin = 64;
  r.geometry_ms = 1.5;
  r.raster_ms = 5.5;
  r.resolve_ms = 0.25;
  r.update_ms = 0.125;
  r.upload_ms = 0.0625;
  r.queue_peak = 12;
  r.triangles = 34567;
  r.fragments = 8901234;
  return r;
}

class File {
 public:
  explicit File(const std::string& text) {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("brokkr-log-" + std::to_string(::getpid()) + "-" + std::to_string(number++) + ".csv");
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(FrameLogWriter, PresentMonLine) {
  std::ostringstream out;
  LogSource source;
  source.application = "a,\"b\"\nc";  // must not break the line
  source.swap_chain = 0x2a;
  source.runtime = "OpenGL";
  source.sync_interval = 1;
  FrameLogWriter writer(out, LogFormat::presentmon, source);
  writer.add(some_record());
  const std::vector<std::string> lines = lines_of(out.str());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(
      lines[0],
      "Application,ProcessID,SwapChainAddress,Runtime,SyncInterval,PresentFlags,Dropped,TimeInSeconds,msInPresentAPI,"
      "msBetweenPresents,AllowsTearing,PresentMode,msUntilRenderComplete,msUntilDisplayed,msBetweenDisplayChange,"
      "msFlipDelay,msUntilRenderStart,msGPUActive,msSinceInput,MsCPUBusy,MsGPUBusy,FrameId,BinPattern,Policy,"
      "Rasterizers,BinSize,MsGeometry,MsRaster,MsResolve,QueuePeak,Triangles,Fragments,MsUpdate,MsUpload");
  EXPECT_EQ(
      lines[1],
      "a  b  c," + std::to_string(::getpid()) +
          ",0x000000000000002A,OpenGL,1,0,0,1.2500000,0.5000,16.6667,0,Other,0.0000,0.7500,16.5000,0.0000,-7.2500,0."
          "0000,3.0000,8.0000,0.0000,41,van-der-corput,fill-level,510,64,1.5000,5.5000,0.2500,12,34567,8901234,0.1250,"
          "0.0625");
}

TEST(FrameLogWriter, MangoHudLines) {
  std::ostringstream out;
  LogSource source;
  source.gpu = "llvmpipe (LLVM 15.0.6, 256 bits)";
  FrameLogWriter writer(out, LogFormat::mangohud, source);
  writer.add(some_record());
  const std::vector<std::string> lines = lines_of(out.str());
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "os,cpu,gpu,ram,kernel,driver,cpuscheduler");
  EXPECT_EQ(std::count(lines[1].begin(), lines[1].end(), ','), 6);
  EXPECT_NE(lines[1].find("llvmpipe (LLVM 15.0.6  256 bits)"), std::string::npos);
  EXPECT_EQ(lines[2], log_columns(LogFormat::mangohud));
  EXPECT_EQ(lines[3].rfind("59.9999,16.6667,", 0), 0u) << lines[3];
  EXPECT_EQ(lines[3].substr(lines[3].rfind(',')), ",1250000000");
}

TEST(FillRecord, MeansOverBlocksAndBusyTimes) {
  Statistics s;
  s.machine = "cpu";
  s.launch_ms = 6;
  s.read_back_ms = 2;
  s.update_ms = 0.5;
  s.upload_ms = 0.25;
  s.pattern = "hilbert";
  s.block_times = {{{1, 4, 1}}, {{3, 2, 1}}};
  FrameRecord r;
  fill_record(s, 9, r);
  EXPECT_DOUBLE_EQ(r.geometry_ms, 2);
  EXPECT_DOUBLE_EQ(r.raster_ms, 3);
  EXPECT_DOUBLE_EQ(r.resolve_ms, 2);
  EXPECT_DOUBLE_EQ(r.update_ms, 0.5);
  EXPECT_DOUBLE_EQ(r.upload_ms, 0.25);
  EXPECT_DOUBLE_EQ(r.cpu_busy_ms, 9);
  EXPECT_DOUBLE_EQ(r.gpu_busy_ms, 0);
  s.machine = "cuda";
  fill_record(s, 9, r);
  EXPECT_DOUBLE_EQ(r.cpu_busy_ms, 3);
  EXPECT_DOUBLE_EQ(r.gpu_busy_ms, 6);
}

TEST(ReadFrameLog, WhatTheWriterWrote) {
  for (const LogFormat format : {LogFormat::presentmon, LogFormat::mangohud}) {
    std::ostringstream out;
    FrameLogWriter writer(out, format, {});
    FrameRecord r = some_record();
    for (int i = 0; i < 3; ++i) {
      r.frame_id = uint64_t(i);
      r.time_s = 0.5 * (i + 1);
      r.between_presents_ms = 500 + i;
      writer.add(r);
    }
    const File file(out.str());
    const FrameLog log = read_frame_log(file.path());
    EXPECT_EQ(log.frame_ms, (std::vector<double>{500, 501, 502}));
    EXPECT_EQ(log.time_s, (std::vector<double>{0.5, 1, 1.5}));
    EXPECT_EQ(log.geometry_ms.size(), format == LogFormat::presentmon ? 3u : 0u);
  }
}

TEST(ReadFrameLog, KnowsOtherProgramsLayouts) {
  // PresentMon with a byte-order mark and DOS newlines; MangoHud with a version block; PresentMon 2.
  const File a(
      "\xef\xbb\xbf"
      "Application,ProcessID,TimeInSeconds,msBetweenPresents\r\ngame.exe,1,0.5,16.5\r\ngame.exe,1,1.5,17\r\n");
  EXPECT_EQ(read_frame_log(a.path()).frame_ms, (std::vector<double>{16.5, 17}));
  EXPECT_EQ(read_frame_log(a.path()).application, "game.exe");
  const File b(
      "v1\n0.8.1\n----SYSTEM INFO----\nos,cpu,gpu,ram,kernel,driver,cpuscheduler\na,b,c,1,d,e,f\n----FRAME "
      "METRICS----\nfps,frametime,elapsed\n100,10,2000000000\n");
  EXPECT_EQ(read_frame_log(b.path()).frame_ms, (std::vector<double>{10}));
  EXPECT_EQ(read_frame_log(b.path()).time_s, (std::vector<double>{2}));
  const File c("Application,MsBetweenPresents\ngame.exe,20\ngame.exe,30\n");
  EXPECT_EQ(read_frame_log(c.path()).time_s, (std::vector<double>{0.02, 0.05}));
}

std::string log_of_mangohud(const std::string& before, bool us, const char* heading = "fps,frametime,elapsed") {
  std::string text = before + heading + '\n';
  for (int i = 1; i <= 9; ++i) {
    if (std::string(heading).starts_with("fps")) text += i % 3 == 0 ? "0," : "60.1,";
    text += us ? "16667" : "16.667";
    text += "," + std::to_string(i * 16667000) + '\n';
  }
  return text;
}

// Versions before 0.6.9 write microseconds.
TEST(ReadFrameLog, TellsMangoHudsUnit) {
  const auto first = [](const std::string& text) { return read_frame_log(File(text).path()).frame_ms.front(); };
  const std::string system = "os,cpu,gpu,ram,kernel,driver,cpuscheduler\na,b,c,1,d,e,f\n";
  for (const std::string& before : {std::string(), system, "v1\n0.7.2\n----SYSTEM INFO----\n" + system}) {
    EXPECT_DOUBLE_EQ(first(log_of_mangohud(before, true)), 16.667);
    EXPECT_DOUBLE_EQ(first(log_of_mangohud(before, false)), 16.667);
  }
  EXPECT_DOUBLE_EQ(first(log_of_mangohud({}, true, "frametime,elapsed")), 16.667);
  EXPECT_DOUBLE_EQ(first(log_of_mangohud({}, false, "frametime,elapsed")), 16.667);
  EXPECT_DOUBLE_EQ(first("v1\n0.6.8\nframetime\n16667\n"), 16.667);
  EXPECT_DOUBLE_EQ(first("v1\nv0.6.6-1\nframetime\n16667\n"), 16.667);
  EXPECT_DOUBLE_EQ(first("v1\n0.6.9\nframetime\n16667\n"), 16667);
  EXPECT_DOUBLE_EQ(first("frametime\n16667\n"), 16667);
}

TEST(ReadFrameLog, ProgramsAreCurves) {
  const File file(
      "Application,ProcessID,SwapChainAddress,TimeInSeconds,msBetweenPresents\n"
      "dwm.exe,7,0x2,0.004,4\ngame.exe,100,0x1,0.016,16\ndwm.exe,7,0x2,0.008,4\ngame.exe,100,0x3,0.02,20\n"
      "game.exe,100,0x1,0.033,17\n");
  const std::vector<FrameLog> logs = read_frame_logs(file.path());
  ASSERT_EQ(logs.size(), 3u);
  EXPECT_EQ(logs[0].application, "dwm.exe");
  EXPECT_EQ(logs[0].frame_ms, (std::vector<double>{4, 4}));
  EXPECT_EQ(logs[1].frame_ms, (std::vector<double>{16, 17}));
  EXPECT_EQ(logs[1].time_s, (std::vector<double>{0.016, 0.033}));
  EXPECT_EQ(logs[2].swap_chain, "0x3");
  EXPECT_EQ(read_frame_logs(file.path(), "GAME").size(), 2u);
  EXPECT_EQ(read_frame_logs(file.path(), "dwm.exe").size(), 1u);
  const auto message = [&](auto&& read) -> std::string {
    try {
      read();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(
      message([&] { read_frame_logs(file.path(), "no"); }).find("no frame of 'no'; it has those of dwm.exe, game"),
      std::string::npos);
  EXPECT_NE(message([&] { read_frame_log(file.path()); }).find("3 applications or swap chains"), std::string::npos);
}

TEST(ReadFrameLog, FieldsAsSpreadsheetsWriteThem) {
  const auto times = [](const std::string& text) { return read_frame_log(File(text).path()).frame_ms; };
  const std::vector<double> right = {16.5, 17};
  EXPECT_EQ(times("Application;msBetweenPresents\na.exe;16.5\na.exe;17\n"), right);
  EXPECT_EQ(times("sep=;\nApplication;msBetweenPresents\na.exe;16,5\na.exe;17,0\n"), right);
  EXPECT_EQ(times("Application\tmsBetweenPresents\na.exe\t16,5\na.exe\t17\n"), right);
  EXPECT_EQ(times("\"Application\",\"msBetweenPresents\"\n\"a, \"\"b\"\".exe\",\"16,5\"\n\"a, \"\"b\"\".exe\",17\n"),
            right);
  const File quoted("Application,msBetweenPresents\n\"a, \"\"b\"\".exe\",17\n");
  EXPECT_EQ(read_frame_log(quoted.path()).application, "a, \"b\".exe");
  EXPECT_THROW(times("x;frametime\n1;1,234.5\n"), std::runtime_error);
  EXPECT_EQ(times("Application,msBetweenPresents,\na.exe,16.5,\na.exe,17\n"), right);
  EXPECT_EQ(times("Application,msBetweenPresents\na.exe,16.5,\na.exe,17,\n"), right);
}

// OCAT says what the computer is in the first row, and leaves these fields out in all others.
TEST(ReadFrameLog, RowsMayEndBehindTheColumnsThatAreRead) {
  const File file(
      "Application,ProcessID,SwapChainAddress,Dropped,TimeInSeconds,MsBetweenPresents,Motherboard,OS,Processor\r\n"
      "game.exe,1,0x1,0,0.5,16.5,B550,\"Windows, 10\",Ryzen\r\ngame.exe,1,0x1,0,1.5,17\r\n");
  const FrameLog log = read_frame_log(file.path());
  EXPECT_EQ(log.frame_ms, (std::vector<double>{16.5, 17}));
  EXPECT_EQ(log.time_s, (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(log.cut_off + log.left_out, "");
}

// Versions name the frame's time and its start otherwise.
TEST(ReadFrameLog, ColumnsOfPresentMon2) {
  const auto read = [](const std::string& columns) {
    return read_frame_log(File("Application,ProcessID,SwapChainAddress,PresentRuntime,SyncInterval,PresentFlags,"
                               "AllowsTearing,PresentMode," +
                               columns)
                              .path());
  };
  const std::string row = "game.exe,1,0x1,DXGI,1,0,0,Composed: Flip,";
  const FrameLog first = read(
      "CPUStartQPCTime,CPUFrameTime,CPUBusy,CPUWait,GPULatency,GPUTime,GPUBusy,GPUWait,"
      "DisplayLatency,DisplayedTime,ClickToPhotonLatency\n" +
      row + "40,16.5,4,12.5,1,2,2,0,30,16,NA\n");
  EXPECT_EQ(first.frame_ms[0], 16.5);
  EXPECT_EQ(first.time_s[0], 0.04);
  const FrameLog second = read(
      "FrameType,CPUStartTime,FrameTime,CPUBusy,CPUWait,GPULatency,GPUTime,GPUBusy,GPUWait,"
      "VideoBusy,DisplayLatency,DisplayedTime,AnimationError,AnimationTime,MsFlipDelay,"
      "AllInputToPhotonLatency,ClickToPhotonLatency,InstrumentedLatency\n" +
      row + "Application,40,17,4,13,1,2,2,0,0,NA,NA,NA,NA,NA,NA,NA,NA\n");
  EXPECT_EQ(second.frame_ms[0], 17);
  EXPECT_EQ(second.time_s[0], 0.04);
  const FrameLog third = read(
      "TimeInMs,MsBetweenSimulationStart,MsBetweenPresents,MsBetweenDisplayChange,"
      "MsInPresentAPI,MsRenderPresentLatency,MsUntilDisplayed,CPUStartTimeInMs,"
      "MsBetweenAppStart,MsCPUBusy,MsCPUWait,MsGPULatency,MsGPUTime,MsGPUBusy,MsGPUWait,"
      "MsAnimationError,AnimationTime,MsFlipDelay,MsAllInputToPhotonLatency,"
      "MsClickToPhotonLatency\n" +
      row + "40,NA,19,NA,0.02,1.6,1.6,20,18,19,0.02,1,19,1,17,NA,20,NA,NA,NA\n");
  EXPECT_EQ(third.frame_ms[0], 19);
  EXPECT_EQ(third.time_s[0], 0.04);
}

// PresentMon 2 has its own columns, times in milliseconds since the first frame, and NA for unknown values.
TEST(ReadFrameLog, PresentMon2) {
  const File file(
      "Application,ProcessID,SwapChainAddress,PresentRuntime,FrameType,CPUStartTime,FrameTime,CPUBusy,GPUTime\r\n"
      "game.exe,1,0x1,DXGI,Application,0.5,16.5,4,NA\r\ngame.exe,1,0x1,DXGI,Intel XeSS-FG,8,NA,NA,NA\r\n"
      "game.exe,1,0x1,DXGI,Application,17,17,4,2\r\n");
  const FrameLog log = read_frame_log(file.path());
  EXPECT_EQ(log.frame_ms, (std::vector<double>{16.5, 17}));
  EXPECT_EQ(log.time_s, (std::vector<double>{0.0005, 0.017}));
  EXPECT_NE(log.left_out.find("1 row was left out because the frame time is NA"), std::string::npos);
  EXPECT_THROW(read_frame_log(File("msBetweenPresents\nNA\n").path()), std::runtime_error);
}

TEST(ReadFrameLog, ErrorsNameFileLineAndField) {
  const auto message = [](const std::string& text) -> std::string {
    const File file(text);
    try {
      read_frame_log(file.path());
    } catch (const std::runtime_error& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.rfind(file.path().string(), 0), 0u) << what;
      return what;
    }
    return "no error";
  };
  EXPECT_NE(message("").find("no column"), std::string::npos);
  EXPECT_NE(message("a,b\n1,2\n").find("no column"), std::string::npos);
  EXPECT_NE(message("frametime\n").find("no frame"), std::string::npos);
  EXPECT_NE(message(std::string("\xff\xfe"
                                "f\0r\0",
                                6))
                .find("UTF-16"),
            std::string::npos);
  EXPECT_NE(message("x,frametime\n1,2\n1\n").find("line 3: 1 fields under 2"), std::string::npos);
  EXPECT_NE(message("x,frametime\n1,2\n1,2,3\n").find("line 3: 3 fields under 2"), std::string::npos);
  EXPECT_NE(message("x,frametime\n1,fast\n").find("line 2: field 2 is not a number"), std::string::npos);
  EXPECT_NE(message("x,frametime\n1,nan\n").find("line 2"), std::string::npos);
  EXPECT_NE(message("x,frametime\n1,-4\n").find("below 0"), std::string::npos);
}

// When add() returns, the line is in the file.
TEST(FrameLogWriter, LinesAreInTheFileAtOnce) {
  for (const LogFormat format : {LogFormat::presentmon, LogFormat::mangohud}) {
    const File file("");
    std::ofstream out(file.path(), std::ios::binary);
    FrameLogWriter writer(out, format, {});
    for (size_t frames = 1; frames < 4; ++frames) {
      writer.add(some_record());
      EXPECT_EQ(read_frame_log(file.path()).frame_ms.size(), frames);
    }
  }
}

TEST(ReadFrameLog, CutOffLogsSayHowManyFramesTheyHold) {
  const File torn("x,frametime,y\n1,2,3\n1,3,4\n1,4");
  EXPECT_EQ(read_frame_log(torn.path()).frame_ms, (std::vector<double>{2, 3}));
  EXPECT_NE(read_frame_log(torn.path()).cut_off.find("the recording was cut off; it holds 2 frames"),
            std::string::npos);
  const File whole("x,frametime\n1,2\n1,3");  // other programs may leave out the last line's end
  EXPECT_EQ(read_frame_log(whole.path()).frame_ms.size(), 2u);
  EXPECT_EQ(read_frame_log(whole.path()).cut_off, "");

  const std::filesystem::path manifest = manifest_path(whole.path());
  LogSession session;
  session.log = whole.path();
  session.asked = 300;
  write_json(manifest, begun_manifest_json(session, nullptr, {}));
  EXPECT_NE(read_frame_log(whole.path()).cut_off.find("was cut off; it holds 2 frames of 300"), std::string::npos);
  session.ended_by = "SIGINT";
  write_json(manifest, manifest_json(session, nullptr, {}, {}, {2, 3}));
  EXPECT_NE(read_frame_log(whole.path()).cut_off.find("was cut off by SIGINT; it holds 2"), std::string::npos);
  session.ended_by.clear();
  write_json(manifest, manifest_json(session, nullptr, {}, {}, {2, 3}));
  EXPECT_EQ(read_frame_log(whole.path()).cut_off, "");
  session.log = "another.csv";  // not this log's
  write_json(manifest, begun_manifest_json(session, nullptr, {}));
  EXPECT_EQ(read_frame_log(whole.path()).cut_off, "");
  std::filesystem::remove(manifest);
}

TEST(Sha256, KnownAnswers) {  // FIPS 180-4's examples
  const auto hash = [](const std::string& text, size_t step) {
    std::vector<std::span<const std::byte>> parts;
    for (size_t i = 0; i < text.size(); i += step)
      parts.push_back(std::as_bytes(std::span(text).subspan(i, std::min(step, text.size() - i))));
    return sha256(parts);
  };
  EXPECT_EQ(hash("", 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash("abc", 1), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const std::string two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  EXPECT_EQ(hash(two, 7), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash(std::string(1000000, 'a'), 4093), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Manifest, NamesSceneSettingsAndResults) {
  const std::string path = BROKKR_SOURCE_DIR "/tests/frames/gl-feature-test.bkf";
  Frame frame = load_frame(path, {});
  const nlohmann::ordered_json scene = scene_json(path, frame);
  EXPECT_EQ(scene["sha256"].get<std::string>().size(), 64u);
  EXPECT_EQ(scene["bytes"], std::filesystem::file_size(path));
  EXPECT_GT(scene["draws"].get<int>(), 0);
  frame.positions[0].x += 1;  // another geometry in the same file
  EXPECT_NE(scene_json(path, frame)["geometry_sha256"], scene["geometry_sha256"]);
  EXPECT_TRUE(scene_json("generated:city", frame)["sha256"].is_null());

  LogSession session;
  session.log = "folder/run.csv";
  RenderOptions options;
  options.policy = Policy::round_robin;
  options.bin = 32;
  options.pattern = PatternKind::hilbert;
  Statistics last;
  last.machine = "cpu";
  last.rasterizers = 77;
  const nlohmann::ordered_json m = manifest_json(session, scene, options, last, {1, 2, 3});
  EXPECT_EQ(m["kind"], "brokkr frame log");
  EXPECT_EQ(m["log"], "run.csv");
  EXPECT_EQ(m["settings"]["policy"], "round-robin");
  EXPECT_EQ(m["settings"]["bin"], "32");
  EXPECT_EQ(m["settings"]["pattern"], "hilbert");
  EXPECT_EQ(m["settings"]["used"]["rasterizers"], 77);
  EXPECT_EQ(m["statistics"]["median_ms"], 2);
  EXPECT_FALSE(m["commit"].get<std::string>().empty());
  EXPECT_FALSE(m["machine"]["processor"].get<std::string>().empty());
  EXPECT_EQ(manifest_path("a/run.csv"), "a/run.json");
}

}  // namespace
}  // namespace brokkr
