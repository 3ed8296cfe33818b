#include "ranks/rank_request.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

#include "brokkr/version.h"
#include "plan/options.h"

namespace brokkr::viewer {
namespace {

using nlohmann::json;

json vector_json(const glm::vec3& v) { return {v.x, v.y, v.z}; }
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
          {"textures", textures}};
}
std::shared_ptr<const FragmentShader> shader_from(const json& from) {
  auto shader = std::make_shared<FragmentShader>();
  from.at("text").get_to(shader->text);
  from.at("name").get_to(shader->name);
  from.at("uniforms").get_to(shader->uniforms);
  from.at("time").get_to(shader->time);
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
                   {"hidden", s.hidden_commands}};
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

}  // namespace brokkr::viewer
