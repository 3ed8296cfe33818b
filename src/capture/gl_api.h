// The OpenGL functions that the layer itself calls, as the driver has them. Never through the exported names: those are
// the layer's own hooks.
#pragma once

#ifndef GL_GLEXT_PROTOTYPES
#define GL_GLEXT_PROTOTYPES
#endif
#include <GL/gl.h>
#include <GL/glext.h>

namespace brokkr::capture {

#define BROKKR_GL_FUNCTIONS(X)                   \
  X(AttachShader)                                \
  X(Begin)                                       \
  X(BeginConditionalRender)                      \
  X(BeginQuery)                                  \
  X(BeginTransformFeedback)                      \
  X(BindBuffer)                                  \
  X(BindBufferBase)                              \
  X(BindBufferRange)                             \
  X(BindFramebuffer)                             \
  X(BindRenderbuffer)                            \
  X(BindTexture)                                 \
  X(BindTransformFeedback)                       \
  X(Bitmap)                                      \
  X(BlitFramebuffer)                             \
  X(BlitNamedFramebuffer)                        \
  X(BufferData)                                  \
  X(CallList)                                    \
  X(CallLists)                                   \
  X(CheckFramebufferStatus)                      \
  X(Clear)                                       \
  X(ClearBufferfi)                               \
  X(ClearBufferfv)                               \
  X(ClearBufferiv)                               \
  X(ClearBufferuiv)                              \
  X(ClearNamedFramebufferfi)                     \
  X(ClearNamedFramebufferfv)                     \
  X(ClearNamedFramebufferiv)                     \
  X(ClearNamedFramebufferuiv)                    \
  X(CompileShader)                               \
  X(CopyPixels)                                  \
  X(CreateProgram)                               \
  X(CreateProgramObjectARB)                      \
  X(CreateShader)                                \
  X(CreateShaderProgramv)                        \
  X(DeleteBuffers)                               \
  X(DeleteFramebuffers)                          \
  X(DeleteLists)                                 \
  X(DeleteProgram)                               \
  X(DeleteQueries)                               \
  X(DeleteRenderbuffers)                         \
  X(DeleteShader)                                \
  X(DeleteTextures)                              \
  X(DeleteTransformFeedbacks)                    \
  X(DetachShader)                                \
  X(Disable)                                     \
  X(DrawArrays)                                  \
  X(DrawArraysIndirect)                          \
  X(DrawArraysInstanced)                         \
  X(DrawArraysInstancedBaseInstance)             \
  X(DrawBuffer)                                  \
  X(DrawElements)                                \
  X(DrawElementsBaseVertex)                      \
  X(DrawElementsIndirect)                        \
  X(DrawElementsInstanced)                       \
  X(DrawElementsInstancedBaseInstance)           \
  X(DrawElementsInstancedBaseVertex)             \
  X(DrawElementsInstancedBaseVertexBaseInstance) \
  X(DrawPixels)                                  \
  X(DrawRangeElements)                           \
  X(DrawRangeElementsBaseVertex)                 \
  X(DrawTransformFeedback)                       \
  X(DrawTransformFeedbackInstanced)              \
  X(DrawTransformFeedbackStream)                 \
  X(DrawTransformFeedbackStreamInstanced)        \
  X(Enable)                                      \
  X(End)                                         \
  X(EndConditionalRender)                        \
  X(EndList)                                     \
  X(EndQuery)                                    \
  X(EndTransformFeedback)                        \
  X(EvalMesh1)                                   \
  X(EvalMesh2)                                   \
  X(FramebufferRenderbuffer)                     \
  X(FramebufferTexture)                          \
  X(FramebufferTexture2D)                        \
  X(FramebufferTextureLayer)                     \
  X(GenBuffers)                                  \
  X(GenFramebuffers)                             \
  X(GenLists)                                    \
  X(GenQueries)                                  \
  X(GenRenderbuffers)                            \
  X(GenTransformFeedbacks)                       \
  X(GetAttachedShaders)                          \
  X(GetBooleanv)                                 \
  X(GetBooleani_v)                               \
  X(GetBufferParameteri64v)                      \
  X(GetBufferParameteriv)                        \
  X(GetBufferSubData)                            \
  X(GetError)                                    \
  X(GetFloatv)                                   \
  X(GetFramebufferAttachmentParameteriv)         \
  X(GetInteger64i_v)                             \
  X(GetIntegeri_v)                               \
  X(GetIntegerv)                                 \
  X(GetProgramBinary)                            \
  X(GetProgramPipelineiv)                        \
  X(GetProgramStringARB)                         \
  X(GetProgramiv)                                \
  X(GetProgramivARB)                             \
  X(GetQueryObjectuiv)                           \
  X(GetQueryiv)                                  \
  X(GetRenderbufferParameteriv)                  \
  X(GetShaderSource)                             \
  X(GetShaderiv)                                 \
  X(GetString)                                   \
  X(GetStringi)                                  \
  X(GetTexLevelParameteriv)                      \
  X(GetTransformFeedbackVarying)                 \
  X(GetVertexAttribiv)                           \
  X(IsEnabled)                                   \
  X(IsRenderbuffer)                              \
  X(IsTexture)                                   \
  X(LinkProgram)                                 \
  X(LinkProgramARB)                              \
  X(LoadMatrixf)                                 \
  X(MatrixMode)                                  \
  X(MultiDrawArrays)                             \
  X(MultiDrawArraysIndirect)                     \
  X(MultiDrawArraysIndirectCount)                \
  X(MultiDrawElements)                           \
  X(MultiDrawElementsBaseVertex)                 \
  X(MultiDrawElementsIndirect)                   \
  X(MultiDrawElementsIndirectCount)              \
  X(NewList)                                     \
  X(PauseTransformFeedback)                      \
  X(PixelStorei)                                 \
  X(PixelTransferf)                              \
  X(PixelTransferi)                              \
  X(PopAttrib)                                   \
  X(PopClientAttrib)                             \
  X(PopMatrix)                                   \
  X(PopName)                                     \
  X(ProgramBinary)                               \
  X(ProgramParameteri)                           \
  X(PushAttrib)                                  \
  X(PushClientAttrib)                            \
  X(PushMatrix)                                  \
  X(ReadBuffer)                                  \
  X(ReadPixels)                                  \
  X(Rectd)                                       \
  X(Rectdv)                                      \
  X(Rectf)                                       \
  X(Rectfv)                                      \
  X(Recti)                                       \
  X(Rectiv)                                      \
  X(Rects)                                       \
  X(Rectsv)                                      \
  X(RenderbufferStorage)                         \
  X(ResumeTransformFeedback)                     \
  X(ShaderSource)                                \
  X(TransformFeedbackVaryings)                   \
  X(UseProgram)                                  \
  X(Vertex4f)

// A pointer is null where the driver lacks the function; one that is not null says nothing about whether the context
// has it (ContextInfo does).
struct GlApi {
#define BROKKR_GL_POINTER(name) decltype(&::gl##name) name = nullptr;
  BROKKR_GL_FUNCTIONS(BROKKR_GL_POINTER)
#undef BROKKR_GL_POINTER
};

// Looked up on the first call, which a GL library must precede: call it from hooks only.
const GlApi& gl();

// The driver's function of that name, or null: what glXGetProcAddress, eglGetProcAddress or the library has.
void* find_gl_function(const char* name);

}  // namespace brokkr::capture
