#include "log/manifest.h"

#include <openssl/evp.h>

#include <array>
#include <span>
#include <stdexcept>
#include <variant>

#include "brokkr/renderer.h"
#include "brokkr/version.h"
#include "log/json_text.h"
#include "log/machine_facts.h"
#include "pipeline/options.h"
#include "scene/file_io.h"

namespace brokkr {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMostSceneBytes = uint64_t(1) << 34;

void check(int result) {
  if (result != 1) throw std::runtime_error("SHA-256: libcrypto failed; is its configuration whole?");
}

template <class T>
void add_array(Sha256& hash, const std::vector<T>& values) {
  const uint64_t count = values.size();  // hashed too: a value that moves from one array to the next changes the hash
  hash.add(std::as_bytes(std::span(&count, 1)));
  hash.add(std::as_bytes(std::span(values)));
}

std::string geometry_hash(const Frame& frame) {
  Sha256 hash;
  add_array(hash, frame.positions);
  add_array(hash, frame.indices);
  add_array(hash, frame.normals);
  add_array(hash, frame.texcoords);
  add_array(hash, frame.models);
  return hash.hex();
}

}  // namespace

struct Sha256::Context {
  EVP_MD_CTX* digest = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(digest); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  check(context_->digest != nullptr);
  check(EVP_DigestInit_ex(context_->digest, EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) {
  check(EVP_DigestUpdate(context_->digest, bytes.data(), bytes.size()));
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned length = 0;
  check(EVP_DigestFinal_ex(context_->digest, bytes.data(), &length));
  std::string text;
  for (unsigned i = 0; i < length; ++i) {
    constexpr const char* kDigits = "0123456789abcdef";
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::filesystem::path manifest_path(const std::filesystem::path& log) {
  return std::filesystem::path(log).replace_extension(".json");
}

Json scene_json(const std::string& path, const Frame& frame) {
  Json json = {{"file", path}};
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) {
    const std::vector<std::byte> bytes = read_file(path, kMostSceneBytes);
    Sha256 hash;
    hash.add(bytes);
    json["bytes"] = bytes.size();
    json["sha256"] = hash.hex();
  } else {
    json["bytes"] = nullptr;
    json["sha256"] = nullptr;
  }
  json["geometry_sha256"] = geometry_hash(frame);
  json["application"] = frame.application;
  json["frame_number"] = frame.frame_number;
  const Target& target = frame.targets.at(main_target(frame));
  json["width"] = target.width;
  json["height"] = target.height;
  json["layers"] = target.layers;
  uint64_t draws = 0;
  for (const Command& command : frame.commands) draws += std::holds_alternative<DrawCommand>(command);
  json["draws"] = draws;
  json["triangles"] = triangle_count(frame);
  return json;
}

Json settings_json(const RenderOptions& options, const Statistics& s) {
  Json json = Json::object();
  for (const auto& [name, text] : option_texts(options)) json[name] = text;
  json["used"] = {{"machine", s.machine}, {"isa", s.isa}, {"workers", s.workers},         {"warps", s.warps_per_block},
                  {"lanes", s.width},     {"bin", s.bin}, {"rasterizers", s.rasterizers}, {"pattern", s.pattern}};
  return json;
}

Json machine_json(const Statistics& s) {
  const MachineFacts facts = machine_facts();
  Json json = {{"processor", facts.processor},     {"cores", facts.cores},
               {"virtual", facts.virtual_machine}, {"memory_gib", double(facts.memory_kib) / (1 << 20)},
               {"system", facts.system},           {"kernel", facts.kernel},
               {"governor", facts.governor},       {"gpu", facts.gpu},
               {"gpu_driver", facts.driver}};
  // The machine that drew, by the name that find_machines gives it.
  for (const MachineInfo& machine : find_machines()) {
    const bool cuda = machine.kind == MachineKind::cuda && s.machine == "cuda";
    if (cuda && machine.available) json["renderer"] = machine.name + " " + machine.isa;
  }
  if (!json.contains("renderer")) json["renderer"] = s.machine + " " + s.isa;
  return json;
}

Json statistics_json(const FrameStatistics& s) {
  return {{"frames", s.frames},
          {"mean_ms", s.mean_ms},
          {"least_ms", s.least_ms},
          {"most_ms", s.most_ms},
          {"median_ms", s.median_ms},
          {"p95_ms", s.p95_ms},
          {"p99_ms", s.p99_ms},
          {"p99.9_ms", s.p999_ms},
          {"one_percent_low_fps", s.one_percent_low_fps},
          {"one_percent_low_formula", kOnePercentLowFormula}};
}

Json manifest_json(const LogSession& session, Json scene, const RenderOptions& options, const Statistics& last,
                   const std::vector<double>& frame_ms) {
  Json json = {{"kind", kLogKind},
               {"format", kLogVersion},
               {"log", session.log.filename().string()},
               {"log_format", log_format_name(session.format)},
               {"version", BROKKR_VERSION},
               {"commit", program_commit()},
               {"command", command_line()},
               {"begun", session.begun},
               {"written", utc_now()},
               {"scene", std::move(scene)},
               {"camera", session.camera},
               {"settings", settings_json(options, last)},
               {"machine", machine_json(last)},
               {"window", nullptr},
               {"driver", session.source.driver},
               {"cut_off_frames", session.cut_off},
               {"statistics", statistics_json(frame_statistics(frame_ms))}};
  if (session.source.swap_chain != 0) {
    json["window"] = {{"runtime", session.source.runtime},
                      {"renderer", session.source.gpu},
                      {"sync_interval", session.source.sync_interval},
                      {"present_mode", session.source.present_mode}};
  }
  return json;
}

void write_json(const std::filesystem::path& path, const Json& json) { write_text(path, json_text(json)); }

}  // namespace brokkr
