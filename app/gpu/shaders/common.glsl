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
#define REALS f16vec4
#else
#define REAL float
#define TEXELS rgba32f
#define REALS vec4
#endif

layout (local_size_x = 64) in;
layout (constant_id = 0) const uint OP = 0;
/* A bit for each tensor that is a texture. */
layout (constant_id = 1) const uint TEXTURES = 0;
/* A bit for each tensor that the device reads in vec4. */
layout (constant_id = 2) const uint VIEWS = 0;
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

/* A quotient of what is not negative, below 2^30. Processors have no division of whole numbers for
 * several at a time; the second step mends what the first is off for large ones. */
int
quotient (int i, int n)
{
  float inverse = 1.0 / float (n);
  int q = int (float (i) * inverse);
  int rest = i - q * n;
  int more = int (floor (float (rest) * inverse));

  q += more;
  rest -= more * n;
  return q + int (rest >= n) - int (rest < 0);
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

/* VEC4: a tensor to read, four elements at a time, as name_four (number of the four). A device reads
 * them through a view, or from the buffer where the tensor has more elements than its views. What is
 * behind the end of a tensor is of any value. WRITES_VEC4: a tensor to write, as name_buffer by
 * elements and as name_vec4 by vec4. */
#define VEC4(at, name)                                                                            \
  READS (at, REAL, name##_buffer);                                                                 \
  layout (binding = at + 8) uniform textureBuffer name##_view;                                     \
  vec4 name##_four (int i)                                                                         \
  {                                                                                                \
    if ((VIEWS >> (at - 1) & 1u) != 0u)                                                            \
      return texelFetch (name##_view, i);                                                          \
    return vec4 (name##_buffer[4 * i], name##_buffer[4 * i + 1], name##_buffer[4 * i + 2],         \
                 name##_buffer[4 * i + 3]);                                                        \
  }
#define WRITES_VEC4(at, name)                                                                     \
  WRITES (at, REAL, name##_buffer);                                                                \
  layout (std430, binding = at) writeonly buffer Vec4##at { REALS name##_vec4[]; }

/* ROWS_IN, ROWS_OUT: what VEC4 and WRITES_VEC4 say of a tensor, which with BOTH may be a texture as
 * well: name_row_four (number of the line, number of the four in it) and name_row_put (the same, the
 * four). A line ends with whole vec4 there. */
#ifndef BOTH
#define IS_TEXTURE(at) false
#define ROWS_IN(at, name)                                                                          \
  VEC4 (at, name)                                                                                 \
  vec4 name##_row_four (int row, int j)                                                            \
  {                                                                                                \
    return vec4 (0.0);                                                                             \
  }
#define ROWS_OUT(at, name)                                                                         \
  WRITES_VEC4 (at, name);                                                                         \
  void name##_row_put (int row, int j, vec4 four) {}
#endif

/* LOADS: a tensor to read, element by element, as name (index). STORES: the tensor to write, each
 * element made by make (index), and the whole of main (). PUTS: the tensor to write for who has a
 * main () of its own. LINES: the same for who makes all of a line, element j of n after the one before
 * it, as name_put (line, j, n, where it is in a buffer, element). With BOTH any of them may be a texture; an invocation makes a texel there (or a
 * line of them), and what that has beyond the end of a line is 0. */
#ifndef BOTH
#define LOADS(at, type, name)                                                                      \
  READS (at, type, name##_buffer);                                                                 \
  type name (int i)                                                                                \
  {                                                                                                \
    return name##_buffer[i];                                                                       \
  }
#define PUTS(at, type, name) WRITES (at, type, name##_buffer);
#define STORES(at, type, name)                                                                     \
  PUTS (at, type, name)                                                                            \
  type make (int i);                                                                               \
  void main ()                                                                                     \
  {                                                                                                \
    int i = place ();                                                                              \
    if (i < word (0))                                                                              \
      name##_buffer[i] = make (i);                                                                 \
  }
#define LINES(at, type, name)                                                                      \
  PUTS (at, type, name)                                                                            \
  void name##_put (int line, int j, int n, int i, type value)                                      \
  {                                                                                                \
    name##_buffer[i] = value;                                                                      \
  }
#else
#define IS_TEXTURE(at) ((TEXTURES >> (at - 1) & 1u) != 0u)

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
  int line = quotient (i, shape.x);
  int x = i - line * shape.x;
  int z = quotient (line, shape.y);

  return ivec4 (x >> 2, line - z * shape.y, z, x & 3);
}

/* Where the texel with a number is. */
ivec3
texel_at (int tensor, int i)
{
  ivec2 shape = shape_of (tensor);
  int n = (shape.x + 3) / 4;
  int line = quotient (i, n);
  int z = quotient (line, shape.y);

  return ivec3 (i - line * n, line - z * shape.y, z);
}

/* The first element of a texel, and how many it has. */
int
first_of (int tensor, ivec3 texel)
{
  ivec2 shape = shape_of (tensor);

  return (texel.z * shape.y + texel.y) * shape.x + texel.x * 4;
}

int
count_of (int tensor, ivec3 texel)
{
  return min (shape_of (tensor).x - texel.x * 4, 4);
}

/* A four that is not there is the nearest that is: who reads it does not use it. */
#define ROWS_IN(at, name)                                                                          \
  VEC4 (at, name)                                                                                 \
  layout (TEXELS, binding = at + 4) uniform readonly image3D name##_texture;                       \
  vec4 name##_row_four (int row, int j)                                                            \
  {                                                                                                \
    ivec2 shape = shape_of (at - 1);                                                               \
    row = max (row, 0);                                                                            \
    int z = quotient (row, shape.y);                                                               \
    return imageLoad (name##_texture, ivec3 (clamp (j, 0, (shape.x + 3) / 4 - 1),                  \
                                             row - z * shape.y, z));                               \
  }
#define ROWS_OUT(at, name)                                                                         \
  WRITES_VEC4 (at, name);                                                                         \
  layout (TEXELS, binding = at + 4) uniform writeonly image3D name##_texture;                      \
  void name##_row_put (int row, int j, vec4 four)                                                  \
  {                                                                                                \
    int height = shape_of (at - 1).y;                                                              \
    imageStore (name##_texture, ivec3 (j, row % height, row / height), four);                      \
  }

#define LOADS(at, type, name)                                                                      \
  READS (at, type, name##_buffer);                                                                 \
  layout (TEXELS, binding = at + 4) uniform readonly image3D name##_texture;                       \
  type name (int i)                                                                                \
  {                                                                                                \
    ivec4 texel;                                                                                   \
    if (!IS_TEXTURE (at))                                                                          \
      return name##_buffer[i];                                                                     \
    texel = texel_of (at - 1, i);                                                                  \
    return type (imageLoad (name##_texture, texel.xyz)[texel.w]);                                  \
  }

/* Elements from one on that go into a texel, as name_run (tensor to write, first, how many count, how
 * far apart): where lines are as long as those of what is written, they are a texel here as well. */
#define RUNS(at, type, name)                                                                       \
  vec4 name##_run (int to, int first, int n, int stride)                                           \
  {                                                                                                \
    vec4 four = vec4 (0.0);                                                                        \
    if (stride == 0)                                                                               \
      return vec4 (float (name (first)));                                                          \
    if (IS_TEXTURE (at) && stride == 1 && shape_of (at - 1).x == shape_of (to).x)                  \
      return imageLoad (name##_texture, texel_of (at - 1, first).xyz);                             \
    for (int j = 0; j < n; j++)                                                                    \
      four[j] = float (name (first + j * stride));                                                 \
    return four;                                                                                   \
  }

#define PUTS(at, type, name)                                                                       \
  WRITES (at, type, name##_buffer);                                                                \
  layout (TEXELS, binding = at + 4) uniform writeonly image3D name##_texture;

#define LINES(at, type, name)                                                                      \
  PUTS (at, type, name)                                                                            \
  vec4 name##_made = vec4 (0.0);                                                                   \
  void name##_put (int line, int j, int n, int i, type value)                                      \
  {                                                                                                \
    int height;                                                                                    \
    if (!IS_TEXTURE (at))                                                                          \
      {                                                                                            \
        name##_buffer[i] = value;                                                                  \
        return;                                                                                    \
      }                                                                                            \
    name##_made[j % 4] = float (value);                                                            \
    if (j % 4 != 3 && j != n - 1)                                                                  \
      return;                                                                                      \
    height = shape_of (at - 1).y;                                                                  \
    imageStore (name##_texture, ivec3 (j / 4, line % height, line / height), name##_made);         \
    name##_made = vec4 (0.0);                                                                      \
  }

#define STORES(at, type, name)                                                                     \
  PUTS (at, type, name)                                                                            \
  type make (int i);                                                                               \
  void main ()                                                                                     \
  {                                                                                                \
    int i = place ();                                                                              \
    ivec3 texel;                                                                                   \
    vec4 made = vec4 (0.0);                                                                        \
    if (i >= word (0))                                                                             \
      return;                                                                                      \
    if (!IS_TEXTURE (at))                                                                          \
      {                                                                                            \
        name##_buffer[i] = make (i);                                                               \
        return;                                                                                    \
      }                                                                                            \
    texel = texel_at (at - 1, i);                                                                  \
    for (int j = 0; j < count_of (at - 1, texel); j++)                                             \
      made[j] = float (make (first_of (at - 1, texel) + j));                                       \
    imageStore (name##_texture, texel, made);                                                      \
  }
#endif
