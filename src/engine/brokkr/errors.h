// Exceptions of the library. All are std::runtime_error, and what() is one line: file, field, problem; remedy.
// Arguments that no input could make right (an option out of range, a frame that changed) are std::invalid_argument.
#pragma once

#include <stdexcept>
#include <string>

#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

class Error : public std::runtime_error {
 public:
  // `message`: "[FILE: ]… field 'FIELD' …; REMEDY". The parts in brackets and after the last "; " may be missing.
  explicit Error(const std::string& message);
  ~Error() override;
  // The parts of the message; empty if it does not have the part. problem() is the message without the remedy.
  const std::string& field() const { return field_; }
  const std::string& remedy() const { return remedy_; }
  std::string problem() const;

 private:
  std::string field_, remedy_;
};

// A file, a frame or a generated scene cannot be used.
class FileError : public Error {
 public:
  using Error::Error;
  ~FileError() override;
};

// A shader has mistakes, or lacks the uniforms or textures that were given.
class ShaderError : public Error {
 public:
  explicit ShaderError(const std::string& message);  // "NAME[:LINE]: …"
  ~ShaderError() override;
  const std::string& name() const { return name_; }  // FragmentShader::name
  int line() const { return line_; }                 // from 1; 0: unknown

 private:
  std::string name_;
  int line_ = 0;
};

// A limit does not allow so much memory or so large an input. LoadOptions and RenderOptions have `memory_limit`.
class MemoryLimitError : public Error {
 public:
  using Error::Error;
  ~MemoryLimitError() override;
};

// A machine is missing or cannot run the frame: for example, a GPU hangs or a compiler is missing.
class MachineError : public Error {
 public:
  using Error::Error;
  ~MachineError() override;
};

}  // namespace brokkr
#pragma GCC visibility pop
