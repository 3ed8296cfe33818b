// Pictures survive writing and reading, errors name damaged files, and failed writes leave no file.
#include "brokkr/image.h"

#include <gtest/gtest.h>
#include <tinyexr.h>
#include <unistd.h>

#include <cstdlib>
#include <random>

#include "base/file_io.h"

namespace brokkr {
namespace {

namespace fs = std::filesystem;

class ImageIo : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / ("brokkr-image-" + std::to_string(getpid()) + "-" + info->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

std::vector<uint32_t> noise(size_t count, uint32_t alpha) {
  std::mt19937 random(3);
  std::vector<uint32_t> pixels(count);
  for (uint32_t& pixel : pixels) pixel = (uint32_t(random()) & 0xffffffu) | alpha << 24;
  return pixels;
}

TEST_F(ImageIo, PngKeepsPixelsAndRowOrder) {
  for (bool opaque : {false, true}) {
    const std::vector<uint32_t> pixels = noise(7 * 5, opaque ? 255 : 77);
    write_png(folder_ / "a.png", 7, 5, pixels, opaque);
    const Image image = read_image(folder_ / "a.png");
    EXPECT_EQ(image.width, 7);
    EXPECT_EQ(image.height, 5);
    EXPECT_EQ(image.texels, pixels);
    EXPECT_EQ(image.has_alpha, !opaque);
  }
}

TEST_F(ImageIo, ExrKeepsValues) {
  for (int height : {3, 16, 40}) {
    for (int channels : {1, 3, 4}) {
      const int width = 5;
      std::vector<float> pixels(size_t(width * height * channels));
      for (size_t i = 0; i < pixels.size(); i++) pixels[i] = 0.37f * float(i) - 3;
      const fs::path path = folder_ / "a.exr";
      write_exr(path, width, height, channels, pixels);
      float* rgba = nullptr;
      int read_width = 0, read_height = 0;
      const char* error = nullptr;
      ASSERT_EQ(LoadEXR(&rgba, &read_width, &read_height, path.c_str(), &error), TINYEXR_SUCCESS)
          << (error != nullptr ? error : "");
      ASSERT_EQ(read_width, width);
      ASSERT_EQ(read_height, height);
      for (int y = 0; y < height; y++) {
        for (int i = 0; i < width * channels; i++) {
          const float* row = rgba + (height - 1 - y) * width * 4;
          EXPECT_EQ(row[i / channels * 4 + i % channels], pixels[size_t(y * width * channels + i)]);
        }
      }
      std::free(rgba);
    }
  }
}

// As programs with layers read them: a channel's layer is its name up to the last dot.
TEST_F(ImageIo, ExrLayersKeepNamesAndValues) {
  constexpr int kWidth = 5, kHeight = 17, kChannels = 3;
  std::vector<ExrLayer> layers = {{"view001", {}}, {"view000", {}}, {"depth-2", {}}};
  for (size_t l = 0; l < layers.size(); l++) {
    for (int i = 0; i < kWidth * kHeight * kChannels; i++) layers[l].pixels.push_back(0.37f * float(i) - float(l));
  }
  const fs::path path = folder_ / "layers.exr";
  write_exr_layers(path, kWidth, kHeight, kChannels, layers);
  const char** names = nullptr;
  int count = 0;
  const char* error = nullptr;
  ASSERT_EQ(EXRLayers(path.c_str(), &names, &count, &error), TINYEXR_SUCCESS) << (error != nullptr ? error : "");
  EXPECT_EQ(std::vector<std::string>(names, names + count),
            (std::vector<std::string>{"depth-2", "view000", "view001"}));
  for (int i = 0; i < count; i++) std::free(const_cast<char*>(names[i]));
  std::free(names);
  for (const ExrLayer& layer : layers) {
    float* rgba = nullptr;
    int width = 0, height = 0;
    ASSERT_EQ(LoadEXRWithLayer(&rgba, &width, &height, path.c_str(), layer.name.c_str(), &error), TINYEXR_SUCCESS);
    ASSERT_EQ(width * height, kWidth * kHeight);
    for (int y = 0; y < height; y++) {
      for (int i = 0; i < width * kChannels; i++) {
        const float* row = rgba + (height - 1 - y) * width * 4;
        EXPECT_EQ(row[i / kChannels * 4 + i % kChannels], layer.pixels[size_t(y * width * kChannels + i)]);
      }
    }
    std::free(rgba);
  }
  for (const char* const name : {"", "a.b", "view000"}) {
    layers[0].name = name;
    EXPECT_THROW(write_exr_layers(path, kWidth, kHeight, kChannels, layers), std::invalid_argument) << name;
  }
  EXPECT_THROW(write_exr_layers(path, 1, 1, kChannels, {}), std::invalid_argument);
}

TEST_F(ImageIo, PfmKeepsValues) {
  for (int channels : {1, 3}) {
    std::vector<float> pixels(size_t(6 * channels));
    for (size_t i = 0; i < pixels.size(); i++) pixels[i] = 1.0f / float(i + 1);
    write_pfm(folder_ / "a.pfm", 3, 2, channels, pixels);
    const FloatImage image = read_pfm(folder_ / "a.pfm");
    EXPECT_EQ(image.width, 3);
    EXPECT_EQ(image.height, 2);
    EXPECT_EQ(image.channels, channels);
    EXPECT_EQ(image.values, pixels);
  }
}

TEST_F(ImageIo, BigEndianPfmIsRead) {
  const std::string file("Pf 1 1 1.0\n\x3f\x80\x00\x00", 15);
  EXPECT_EQ(read_pfm(std::as_bytes(std::span(file)), "a.pfm").values, std::vector<float>{1.0f});
}

TEST_F(ImageIo, WrongFilesAreNamed) {
  for (std::string text : {"", "hello, this is no picture", "GIF89a..................", "P6 1 1 255\nabc",
                           "\x89PNG\r\n\x1a\n", "BM", "Pf 1 1 -1.0\n", "Pf 99999 99999 -1.0\nabcd", "Pf"}) {
    const auto bytes = std::as_bytes(std::span(text));
    for (bool pfm : {false, true}) {
      try {
        pfm ? (void)read_pfm(bytes, "x.pic") : (void)read_image(bytes, "x.pic");
        ADD_FAILURE() << text << " was accepted";
      } catch (const std::runtime_error& error) {
        EXPECT_EQ(std::string(error.what()).rfind("x.pic: ", 0), 0u) << error.what();
      }
    }
  }
}

TEST_F(ImageIo, DamagedPicturesDoNotCrash) {
  write_png(folder_ / "a.png", 16, 16, noise(256, 200));
  const std::vector<std::byte> file = read_file(folder_ / "a.png", 1 << 20);
  std::mt19937 random(5);
  for (int i = 0; i < 500; i++) {
    std::vector<std::byte> damaged = file;
    damaged[random() % damaged.size()] ^= std::byte(1 << random() % 8);
    if (i % 4 == 0) damaged.resize(random() % damaged.size());
    try {
      const Image image = read_image(damaged, "damaged", 1 << 20);
      EXPECT_EQ(image.texels.size(), size_t(image.width) * size_t(image.height));
    } catch (const std::runtime_error&) {
    }
  }
}

// The reader does not reserve memory for the length that a chunk declares.
TEST_F(ImageIo, PngChunksLongerThanTheFileAreRejected) {
  write_png(folder_ / "a.png", 16, 16, noise(256, 200));
  std::vector<std::byte> file = read_file(folder_ / "a.png", 1 << 20);
  const size_t data_length = 8 + 25;  // the signature and the header chunk come before
  file[data_length] = std::byte(0x3f);
  try {
    read_image(file, "long.png");
    ADD_FAILURE() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("incomplete"), std::string::npos) << error.what();
  }
}

TEST_F(ImageIo, LimitsHold) {
  write_png(folder_ / "a.png", 16, 16, noise(256, 200));
  EXPECT_THROW(read_image(folder_ / "a.png", 255), std::runtime_error);
  EXPECT_THROW(write_png(folder_ / "b.png", 16, 16, noise(255, 0)), std::invalid_argument);
  EXPECT_THROW(write_pfm(folder_ / "b.pfm", 1, 1, 2, std::vector<float>(2)), std::invalid_argument);
  EXPECT_THROW(write_exr(folder_ / "b.exr", 1, 1, 3, std::vector<float>(2)), std::invalid_argument);
  EXPECT_THROW(read_file(folder_ / "a.png", 10), std::runtime_error);
}

TEST_F(ImageIo, FailedWritesLeaveNothingBehind) {
  EXPECT_THROW(write_png(folder_ / "missing" / "a.png", 1, 1, noise(1, 0)), std::runtime_error);
  fs::create_directories(folder_ / "taken.png" / "inside");
  EXPECT_THROW(write_png(folder_ / "taken.png", 1, 1, noise(1, 0)), std::runtime_error);
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) files += entry.is_regular_file();
  EXPECT_EQ(files, 0u);
}

}  // namespace
}  // namespace brokkr
