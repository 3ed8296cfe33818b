// Cameras of photogrammetry and of learned scenes.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/mat4x4.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "brokkr/camera.h"

namespace brokkr {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Warning = std::function<void(const std::string&)>;

constexpr uint64_t kMaxFile = uint64_t(256) << 20;  // bytes

void warn_once(std::set<std::string>& said, const Warning& warning, const std::string& line) {
  if (warning && said.insert(line).second) warning(line);
}

// Checks that the camera can be used: its pose only rotates and moves, and its picture is visible.
void check_camera(const std::string& place, const PinholeCamera& camera) {
  const glm::dmat3 turn(camera.world_to_camera);
  const double size = std::abs(glm::determinant(turn));
  bool finite = std::isfinite(camera.focal_y) && std::isfinite(camera.center_x) && std::isfinite(camera.center_y);
  for (int i = 0; i < 16; ++i) finite = finite && std::isfinite(camera.world_to_camera[i / 4][i % 4]);
  if (!finite || !(size > 1e-12 && size < 1e12))
    fail("{}: the pose is not a rotation with a position; export it again", place);
  if (!(camera.focal_x > 1e-3 && camera.focal_x < 1e4 && camera.focal_y >= 0 && camera.focal_y < 1e4))
    fail("{}: the focal length must be 0.001 to 10000 times the picture's width; check its unit, pixels", place);
}

// transforms.json has intrinsics for all frames or for each frame, and poses from the camera to the world
// [Mildenhall20].
class NerfReader {
 public:
  NerfReader(std::string path, const Warning& warning) : path_(std::move(path)), warning_(warning) {}

  std::vector<PinholeCamera> read() {
    const std::vector<std::byte> file = read_file(path_, kMaxFile);
    try {
      root_ = parse_json<Json>(as_text(file));
    } catch (const std::runtime_error& error) {
      fail("{}: this is not JSON ({}); name a transforms.json, or COLMAP's images.txt", path_, error.what());
    }
    if (!root_.is_object() || !root_.contains("frames") || !root_["frames"].is_array() || root_["frames"].empty())
      fail("{}, field 'frames': there is no list of frames; name a transforms.json", path_);
    for (const char* key : {"k1", "k2", "k3", "p1", "p2"}) {
      if (number(root_, key, "").value_or(0) != 0)
        warn_once(said_, warning_,
                  path_ + ": the lens's distortion is left out; undistort the pictures to compare them");
    }
    std::vector<PinholeCamera> cameras;
    for (size_t i = 0; i < root_["frames"].size(); ++i)
      cameras.push_back(camera(root_["frames"][i], fmt::format("{}, frame {}", path_, i)));
    return cameras;
  }

 private:
  std::optional<double> number(const Json& object, const char* key, const std::string& place) const {
    if (!object.is_object() || !object.contains(key)) return std::nullopt;
    if (!object[key].is_number()) fail("{}, field '{}': this is not a number", place.empty() ? path_ : place, key);
    return object[key].get<double>();
  }
  // The number in the frame, otherwise the one for all frames.
  std::optional<double> setting(const Json& frame, const char* key, const std::string& place) const {
    const std::optional<double> own = number(frame, key, place);
    return own ? own : number(root_, key, "");
  }

  static void check_angle(double angle, const char* field, const std::string& place) {
    if (angle > 0 && angle < glm::pi<double>()) return;
    fail("{}, field '{}': {} is not an angle between 0 and pi; give it in radians, not in degrees", place, field,
         angle);
  }

  PinholeCamera camera(const Json& frame, const std::string& place) {
    PinholeCamera result;
    const std::optional<double> w = setting(frame, "w", place), h = setting(frame, "h", place);
    if (w && h && *w >= 1 && *h >= 1 && *w <= kMaxTargetSize && *h <= kMaxTargetSize) {
      result.width = int(*w);
      result.height = int(*h);
    }
    const std::optional<double> fl_x = setting(frame, "fl_x", place), fl_y = setting(frame, "fl_y", place);
    const std::optional<double> angle = setting(frame, "camera_angle_x", place);
    if (fl_x && result.width > 0) {
      result.focal_x = *fl_x / result.width;
      result.focal_y = fl_y.value_or(*fl_x) / result.height;
    } else if (angle) {
      check_angle(*angle, "camera_angle_x", place);
      result.focal_x = 0.5 / std::tan(*angle / 2);
      if (const auto angle_y = setting(frame, "camera_angle_y", place)) {
        check_angle(*angle_y, "camera_angle_y", place);
        result.focal_y = 0.5 / std::tan(*angle_y / 2);
      }
    } else {
      fail("{}: there is neither fl_x with w and h, nor camera_angle_x; add one of them", place);
    }
    const std::optional<double> cx = setting(frame, "cx", place), cy = setting(frame, "cy", place);
    if (cx && cy && result.width > 0) {
      result.center_x = *cx / result.width;
      result.center_y = *cy / result.height;
    }
    result.world_to_camera = glm::inverse(pose(frame, place));
    check_camera(place, result);
    return result;
  }

  glm::dmat4 pose(const Json& frame, const std::string& place) const {
    const auto refuse = [&] { fail("{}, field 'transform_matrix': it must be 3 or 4 rows of 4 numbers", place); };
    if (!frame.is_object() || !frame.contains("transform_matrix")) refuse();
    const Json& rows = frame["transform_matrix"];
    if (!rows.is_array() || rows.size() < 3 || rows.size() > 4) refuse();
    glm::dmat4 matrix(1.0);
    for (size_t row = 0; row < rows.size(); ++row) {
      if (!rows[row].is_array() || rows[row].size() != 4) refuse();
      for (size_t column = 0; column < 4; ++column) {
        if (!rows[row][column].is_number()) refuse();
        matrix[int(column)][int(row)] = rows[row][column].get<double>();
      }
    }
    return matrix;
  }

  std::string path_;
  const Warning& warning_;
  Json root_;
  std::set<std::string> said_;
};

// COLMAP's text files. cameras.txt has intrinsics. images.txt has poses from the world to the camera, which looks along
// +z with y pointing down [Schoenberger16].
class ColmapReader {
 public:
  ColmapReader(fs::path images, const Warning& warning)
      : images_(std::move(images)), lenses_file_(images_.parent_path() / "cameras.txt"), warning_(warning) {}

  std::vector<PinholeCamera> read() {
    read_lenses();
    const std::vector<std::byte> file = read_file(images_, kMaxFile);
    std::istringstream in{std::string(as_text(file))};
    std::vector<PinholeCamera> cameras;
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (is_empty(line)) continue;
      const std::string place = fmt::format("{}, line {}", images_.string(), number);
      std::istringstream words(line);
      int64_t image = 0, lens = 0;
      glm::dquat turn;
      glm::dvec3 move;
      if (!(words >> image >> turn.w >> turn.x >> turn.y >> turn.z >> move.x >> move.y >> move.z >> lens))
        fail("{}: this is not IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME; export the model as text", place);
      const auto found = lenses_.find(lens);
      if (found == lenses_.end()) fail("{}: {} has no camera {}", place, lenses_file_.string(), lens);
      if (!(glm::length(turn) > 1e-12)) fail("{}: the rotation is zero", place);
      PinholeCamera camera = found->second;
      glm::dmat4 pose = glm::mat4_cast(glm::normalize(turn));
      pose[3] = glm::dvec4(move, 1.0);
      glm::dmat4 axes(1.0);
      axes[1][1] = axes[2][2] = -1;
      camera.world_to_camera = axes * pose;
      check_camera(place, camera);
      cameras.push_back(camera);
      std::getline(in, line);  // skips the points that the picture shows
      ++number;
    }
    if (cameras.empty()) fail("{}: there are no images in it", images_.string());
    return cameras;
  }

 private:
  static bool is_empty(const std::string& line) {
    const size_t first = line.find_first_not_of(" \t\r");
    return first == std::string::npos || line[first] == '#';
  }

  void read_lenses() {
    std::error_code ignored;
    if (!fs::exists(lenses_file_, ignored))
      fail("{}: COLMAP's cameras.txt is not beside it; copy it there, or export the model again as text",
           images_.string());
    const std::vector<std::byte> file = read_file(lenses_file_, kMaxFile);
    std::istringstream in{std::string(as_text(file))};
    int number = 0;
    std::set<std::string> said;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (is_empty(line)) continue;
      const std::string place = fmt::format("{}, line {}", lenses_file_.string(), number);
      std::istringstream words(line);
      int64_t id = 0;
      std::string model;
      double width = 0, height = 0;
      if (!(words >> id >> model >> width >> height) || !(width >= 1 && height >= 1) || width > kMaxTargetSize ||
          height > kMaxTargetSize)
        fail("{}: this is not CAMERA_ID MODEL WIDTH HEIGHT PARAMS[]; export the model as text", place);
      std::vector<double> values;
      for (double value = 0; words >> value;) values.push_back(value);
      const bool one_focal = model == "SIMPLE_PINHOLE" || model == "SIMPLE_RADIAL" || model == "RADIAL";
      if (!one_focal && model != "PINHOLE" && model != "OPENCV" && model != "FULL_OPENCV")
        fail("{}: cameras of the model {} are not pinholes; undistort the pictures with `colmap image_undistorter`",
             place, model);
      const size_t plain = one_focal ? 3 : 4;
      if (values.size() < plain)
        fail("{}: {} needs at least {} numbers, but has {}", place, model, plain, values.size());
      for (size_t i = plain; i < values.size(); ++i) {
        if (values[i] != 0)
          warn_once(
              said, warning_,
              lenses_file_.string() + ": the lens's distortion is left out; undistort the pictures to compare them");
      }
      PinholeCamera& lens = lenses_[id];
      lens.width = int(width);
      lens.height = int(height);
      lens.focal_x = values[0] / width;
      lens.focal_y = values[one_focal ? 0 : 1] / height;
      lens.center_x = values[plain - 2] / width;
      lens.center_y = values[plain - 1] / height;
    }
  }

  fs::path images_, lenses_file_;
  const Warning& warning_;
  std::map<int64_t, PinholeCamera> lenses_;
};

// The file with the cameras in a folder.
fs::path file_in(const fs::path& folder) {
  std::error_code ignored;
  for (const char* const name : {"images.txt", "transforms.json", "images.bin"}) {
    if (fs::exists(folder / name, ignored)) return folder / name;
  }
  fail("{}: this folder has neither transforms.json nor COLMAP's images.txt; name one of these files", folder.string());
}

}  // namespace

std::vector<PinholeCamera> read_cameras(const std::string& path,
                                        const std::function<void(const std::string&)>& warning) {
  return typed<FileError>([&] {
    std::error_code ignored;
    fs::path file = path;
    if (fs::is_directory(file, ignored)) file = file_in(file);
    if (file.filename() == "cameras.txt") file.replace_filename("images.txt");  // the lenses; the poses are beside it
    if (file.extension() == ".bin")
      fail("{}: COLMAP's binary files cannot be read; write text with `colmap model_converter --output_type TXT`",
           path);
    std::vector<PinholeCamera> cameras =
        file.extension() == ".txt" ? ColmapReader(file, warning).read() : NerfReader(file.string(), warning).read();
    const auto differs = [&](const PinholeCamera& c) {
      return c.width != cameras[0].width || c.height != cameras[0].height;
    };
    if (warning && std::ranges::any_of(cameras, differs))
      warning(fmt::format("{}: its pictures have different sizes; all views get that of the first, {}x{}", path,
                          cameras[0].width, cameras[0].height));
    return cameras;
  });
}

}  // namespace brokkr
