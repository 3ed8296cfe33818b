#include "common/picture.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace course {
namespace {

using Bytes = std::vector<uint8_t>;

void append_big_endian(Bytes& bytes, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(uint8_t(value >> shift));
}

uint32_t crc32(const uint8_t* data, size_t size) {
  uint32_t crc = ~0u;
  for (size_t i = 0; i < size; ++i) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

void append_chunk(Bytes& file, const char* kind, const Bytes& content) {
  append_big_endian(file, uint32_t(content.size()));
  const size_t begin = file.size();
  file.insert(file.end(), kind, kind + 4);
  file.insert(file.end(), content.begin(), content.end());
  append_big_endian(file, crc32(file.data() + begin, file.size() - begin));
}

// A zlib stream of stored blocks.
Bytes stored(const Bytes& raw) {
  Bytes stream = {0x78, 0x01};
  uint32_t a = 1, b = 0;
  for (const uint8_t byte : raw) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  for (size_t begin = 0; begin < raw.size(); begin += 65535) {
    const size_t size = std::min<size_t>(65535, raw.size() - begin);
    stream.push_back(begin + size == raw.size());
    for (const size_t word : {size, ~size}) {
      stream.push_back(uint8_t(word));
      stream.push_back(uint8_t(word >> 8));
    }
    stream.insert(stream.end(), raw.begin() + long(begin), raw.begin() + long(begin + size));
  }
  append_big_endian(stream, b << 16 | a);
  return stream;
}

}  // namespace

Picture read_ppm(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  int width = 0, height = 0, largest = 0;
  if (!(file >> magic >> width >> height >> largest) || magic != "P6" || largest != 255 || width < 1 || height < 1 ||
      width > 4096 || height > 4096) {
    throw std::runtime_error(path + ": is not there, or no binary .ppm; run tools/course-recordings");
  }
  file.get();
  Picture picture(width, height);
  for (int y = height - 1; y >= 0; --y) {
    for (int x = 0; x < width; ++x) {
      const int r = file.get(), g = file.get(), b = file.get();
      if (!file) throw std::runtime_error(path + ": ends too early; run tools/course-recordings");
      picture.at(x, y) = 0xff000000u | uint32_t(b) << 16 | uint32_t(g) << 8 | uint32_t(r);
    }
  }
  return picture;
}

void write_png(const std::string& path, const Picture& picture) {
  Bytes raw;
  for (int y = picture.height - 1; y >= 0; --y) {
    raw.push_back(0);
    for (int x = 0; x < picture.width; ++x) {
      const uint32_t color = picture.at(x, y);
      raw.insert(raw.end(), {uint8_t(color), uint8_t(color >> 8), uint8_t(color >> 16)});
    }
  }
  Bytes header;
  append_big_endian(header, uint32_t(picture.width));
  append_big_endian(header, uint32_t(picture.height));
  header.insert(header.end(), {8, 2, 0, 0, 0});
  Bytes file = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  append_chunk(file, "IHDR", header);
  append_chunk(file, "IDAT", stored(raw));
  append_chunk(file, "IEND", {});
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(file.data()), std::streamsize(file.size()));
  if (!out.flush()) throw std::runtime_error(path + ": cannot be written");
}

Picture enlarged(const Picture& picture, int times) {
  Picture result(picture.width * times, picture.height * times);
  for (int y = 0; y < result.height; ++y) {
    for (int x = 0; x < result.width; ++x) result.at(x, y) = picture.at(x / times, y / times);
  }
  return result;
}

Picture beside(const std::vector<Picture>& pictures) {
  constexpr int kGap = 4;
  int width = -kGap, height = 0;
  for (const Picture& picture : pictures) {
    width += picture.width + kGap;
    height = std::max(height, picture.height);
  }
  Picture result(width, height, 0xff808080u);
  int left = 0;
  for (const Picture& picture : pictures) {
    for (int y = 0; y < picture.height; ++y) {
      for (int x = 0; x < picture.width; ++x) result.at(left + x, y) = picture.at(x, y);
    }
    left += picture.width + kGap;
  }
  return result;
}

int difference(uint32_t a, uint32_t b) {
  int largest = 0;
  for (int shift = 0; shift < 24; shift += 8) {
    largest = std::max(largest, std::abs(int(a >> shift & 255) - int(b >> shift & 255)));
  }
  return largest;
}

Picture difference_picture(const Picture& expected, const Picture& yours, int tolerance,
                           const std::vector<bool>& uncertain) {
  Picture result(expected.width, expected.height);
  for (size_t i = 0; i < result.pixels.size(); ++i) {
    const uint32_t color = expected.pixels[i];
    const uint32_t grey = ((color & 255) + (color >> 8 & 255) + (color >> 16 & 255)) / 6;
    const int off = difference(color, yours.pixels[i]);
    const bool wrong = off > tolerance && (uncertain.empty() || !uncertain[i]);
    result.pixels[i] = wrong ? 0xff000000u | uint32_t(160 + std::min(95, off)) : 0xff000000u | grey * 0x10101u;
  }
  return result;
}

}  // namespace course
