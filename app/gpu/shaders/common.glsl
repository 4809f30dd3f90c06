/* common.glsl
 * SPDX-License-Identifier: Apache-2.0
 *
 * What every shader begins with. A dispatch finds what it needs to know as words from `first` on,
 * and its tensors from binding 1 on. One invocation per result, in as many rows of groups as the
 * device asks for.
 */
#extension GL_GOOGLE_include_directive : require
#ifdef HALF
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define REAL float16_t
#define TEXELS rgba16f
#else
#define REAL float
#define TEXELS rgba32f
#endif

layout (local_size_x = 64) in;
layout (constant_id = 0) const uint OP = 0;
/* A bit for each tensor that is a texture. */
layout (constant_id = 1) const uint TEXTURES = 0;
layout (push_constant) uniform Push
{
  uint first;
  uint shapes;
} push;
layout (std430, binding = 0) readonly buffer Words
{
  int words[];
};

int
word (int at)
{
  return words[push.first + at];
}

float
number (int at)
{
  return intBitsToFloat (words[push.first + at]);
}

/* Bounds take effect in this order, and pass on what is no number. */
float
bound (float value, float low, float high)
{
  float raised = value < low ? low : value;

  return raised > high ? high : raised;
}

int
place ()
{
  return int (gl_GlobalInvocationID.x +
              gl_GlobalInvocationID.y * gl_NumWorkGroups.x * gl_WorkGroupSize.x);
}

#define READS(at, type, name)                                                                      \
  layout (std430, binding = at) readonly buffer Buffer##at { type name[]; }
#define WRITES(at, type, name)                                                                     \
  layout (std430, binding = at) writeonly buffer Buffer##at { type name[]; }

/* LOADS: a tensor to read, element by element, as name (index). STORES: the tensor to write, each
 * element made by make (index), and the whole of main (). With BOTH any of them may be a texture; an
 * invocation makes a texel there, and what that has beyond the end of a line is 0. */
#ifndef BOTH
#define LOADS(at, name)                                                                            \
  READS (at, REAL, name##_buffer);                                                                 \
  float name (int i)                                                                               \
  {                                                                                                \
    return float (name##_buffer[i]);                                                               \
  }
#define STORES(at, name)                                                                           \
  WRITES (at, REAL, name##_buffer);                                                                \
  REAL make (int i);                                                                               \
  void main ()                                                                                     \
  {                                                                                                \
    int i = place ();                                                                              \
    if (i < word (0))                                                                              \
      name##_buffer[i] = make (i);                                                                 \
  }
#else
/* Width and height of a tensor that is a texture; its texels have four elements of a line each. */
ivec2
shape_of (int tensor)
{
  return ivec2 (words[push.shapes + 2 * tensor], words[push.shapes + 2 * tensor + 1]);
}

/* The texel of an element, and which of its four the element is. */
ivec4
texel_of (int tensor, int i)
{
  ivec2 shape = shape_of (tensor);
  int x = i % shape.x;

  return ivec4 (x / 4, i / shape.x % shape.y, i / (shape.x * shape.y), x % 4);
}

#define LOADS(at, name)                                                                            \
  READS (at, REAL, name##_buffer);                                                                 \
  layout (TEXELS, binding = at + 4) uniform readonly image3D name##_texture;                       \
  float name (int i)                                                                               \
  {                                                                                                \
    ivec4 texel;                                                                                   \
    if ((TEXTURES >> (at - 1) & 1u) == 0u)                                                         \
      return float (name##_buffer[i]);                                                             \
    texel = texel_of (at - 1, i);                                                                  \
    return imageLoad (name##_texture, texel.xyz)[texel.w];                                         \
  }

#define STORES(at, name)                                                                           \
  WRITES (at, REAL, name##_buffer);                                                                \
  layout (TEXELS, binding = at + 4) uniform writeonly image3D name##_texture;                      \
  REAL make (int i);                                                                               \
  void main ()                                                                                     \
  {                                                                                                \
    int i = place ();                                                                              \
    ivec2 shape;                                                                                   \
    ivec3 texel;                                                                                   \
    vec4 made = vec4 (0.0);                                                                        \
    if (i >= word (0))                                                                             \
      return;                                                                                      \
    if ((TEXTURES >> (at - 1) & 1u) == 0u)                                                         \
      {                                                                                            \
        name##_buffer[i] = make (i);                                                               \
        return;                                                                                    \
      }                                                                                            \
    shape = shape_of (at - 1);                                                                     \
    texel.x = i % ((shape.x + 3) / 4);                                                             \
    texel.y = i / ((shape.x + 3) / 4) % shape.y;                                                   \
    texel.z = i / ((shape.x + 3) / 4 * shape.y);                                                   \
    for (int j = 0; j < 4; j++)                                                                    \
      if (texel.x * 4 + j < shape.x)                                                               \
        made[j] = float (make ((texel.z * shape.y + texel.y) * shape.x + texel.x * 4 + j));        \
    imageStore (name##_texture, texel, made);                                                      \
  }
#endif
