// Pictures by stb_image, OpenEXR files by tinyexr, and portable float maps.
#include "brokkr/image.h"

#include <stb/stb_image.h>
#include <stb/stb_image_write.h>
#include <tinyexr.h>
#ifdef BROKKR_HAVE_WEBP
#include <webp/decode.h>
#endif

#include <algorithm>
#include <bit>
#include <chrono>
#include <climits>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/loading.h"
#include "brokkr/frame.h"
#include "formats/image_io.h"

namespace brokkr {
namespace {

constexpr uint64_t kMaxImageFile = uint64_t(1) << 30;
constexpr uint64_t kMaxFloatFile = uint64_t(4) << 30;

void check_pixels(const char* function, int width, int height, int channels, size_t values) {
  if (width < 1 || height < 1 || width > kMaxTargetSize || height > kMaxTargetSize ||
      values != size_t(width) * size_t(height) * size_t(channels)) {
    throw std::invalid_argument(fmt::format("{}: pixels are not width * height * channels", function));
  }
}

// Formats that are refused by their first bytes. stb_image reads some of them, but no scene uses them, and their
// decoders have a history of reading beyond their input.
struct OtherFormat {
  std::string_view magic;
  const char* name;
};
constexpr OtherFormat kOtherFormats[] = {
    {"GIF8", "GIF"},        {"8BPS", "PSD"},
    {"#?", "Radiance HDR"}, {"\x53\x80\xf6\x34", "PIC"},
    {"P5", "PNM"},          {"P6", "PNM"},
    {"DDS ", "DDS"},        {"II*", "TIFF"},
    {"MM", "TIFF"},         {"v/1\x01", "OpenEXR"},
    {"\xabKTX 11", "KTX"},  {"\xabKTX 20", "KTX2, which no package of Debian 12 decodes"},
};

// The name of the file's format; null for formats that are not refused.
const char* other_format(std::span<const std::byte> file) {
  for (const OtherFormat& one : kOtherFormats) {
    if (as_text(file).starts_with(one.magic)) return one.name;
  }
  const std::string_view brand = as_text(file).substr(0, 12);
  return brand.ends_with("ftypavif") ? "AVIF" : nullptr;
}

bool is_webp(std::span<const std::byte> file) {
  return as_text(file).starts_with("RIFF") && as_text(file).substr(0, 12).ends_with("WEBP");
}

// stb_image allocates the length in a PNG chunk's header before it reads the chunk. Therefore no chunk may be longer
// than the file.
bool has_whole_png_chunks(std::span<const std::byte> file) {
  constexpr size_t kSignature = 8, kLengthAndType = 8, kChecksum = 4;
  if (!as_text(file).starts_with("\x89PNG")) return true;
  for (size_t chunk = kSignature; chunk + kLengthAndType <= file.size();) {
    uint64_t length = 0;
    for (size_t i = 0; i < 4; i++) length = length << 8 | uint64_t(file[chunk + i]);
    if (length + kLengthAndType + kChecksum > file.size() - chunk) return false;
    const bool is_last = file[chunk + 4] == std::byte('I') && file[chunk + 5] == std::byte('E');  // IEND
    if (is_last) break;
    chunk += size_t(length) + kLengthAndType + kChecksum;
  }
  return true;
}

// An upper bound on the pixels that a picture with this many bytes can hold. A file that claims more is incomplete or a
// trap, and is not decoded. PNG: one bit a pixel, and deflate's best ratio of 1032. JPEG: a bit per component of 8 x 8
// pixels. TGA: runs of 128 pixels in two bytes. BMP: 8 pixels a byte. WebP: a picture of one colour needs no bits for
// its pixels.
uint64_t pixel_bound(std::span<const std::byte> file) {
  const uint64_t per_byte = as_text(file).starts_with("\x89PNG")    ? 8 * 1032
                            : as_text(file).starts_with("\xff\xd8") ? 8 * 64
                            : is_webp(file)                         ? kMaxImagePixels
                                                                    : 64;
  return file.size() * per_byte;
}

// Pixels with four channels, or the reason why there are none.
struct Decoded {
  std::unique_ptr<stbi_uc, void (*)(void*)> pixels{nullptr, stbi_image_free};
  const char* failure = "";
};

Decoded decode(std::span<const std::byte> file) {
  Decoded decoded;
  int width = 0, height = 0, channels = 0;
#ifdef BROKKR_HAVE_WEBP
  if (is_webp(file)) {
    decoded.pixels = {WebPDecodeRGBA(reinterpret_cast<const uint8_t*>(file.data()), file.size(), &width, &height),
                      WebPFree};
    if (!decoded.pixels) decoded.failure = "it is damaged, or moves";
    return decoded;
  }
#endif
  decoded.pixels.reset(stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(file.data()), int(file.size()), &width,
                                             &height, &channels, 4));
  if (!decoded.pixels) decoded.failure = stbi_failure_reason();
  return decoded;
}

// Does the same in a separate thread, while `loading` decides whether to continue. Nothing can stop stb_image within a
// picture. A caller that cancels leaves the thread behind; the thread has its own copy of the file and ends when the
// picture is done.
Decoded decode_aside(std::span<const std::byte> file, Loading& loading) {
  constexpr auto kPause = std::chrono::milliseconds(10);
  struct Work {
    std::vector<std::byte> file;
    std::mutex mutex;
    std::condition_variable ended;
    std::optional<Decoded> result;
  };
  const auto work = std::make_shared<Work>();
  work->file.assign(file.begin(), file.end());
  std::thread([work] {
    Decoded decoded = decode(work->file);
    const std::lock_guard lock(work->mutex);
    work->result = std::move(decoded);
    work->ended.notify_all();
  }).detach();
  std::unique_lock lock(work->mutex);
  while (!work->ended.wait_for(lock, kPause, [&] { return work->result.has_value(); })) {
    lock.unlock();
    loading.look(0, 1);
    lock.lock();
  }
  loading.look(0, 1);
  return std::move(*work->result);
}

void append_bytes(void* context, void* data, int size) {
  auto& out = *static_cast<std::vector<std::byte>*>(context);
  const auto* begin = static_cast<const std::byte*>(data);
  out.insert(out.end(), begin, begin + size);
}

}  // namespace

void write_png(const std::filesystem::path& path, int width, int height, std::span<const uint32_t> pixels,
               bool opaque) {
  check_pixels("write_png", width, height, 1, pixels.size());
  const int channels = opaque ? 3 : 4;
  const size_t row_bytes = size_t(width) * size_t(channels);
  std::vector<uint8_t> rows(row_bytes * size_t(height));
  for (int y = 0; y < height; y++) {
    uint8_t* out = &rows[size_t(height - 1 - y) * row_bytes];
    for (int x = 0; x < width; x++) {
      const uint32_t pixel = pixels[size_t(y) * size_t(width) + size_t(x)];
      for (int c = 0; c < channels; c++) *out++ = uint8_t(pixel >> (8 * c));
    }
  }
  std::vector<std::byte> file;
  if (!stbi_write_png_to_func(append_bytes, &file, width, height, channels, rows.data(), int(row_bytes)))
    fail("{}: cannot be encoded as PNG; use a smaller picture", path.string());
  write_file(path, file);
}

Image read_image(std::span<const std::byte> file, std::string_view name, uint64_t max_pixels, Loading& loading) {
  const char* const kFormats = "use PNG, JPEG, BMP or TGA";
  if (file.empty() || file.size() > size_t(INT_MAX)) fail("{}: is empty or larger than 2 GiB; {}", name, kFormats);
  if (const char* const other = other_format(file); other != nullptr)
    fail("{}: has an unsupported picture format, {}; {}", name, other, kFormats);
#ifndef BROKKR_HAVE_WEBP
  if (is_webp(file))
    fail("{}: is WebP, which this build cannot read; install libwebp-dev and build again, or {}", name, kFormats);
#endif
  if (!has_whole_png_chunks(file)) fail("{}: is an incomplete PNG file; save the picture again", name);
  const auto* bytes = reinterpret_cast<const stbi_uc*>(file.data());
  int width = 0, height = 0, channels = 0;
  bool is_known = false;
#ifdef BROKKR_HAVE_WEBP
  if (is_webp(file)) is_known = WebPGetInfo(bytes, file.size(), &width, &height) != 0;
#endif
  if (!is_known && !stbi_info_from_memory(bytes, int(file.size()), &width, &height, &channels)) {
    fail("{}: is not a picture ({}); {}", name, stbi_failure_reason(), kFormats);
  }
  if (width < 1 || height < 1 || width > kMaxTargetSize || height > kMaxTargetSize ||
      uint64_t(width) * uint64_t(height) > max_pixels) {
    fail_limit("{}: has {} x {} pixels, above the limits; scale it to at most {} a side and {} in all", name, width,
               height, kMaxTargetSize, max_pixels);
  }
  const uint64_t pixels = uint64_t(width) * uint64_t(height);
  if (pixels > pixel_bound(file)) {
    fail("{}: claims {} x {} pixels, which {} bytes cannot hold; save the picture again", name, width, height,
         file.size());
  }
  constexpr uint64_t kDecoding = 12;  // bytes per pixel: the decoder's rows and its picture, before we own it
  loading.check(pixels * (kDecoding + sizeof(uint32_t)) + file.size(), name);
  loading.need(pixels * sizeof(uint32_t), name);
  constexpr uint64_t kSmall = 1 << 20;  // pixels, which take some 20 ms
  const Decoded decoded = pixels > kSmall && loading.is_watched() ? decode_aside(file, loading) : decode(file);
  if (!decoded.pixels) fail("{}: cannot be decoded ({}); save the picture again", name, decoded.failure);
  Image image;
  image.width = width;
  image.height = height;
  image.texels.resize(size_t(width) * size_t(height));
  for (int y = 0; y < height; y++) {
    loading.look(0, 1);
    const stbi_uc* in = decoded.pixels.get() + size_t(height - 1 - y) * size_t(width) * 4;
    uint32_t* out = &image.texels[size_t(y) * size_t(width)];
    for (int x = 0; x < width; x++, in += 4) {
      out[x] = uint32_t(in[0]) | uint32_t(in[1]) << 8 | uint32_t(in[2]) << 16 | uint32_t(in[3]) << 24;
      image.has_alpha |= in[3] != 255;
    }
  }
  return image;
}

Image read_image(std::span<const std::byte> file, std::string_view name, uint64_t max_pixels) {
  const LoadOptions standard;
  Loading loading(standard);
  return read_image(file, name, max_pixels, loading);
}

Image read_image(const std::filesystem::path& path, uint64_t max_pixels) {
  return read_image(read_file(path, kMaxImageFile), path.string(), max_pixels);
}

namespace {

struct Plane {
  std::string name;
  std::vector<float> values;  // top row first
};

// Channel `channel` of pixels with `channels` values.
Plane make_plane(std::string name, int width, int height, int channels, int channel, std::span<const float> pixels) {
  Plane plane{std::move(name), {}};
  plane.values.reserve(size_t(width) * size_t(height));
  for (int y = height - 1; y >= 0; y--) {
    const float* in = &pixels[size_t(y) * size_t(width) * size_t(channels)];
    for (int x = 0; x < width; x++) plane.values.push_back(in[x * channels + channel]);
  }
  return plane;
}

// The format requires planes in the order of their names.
void write_planes(const std::filesystem::path& path, int width, int height, std::vector<Plane> planes) {
  std::sort(planes.begin(), planes.end(), [](const Plane& a, const Plane& b) { return a.name < b.name; });
  std::vector<unsigned char*> images;
  std::vector<EXRChannelInfo> infos(planes.size());
  std::vector<int> types(planes.size(), TINYEXR_PIXELTYPE_FLOAT);
  for (size_t i = 0; i < planes.size(); i++) {
    images.push_back(reinterpret_cast<unsigned char*>(planes[i].values.data()));
    infos[i] = {};
    planes[i].name.copy(infos[i].name, sizeof infos[i].name - 1);
  }
  EXRHeader header;
  InitEXRHeader(&header);
  header.num_channels = int(planes.size());
  header.channels = infos.data();
  header.pixel_types = types.data();
  header.requested_pixel_types = types.data();
  // ZIP works on blocks of 16 rows, and tinyexr needs whole blocks.
  header.compression_type = height < 16 ? TINYEXR_COMPRESSIONTYPE_NONE : TINYEXR_COMPRESSIONTYPE_ZIP;
  EXRImage image;
  InitEXRImage(&image);
  image.num_channels = int(planes.size());
  image.images = images.data();
  image.width = width;
  image.height = height;

  unsigned char* memory = nullptr;
  const char* error = nullptr;
  const size_t size = SaveEXRImageToMemory(&image, &header, &memory, &error);
  const std::unique_ptr<unsigned char, void (*)(void*)> owner(memory, std::free);
  if (size == 0) {
    const std::string reason = error != nullptr ? error : "unknown reason";
    if (error != nullptr) FreeEXRErrorMessage(error);
    fail("{}: cannot be encoded as EXR ({}); write .pfm instead", path.string(), reason);
  }
  write_file(path, std::span(reinterpret_cast<const std::byte*>(memory), size));
}

std::string_view exr_channels(int channels) { return channels == 1 ? "Y" : channels == 3 ? "RGB" : "RGBA"; }

void check_exr(const char* function, int width, int height, int channels, size_t values) {
  if (channels != 1 && channels != 3 && channels != 4)
    throw std::invalid_argument(fmt::format("{}: channels", function));
  check_pixels(function, width, height, channels, values);
}

}  // namespace

void write_exr(const std::filesystem::path& path, int width, int height, int channels, std::span<const float> pixels) {
  check_exr("write_exr", width, height, channels, pixels.size());
  std::vector<Plane> planes;
  for (int c = 0; c < channels; c++) {
    const std::string name(1, exr_channels(channels)[size_t(c)]);
    planes.push_back(make_plane(name, width, height, channels, c, pixels));
  }
  write_planes(path, width, height, std::move(planes));
}

void write_exr_layers(const std::filesystem::path& path, int width, int height, int channels,
                      std::span<const ExrLayer> layers) {
  constexpr size_t kMaxName = 200;
  std::set<std::string_view> names;
  std::vector<Plane> planes;
  for (const ExrLayer& layer : layers) {
    const int count = layer.channels != 0 ? layer.channels : channels;
    check_exr("write_exr_layers", width, height, count, layer.pixels.size());
    const bool usable = std::all_of(layer.name.begin(), layer.name.end(), [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
    });
    if (!usable || layer.name.empty() || layer.name.size() > kMaxName || !names.insert(layer.name).second) {
      throw std::invalid_argument(fmt::format("write_exr_layers: name '{}'", layer.name));
    }
    for (int c = 0; c < count; c++) {
      const std::string name = fmt::format("{}.{}", layer.name, exr_channels(count)[size_t(c)]);
      planes.push_back(make_plane(name, width, height, count, c, layer.pixels));
    }
  }
  if (planes.empty()) throw std::invalid_argument("write_exr_layers: no layers");
  write_planes(path, width, height, std::move(planes));
}

void write_pfm(const std::filesystem::path& path, int width, int height, int channels, std::span<const float> pixels) {
  if (channels != 1 && channels != 3) throw std::invalid_argument("write_pfm: channels");
  check_pixels("write_pfm", width, height, channels, pixels.size());
  static_assert(std::endian::native == std::endian::little);
  std::string file = fmt::format("{}\n{} {}\n-1.0\n", channels == 1 ? "Pf" : "PF", width, height);
  file.append(reinterpret_cast<const char*>(pixels.data()), pixels.size_bytes());
  write_text(path, file);
}

FloatImage read_pfm(std::span<const std::byte> file, std::string_view name) {
  constexpr size_t kMaxHeader = 256;
  std::istringstream header{std::string(as_text(file.first(std::min(file.size(), kMaxHeader))))};
  std::string magic;
  FloatImage image;
  double scale = 0;
  header >> magic >> image.width >> image.height >> scale;
  if (magic != "Pf" && magic != "PF") fail("{}: is not a portable float map; name a .pfm file", name);
  image.channels = magic == "Pf" ? 1 : 3;
  const bool has_size =
      std::min(image.width, image.height) >= 1 && std::max(image.width, image.height) <= kMaxTargetSize;
  if (!header || !has_size || scale == 0 || !std::isfinite(scale)) {
    fail("{}: has a header with an unusable size or scale; write the file again", name);
  }
  const uint64_t count = uint64_t(image.width) * uint64_t(image.height) * uint64_t(image.channels);
  size_t position = size_t(header.tellg()) + 1;  // one white-space character follows the header
  if (position > file.size() || file.size() - position != count * sizeof(float)) {
    fail("{}: does not hold width * height values; write the file again", name);
  }
  const LoadOptions standard;
  Loading(standard).need(count * sizeof(float), name);
  image.values.resize(size_t(count));
  for (size_t i = 0; i < image.values.size(); i++, position += 4) {
    uint32_t bits = 0;  // a negative scale means little-endian
    for (size_t k = 0; k < 4; k++) bits |= uint32_t(file[position + k]) << 8 * (scale < 0 ? k : 3 - k);
    image.values[i] = std::bit_cast<float>(bits);
  }
  return image;
}

FloatImage read_pfm(const std::filesystem::path& path) {
  return read_pfm(read_file(path, kMaxFloatFile), path.string());
}

}  // namespace brokkr
