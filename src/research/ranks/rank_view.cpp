#include "ranks/rank_view.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "app/input.h"
#include "app/pipeline_options.h"
#include "base/loading.h"
#include "brokkr/load.h"
#include "brokkr/version.h"
#include "plan/options.h"
#include "ranks/render.h"
#include "ranks/settings.h"
#include "ranks/square_link.h"
#include "ranks/transport.h"
#include "viewer/loader.h"
#include "viewer/panel.h"
#include "viewer/render_thread.h"

namespace brokkr::viewer {

// A request for a frame, sent to the other ranks.
struct RankRequest {
  bool end = false;     // the window was closed; other members are empty
  std::string version;  // version of rank 0's program
  uint64_t scene = 0;   // equal numbers mean equal scenes
  std::string path;     // path of the scene
  LoadOptions load;     // options that the scene was loaded with
  FrameSettings settings;
  std::optional<Camera> camera;
  // The user's own shader is sent when it changes. If this is true, settings.shader holds it.
  bool has_shader = false;
};

// `with_shader`: the other ranks do not have settings.shader yet.
ranks::Message pack_request(const RankRequest& request, bool with_shader);
// Throws std::runtime_error if the message is not a request of this version, and what set_option throws.
RankRequest unpack_request(const ranks::Message& message);

namespace {

using nlohmann::json;

json vector_json(const glm::vec3& vector) { return {vector.x, vector.y, vector.z}; }
glm::vec3 vector_of(const json& from) {
  return {from.at(0).get<float>(), from.at(1).get<float>(), from.at(2).get<float>()};
}

json camera_json(const Camera& c) {
  return {{"eye", vector_json(c.eye)}, {"target", vector_json(c.target)},
          {"up", vector_json(c.up)},   {"fov", c.fov},
          {"near", c.near_plane},      {"far", c.far_plane}};
}
Camera camera_from(const json& from) {
  const auto number = [&](const char* name) { return from.at(name).get<float>(); };
  return {vector_of(from.at("eye")),
          vector_of(from.at("target")),
          vector_of(from.at("up")),
          number("fov"),
          number("near"),
          number("far")};
}

json shader_json(const FragmentShader& shader) {
  json textures = json::object();
  for (const auto& [name, image] : shader.textures) {
    const auto* const bytes = reinterpret_cast<const uint8_t*>(image.texels.data());
    textures[name] = {
        {"width", image.width},
        {"height", image.height},
        {"alpha", image.has_alpha},
        {"texels", json::binary(std::vector<uint8_t>(bytes, bytes + image.texels.size() * sizeof(uint32_t)))}};
  }
  return {{"text", shader.text},
          {"name", shader.name},
          {"uniforms", shader.uniforms},
          {"time", shader.time},
          {"vertex", shader.vertex.text},
          {"vertex_name", shader.vertex.name},
          {"instances", shader.vertex.instances},
          {"textures", textures}};
}
std::shared_ptr<const FragmentShader> shader_from(const json& from) {
  auto shader = std::make_shared<FragmentShader>();
  from.at("text").get_to(shader->text);
  from.at("name").get_to(shader->name);
  from.at("uniforms").get_to(shader->uniforms);
  from.at("time").get_to(shader->time);
  from.at("vertex").get_to(shader->vertex.text);
  from.at("vertex_name").get_to(shader->vertex.name);
  from.at("instances").get_to(shader->vertex.instances);
  for (const auto& [name, texture] : from.at("textures").items()) {
    Image& image = shader->textures[name];
    texture.at("width").get_to(image.width);
    texture.at("height").get_to(image.height);
    texture.at("alpha").get_to(image.has_alpha);
    const auto& bytes = texture.at("texels").get_binary();
    image.texels.resize(bytes.size() / sizeof(uint32_t));
    std::copy_n(bytes.data(), image.texels.size() * sizeof(uint32_t), reinterpret_cast<uint8_t*>(image.texels.data()));
  }
  return shader;
}

json load_json(const LoadOptions& load) {
  return {{"width", load.width},
          {"height", load.height},
          {"camera", load.camera},
          {"views", load.views},
          {"view_size", load.view_size}};
}
LoadOptions load_from(const json& from) {
  LoadOptions load;
  from.at("width").get_to(load.width);
  from.at("height").get_to(load.height);
  from.at("camera").get_to(load.camera);
  from.at("views").get_to(load.views);
  from.at("view_size").get_to(load.view_size);
  return load;
}

json settings_json(const FrameSettings& s, bool with_shader) {
  json settings = {{"options", option_texts(s.options)},
                   {"keep_ids", s.options.keep_ids},
                   {"keep_stamps", s.options.keep_stamps},
                   {"trace", s.options.trace},
                   {"width", s.width},
                   {"height", s.height},
                   {"target", s.target},
                   {"layer", s.layer},
                   {"hidden", s.hidden_commands},
                   {"uniforms", s.uniforms}};
  if (s.options.command_limit) settings["command_limit"] = *s.options.command_limit;
  if (s.shader) settings["shader"] = with_shader ? shader_json(*s.shader) : json("as before");
  return settings;
}
FrameSettings settings_from(const json& from, bool& has_shader) {
  FrameSettings s;
  const auto texts = from.at("options").get<std::map<std::string, std::string>>();
  for (const auto& [name, text] : texts) set_option(s.options, name, text);
  from.at("keep_ids").get_to(s.options.keep_ids);
  from.at("keep_stamps").get_to(s.options.keep_stamps);
  from.at("trace").get_to(s.options.trace);
  from.at("width").get_to(s.width);
  from.at("height").get_to(s.height);
  from.at("target").get_to(s.target);
  from.at("layer").get_to(s.layer);
  from.at("hidden").get_to(s.hidden_commands);
  from.at("uniforms").get_to(s.uniforms);
  if (from.contains("command_limit")) s.options.command_limit = from.at("command_limit").get<uint32_t>();
  has_shader = from.contains("shader");
  if (has_shader && from.at("shader").is_object()) s.shader = shader_from(from.at("shader"));
  return s;
}

}  // namespace

ranks::Message pack_request(const RankRequest& r, bool with_shader) {
  json request = {{"end", r.end}, {"version", BROKKR_VERSION}};
  if (!r.end) {
    request["scene"] = r.scene;
    request["path"] = r.path;
    request["load"] = load_json(r.load);
    request["settings"] = settings_json(r.settings, with_shader);
    if (r.camera) request["camera"] = camera_json(*r.camera);
  }
  const std::vector<uint8_t> bytes = json::to_cbor(request);
  ranks::Message message;
  ranks::append<uint8_t>(message, bytes);
  return message;
}

RankRequest unpack_request(const ranks::Message& message) try {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(message.data());
  const json request = json::from_cbor(bytes, bytes + message.size());
  RankRequest r;
  request.at("end").get_to(r.end);
  request.at("version").get_to(r.version);
  if (r.end) return r;
  if (r.version != BROKKR_VERSION)
    throw std::runtime_error("version is '" BROKKR_VERSION "' there and '" + r.version +
                             "' at rank 0; give all ranks the same");
  request.at("scene").get_to(r.scene);
  request.at("path").get_to(r.path);
  r.load = load_from(request.at("load"));
  r.settings = settings_from(request.at("settings"), r.has_shader);
  if (request.contains("camera")) r.camera = camera_from(request.at("camera"));
  return r;
} catch (const nlohmann::json::exception& error) {
  throw std::runtime_error(std::string("a request of rank 0 cannot be read: ") + error.what());
}

namespace {

// Rank 0's answer to all ranks: how the frame is drawn. Any other text is the reason why it is not.
constexpr const char *kTogether = "together", *kAlone = "alone";

std::string hash_text(const Frame& frame) { return std::to_string(ranks::frame_hash(frame)); }

// Other ranks may wait for this one, so end all of them.
[[noreturn]] void end_everything(ranks::Transport& transport, const std::exception& error) {
  const auto* const no_memory = dynamic_cast<const std::bad_alloc*>(&error);
  std::cerr << "brokkr: rank " + std::to_string(transport.rank()) + " on " + transport.host() + ": " +
                   (no_memory != nullptr ? "there is not enough memory" : error.what()) + "\n"
            << std::flush;
  transport.end_all(app::kFailure);
  std::abort();
}

// A rank without a window.
class Server {
 public:
  Server(const app::Arguments& arguments, ranks::Transport& transport)
      : settings_(app::rank_settings(arguments)),
        machine_options_(app::render_options(arguments)),
        talk_(transport, settings_.timeout_s) {}

  void run() {
    for (;;) {
      const ranks::Message message = talk_.await(0, ranks::Channel::hello);
      std::string said;
      bool ends = false;
      try {
        ends = take(message);
      } catch (const std::bad_alloc&) {
        said = "there is not enough memory";
      } catch (const std::exception& error) {
        said = error.what();
      }
      if (ends) return;
      // Send the hash of this rank's frame, or "!" and the reason why there is none.
      talk_.send(0, ranks::Channel::report, ranks::message_of(said.empty() ? hash_ : "!" + said));
      if (ranks::text_of(talk_.receive(0, ranks::Channel::hello)) != kTogether) continue;
      ranks::render(renderer_, *frame_.prepared, request_.settings.options, settings_, {{frame_.target, kPlaneColor}},
                    talk_);
    }
  }

 private:
  // Prepares the requested frame. Returns true if the window was closed instead.
  bool take(const ranks::Message& message) {
    RankRequest asked = unpack_request(message);
    if (asked.end) return true;
    if (asked.settings.shader) shader_ = asked.settings.shader;
    if (asked.has_shader) asked.settings.shader = shader_;
    // Each rank has its own machine.
    RenderOptions& options = asked.settings.options;
    options.machine = machine_options_.machine;
    options.isa = machine_options_.isa;
    options.workers = machine_options_.workers;
    options.warps_per_block = machine_options_.warps_per_block;
    options.memory_limit = machine_options_.memory_limit;
    options.gpu_timeout_s = machine_options_.gpu_timeout_s;
    request_ = {scene_of(asked), asked.settings, asked.camera, Clock::now()};
    LoadOptions load;
    load.memory_limit = machine_options_.memory_limit;
    frame_.update(renderer_, request_, load);
    return false;
  }

  // The scene that rank 0 has. This rank keeps some scenes, because a sequence repeats them.
  std::shared_ptr<const Scene> scene_of(const RankRequest& asked) {
    for (const Kept& kept : kept_) {
      if (kept.number != asked.scene) continue;
      hash_ = kept.hash;
      return kept.scene;
    }
    LoadOptions load = asked.load;
    load.memory_limit = machine_options_.memory_limit;
    auto scene = make_scene(asked.path, load_frame(asked.path, load), 0, asked.load);
    hash_ = hash_text(scene->frame);
    kept_.push_back({asked.scene, scene, hash_, memory_of(scene->frame)});
    uint64_t sum = 0;
    for (const Kept& kept : kept_) sum += kept.bytes;
    while (sum > Loader::kCacheBytes && kept_.size() > 1) {
      sum -= kept_.front().bytes;
      kept_.erase(kept_.begin());
    }
    return scene;
  }

  struct Kept {
    uint64_t number;
    std::shared_ptr<const Scene> scene;
    std::string hash;
    uint64_t bytes;
  };

  ranks::RankSettings settings_;
  RenderOptions machine_options_;
  ranks::Talk talk_;
  Renderer renderer_;
  WorkingFrame frame_;
  RenderRequest request_;
  std::vector<Kept> kept_;
  std::string hash_;
  std::shared_ptr<const FragmentShader> shader_;
};

}  // namespace

void RankView::begin() {
  transport_ = ranks::open_transport();
  talk_.emplace(*transport_, settings_.timeout_s);
  if (size() > ranks::kMaxRanks)
    throw std::runtime_error("ranks: " + std::to_string(size()) + " are too many for one window; start " +
                             std::to_string(ranks::kMaxRanks) + " at most");
}

// Scenes are identified by their objects, so a file that was written again is another scene.
uint64_t RankView::number_of(const std::shared_ptr<const Scene>& scene, std::string& hash) {
  std::erase_if(numbers_, [](const auto& known) { return known.first.expired(); });
  for (const auto& [known, number] : numbers_) {
    if (known.lock() == scene) return number;
  }
  hash = hash_text(scene->frame);
  numbers_.emplace_back(scene, ++last_number_);
  return last_number_;
}

// The reason why some rank failed to make the frame; empty if none did.
std::string RankView::hear(const std::string& path, const std::string& hash) {
  std::string refused;
  for (int from = 1; from < talk_->size(); ++from) {
    const std::string said = ranks::text_of(talk_->receive(from, ranks::Channel::report));
    if (!refused.empty()) continue;
    const std::string who = "rank " + std::to_string(from) + ": ";
    if (said.starts_with('!')) refused = who + said.substr(1);
    if (!said.starts_with('!') && !hash.empty() && said != hash)
      refused = who + path + " is a different scene there than at rank 0; give all ranks the same file";
  }
  return refused;
}

bool RankView::prepare(const RenderRequest& request, const std::function<const PreparedFrame&()>& update) {
  std::string hash, alone, refused;
  RankRequest asked;
  asked.scene = number_of(request.scene, hash);
  asked.path = request.scene->path;
  asked.load = request.scene->load;
  asked.settings = request.settings;
  asked.camera = request.camera;
  std::exception_ptr failure;
  try {
    talk_->send_all(ranks::Channel::hello, pack_request(asked, request.settings.shader != shader_));
    if (request.settings.shader) shader_ = request.settings.shader;
    try {
      alone = ranks::why_not(update(), request.settings.options);
    } catch (...) {
      failure = std::current_exception();
    }
    refused = hear(asked.path, hash);
    const bool together = !failure && refused.empty() && alone.empty();
    talk_->send_all(ranks::Channel::hello, ranks::message_of(together ? kTogether : kAlone));
    talk_->flush();
  } catch (const std::exception& error) {
    end_everything(*transport_, error);
  }
  if (!refused.empty()) {  // the others' state is unknown, so send everything again
    numbers_.clear();
    shader_.reset();
  }
  if (failure) std::rethrow_exception(failure);
  if (!refused.empty()) throw std::runtime_error(refused);
  return alone.empty();
}

RenderResult RankView::render(Renderer& renderer, PreparedFrame& frame, const RenderOptions& options, uint32_t target) {
  try {
    auto [result, report] = ranks::render(renderer, frame, options, settings_, {{target, kPlaneColor}}, *talk_);
    result.statistics.triangles_in = report.frame_primitives;
    result.statistics.frame_ms = report.frame_ms;
    return result;
  } catch (const std::exception& error) {
    end_everything(*transport_, error);
  }
}

void RankView::end() {
  if (!talk_) return;
  try {
    RankRequest last;
    last.end = true;
    talk_->send_all(ranks::Channel::hello, pack_request(last, false));
    talk_->flush();
    transport_->finish();
  } catch (const std::exception& error) {
    end_everything(*transport_, error);
  }
}

// Runs a rank without a window until the window is closed. Returns the exit code.
static int serve_window(const app::Arguments& arguments) {
  // The window's thread has priority if it is on the same computer.
  setpriority(PRIO_PROCESS, 0, 10);
  ranks::choose_device();
  const std::unique_ptr<ranks::Transport> transport = ranks::open_transport();
  try {
    Server(arguments, *transport).run();
    transport->finish();
    return app::kSuccess;
  } catch (const std::exception& error) {
    end_everything(*transport, error);
  }
}

Module ranks_view_module() {
  Module module;
  module.view = app::ranks_view_part();
  module.share = [](const app::Arguments& arguments) -> std::unique_ptr<FrameSharing> {
    if (!app::draws_together(arguments)) return nullptr;
    return std::make_unique<RankView>(app::rank_settings(arguments));
  };
  module.serve = serve_window;
  return module;
}

}  // namespace brokkr::viewer
