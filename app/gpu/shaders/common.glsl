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
#else
#define REAL float
#endif

layout (local_size_x = 64) in;
layout (constant_id = 0) const uint OP = 0;
layout (push_constant) uniform Push
{
  uint first;
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
