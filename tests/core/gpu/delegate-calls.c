/* delegate-calls.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delegate-calls.h"

const DelegateCall delegate_calls[] = {
  { "quantized_decomposed",
    { "", "quantize_per_tensor", "f32 2,5|0.5|3|-128|127|1" },
    "main (%x0 : f32[2,5]) {\n  const %s : f32[] = [0.5]\n  const %z : i8[] = [3]\n"
    "  %y = QuantizeLinear(%x0, %s, %z)\n  return %y\n}\n" },
  { "quantized_decomposed",
    { "", "quantize_per_tensor", "f32 2,5|0.25|0|-4|3|1" },
    "main (%x0 : f32[2,5]) {\n  const %s : f32[] = [0.25]\n  const %z : i8[] = [0]\n"
    "  const %l : i8[] = [-4]\n  const %h : i8[] = [3]\n  %q = QuantizeLinear(%x0, %s, %z)\n"
    "  %y = Clip(%q, %l, %h)\n  return %y\n}\n" },
  { "quantized_decomposed",
    { "", "dequantize_per_tensor", "si8 2,5|0.5|3|-128|127|1" },
    "main (%x0 : i8[2,5]) {\n  const %s : f32[] = [0.5]\n  const %z : i8[] = [3]\n"
    "  %y = DequantizeLinear(%x0, %s, %z)\n  return %y\n}\n" },
  { "quantized_decomposed",
    { "", "quantize_per_channel", "f32 2,3|=f32 3|=si64 3|1|-128|127|1", NULL, "missing-operator" },
    "main (%x0 : f32[2,3]) {\n  const %s : f32[3] = [0.5, 1.5, 2.5]\n"
    "  const %z : i8[3] = [0, 1, 2]\n  %y = QuantizeLinear(%x0, %s, %z) {axis = 1}\n"
    "  return %y\n}\n" },
  { "quantized_decomposed",
    { "", "dequantize_per_channel", "si8 2,3|=f32 3|none|1|-128|127|1", NULL, "missing-operator" },
    "main (%x0 : i8[2,3]) {\n  const %s : f32[3] = [0.5, 1.5, 2.5]\n"
    "  %y = DequantizeLinear(%x0, %s) {axis = 1}\n  return %y\n}\n" },
  { "dim_order_ops",
    { "", "_clone_dim_order", "f32 2,5" },
    "main (%x0 : f32[2,5]) {\n  %y = Identity(%x0)\n  return %y\n}\n" },
  { "dim_order_ops",
    { "", "_to_dim_order_copy", "f32 2,5|5" },
    "main (%x0 : f32[2,5]) {\n  %y = Cast(%x0) {to = 10}\n  return %y\n}\n" },
  { "operator",
    { "", "add", "si64 3|si64 3" },
    "main (%x0 : i64[3], %x1 : i64[3]) {\n  %y = Add(%x0, %x1)\n  return %y\n}\n" },
  { "et_vk",
    { "", "conv_with_clamp",
      "f32 1,4,8,8|=f32 4,4,3,3|=f32 4|[1,1]|[1,1]|[1,1]|false|[0,0]|1|-1.0|2.5" },
    "main (%x0 : f32[1,4,8,8]) {\n  const %e : f32[] = [0.25]\n  const %r : i64[4] = [4, 4, 3, 3]\n"
    "  %w = Expand(%e, %r)\n"
    "  const %b : f32[4] = [0.5, 1.5, 2.5, 0.5]\n  const %l : f32[] = [-1.0]\n"
    "  const %h : f32[] = [2.5]\n  %c = Conv(%x0, %w, %b) {pads = [1, 1, 1, 1]}\n"
    "  %y = Clip(%c, %l, %h)\n  return %y\n}\n" },
  { "et_vk",
    { "", "rms_norm", "f32 2,4,8|=f32 8|1.0e-05" },
    "main (%x0 : f32[2,4,8]) {\n"
    "  const %w : f32[8] = [0.5, 1.5, 2.5, 0.5, 1.5, 2.5, 0.5, 1.5]\n"
    "  %y = RMSNormalization(%x0, %w) {axis = -1, epsilon = 1.0e-05}\n  return %y\n}\n" },
  { "et_vk",
    { "", "q8ta_add", "si8 2,5|si8 2,5|0.5|0|0.25|1|1.0|2|1.0" },
    "main (%x0 : i8[2,5], %x1 : i8[2,5]) {\n  const %s : f32[] = [0.5]\n  const %z : i8[] = [0]\n"
    "  const %t : f32[] = [0.25]\n  const %u : i8[] = [1]\n  const %v : f32[] = [1.0]\n"
    "  const %w : i8[] = [2]\n  %c = DequantizeLinear(%x0, %s, %z)\n"
    "  %d = DequantizeLinear(%x1, %t, %u)\n  %e = Add(%c, %d)\n"
    "  %y = QuantizeLinear(%e, %v, %w)\n  return %y\n}\n" },
  { "et_vk",
    { "", "q8ta_relu", "si8 2,5|0.5|1|0.25|2" },
    "main (%x0 : i8[2,5]) {\n  const %s : f32[] = [0.5]\n  const %z : i8[] = [1]\n"
    "  const %v : f32[] = [0.25]\n  const %w : i8[] = [2]\n  %c = DequantizeLinear(%x0, %s, %z)\n"
    "  %d = Relu(%c)\n  %y = QuantizeLinear(%d, %v, %w)\n  return %y\n}\n" },
  { "et_vk",
    { "", "q8ta_linear", "si8 2,8|0.5|1|=si8 4,8|none|=f32 4|4.0|2|=f32 4|\"relu\"" },
    "main (%x0 : i8[2,8]) {\n  const %s : f32[] = [0.5]\n  const %z : i8[] = [1]\n"
    "  const %q : i8[4,8] = [0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, "
    "2, 3, 4, 5, 6, 0, 1, 2, 3]\n  const %t : f32[4] = [0.5, 1.5, 2.5, 0.5]\n"
    "  const %b : f32[4] = [0.5, 1.5, 2.5, 0.5]\n  const %v : f32[] = [4.0]\n"
    "  const %u : i8[] = [2]\n  %c = DequantizeLinear(%x0, %s, %z)\n"
    "  %w = DequantizeLinear(%q, %t) {axis = 0}\n  %d = Gemm(%c, %w, %b) {transB = 1}\n"
    "  %e = Relu(%d)\n  %y = QuantizeLinear(%e, %v, %u)\n  return %y\n}\n" },
  { "et_vk",
    { "", "q8ta_conv2d",
      "si8 1,2,4,4|0.5|1|=si8 4,20|none|=f32 4|4.0|2|=f32 4|[3,3]|[1,1]|[1,1]|[1,1]|1|\"none\"" },
    "main (%x0 : i8[1,2,4,4]) {\n  const %s : f32[] = [0.5]\n  const %z : i8[] = [1]\n"
    "  const %p : i8[4,20] = [0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, "
    "6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, "
    "5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, "
    "4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2]\n"
    "  const %o : i64[1] = [0]\n  const %n : i64[1] = [18]\n  const %x : i64[1] = [1]\n"
    "  const %r : i64[4] = [4, 2, 3, 3]\n  %f = Slice(%p, %o, %n, %x)\n"
    "  %q = Reshape(%f, %r)\n  const %t : f32[4] = [0.5, 1.5, 2.5, 0.5]\n"
    "  const %b : f32[4] = [0.5, 1.5, 2.5, 0.5]\n  const %v : f32[] = [4.0]\n"
    "  const %u : i8[] = [2]\n  %c = DequantizeLinear(%x0, %s, %z)\n"
    "  %w = DequantizeLinear(%q, %t) {axis = 0}\n"
    "  %d = Conv(%c, %w, %b) {pads = [1, 1, 1, 1]}\n  %y = QuantizeLinear(%d, %v, %u)\n"
    "  return %y\n}\n" },
  { "operator",
    { "", "sub", "si64 3|si64 3" },
    "main (%x0 : i64[3], %x1 : i64[3]) {\n  %y = Sub(%x0, %x1)\n  return %y\n}\n" },
  { "operator",
    { "", "mul", "si64 3|si64 3" },
    "main (%x0 : i64[3], %x1 : i64[3]) {\n  %y = Mul(%x0, %x1)\n  return %y\n}\n" },
  { "operator",
    { "", "eq", "si64 3|si64 3" },
    "main (%x0 : i64[3], %x1 : i64[3]) {\n  %y = Equal(%x0, %x1)\n  return %y\n}\n" },
  { "operator",
    { "", "ge", "si64 3|si64 3" },
    "main (%x0 : i64[3], %x1 : i64[3]) {\n  %y = GreaterOrEqual(%x0, %x1)\n  return %y\n}\n" },
  { "operator",
    { "", "gt", "si64 3|si64 3" },
    "main (%x0 : i64[3], %x1 : i64[3]) {\n  %y = Greater(%x0, %x1)\n  return %y\n}\n" },
  { "operator",
    { "", "le", "si64 3|si64 3" },
    "main (%x0 : i64[3], %x1 : i64[3]) {\n  %y = LessOrEqual(%x0, %x1)\n  return %y\n}\n" },
  { "operator",
    { "", "lt", "si64 3|si64 3" },
    "main (%x0 : i64[3], %x1 : i64[3]) {\n  %y = Less(%x0, %x1)\n  return %y\n}\n" },
  { "operator",
    { "", "floordiv", "f32 3|f32 3" },
    "main (%x0 : f32[3], %x1 : f32[3]) {\n  %d = Div(%x0, %x1)\n  %y = Floor(%d)\n"
    "  return %y\n}\n" },
  { "et_vk",
    { "", "linear_q8ta_q8csw", "f32 2,8|0.5|1|=si8 4,8|none|=f32 4|=f32 4" },
    "main (%x0 : f32[2,8]) {\n"
    "  const %q : i8[4,8] = [0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, "
    "2, 3, 4, 5, 6, 0, 1, 2, 3]\n  const %t : f32[4] = [0.5, 1.5, 2.5, 0.5]\n"
    "  const %b : f32[4] = [0.5, 1.5, 2.5, 0.5]\n  %w = DequantizeLinear(%q, %t) {axis = 0}\n"
    "  %y = Gemm(%x0, %w, %b) {transB = 1}\n  return %y\n}\n" },
  { "et_vk",
    { "", "q8ta_linear_gemv", "si8 1,4|0.5|1|=si8 2,4|none|=f32 2|4.0|2|=f32 2" },
    "main (%x0 : i8[1,4]) {\n  const %s : f32[] = [0.5]\n  const %z : i8[] = [1]\n"
    "  const %q : i8[2,4] = [0, 1, 2, 3, 4, 5, 6, 0]\n  const %t : f32[2] = [0.5, 1.5]\n"
    "  const %v : f32[] = [4.0]\n  const %u : i8[] = [2]\n"
    "  %c = DequantizeLinear(%x0, %s, %z)\n  %w = DequantizeLinear(%q, %t) {axis = 0}\n"
    "  %d = Gemm(%c, %w, %t) {transB = 1}\n  %y = QuantizeLinear(%d, %v, %u)\n"
    "  return %y\n}\n" },
  { "et_vk",
    { "", "q8ta_conv2d_pw",
      "si8 1,2,3,3|0.5|1|=si8 2,2|none|=f32 2|4.0|2|none|[1,1]|[1,1]|[0,0]|[1,1]|1" },
    "main (%x0 : i8[1,2,3,3]) {\n  const %s : f32[] = [0.5]\n  const %z : i8[] = [1]\n"
    "  const %q : i8[2,2,1,1] = [0, 1, 2, 3]\n  const %t : f32[2] = [0.5, 1.5]\n"
    "  const %v : f32[] = [4.0]\n  const %u : i8[] = [2]\n"
    "  %c = DequantizeLinear(%x0, %s, %z)\n  %w = DequantizeLinear(%q, %t) {axis = 0}\n"
    "  %d = Conv(%c, %w)\n  %y = QuantizeLinear(%d, %v, %u)\n  return %y\n}\n" },
  { "et_vk",
    { "", "q8ta_conv2d_dw",
      "si8 1,2,3,3|0.5|1|=si8 1,2,2|none|=f32 2|4.0|2|none|[1,2]|[1,1]|[0,0]|[1,1]|2" },
    "main (%x0 : i8[1,2,3,3]) {\n  const %s : f32[] = [0.5]\n  const %z : i8[] = [1]\n"
    "  const %q : i8[2,1,1,2] = [0, 2, 1, 3]\n  const %t : f32[2] = [0.5, 1.5]\n"
    "  const %v : f32[] = [4.0]\n  const %u : i8[] = [2]\n"
    "  %c = DequantizeLinear(%x0, %s, %z)\n  %w = DequantizeLinear(%q, %t) {axis = 0}\n"
    "  %d = Conv(%c, %w) {group = 2}\n  %y = QuantizeLinear(%d, %v, %u)\n  return %y\n}\n" },
  { "et_vk",
    { "", "q8ta_pixel_shuffle", "si8 1,4,2,3|0.5|1|4.0|2|2" },
    "main (%x0 : i8[1,4,2,3]) {\n  const %s : f32[] = [0.5]\n  const %z : i8[] = [1]\n"
    "  const %v : f32[] = [0.25]\n  const %u : i8[] = [2]\n"
    "  %c = DequantizeLinear(%x0, %s, %z)\n"
    "  %d = DepthToSpace(%c) {blocksize = 2, mode = \"CRD\"}\n"
    "  %y = QuantizeLinear(%d, %v, %u)\n  return %y\n}\n" },
  { "et_vk",
    { "", "grid_priors", "f32 1,1,2,3|8|0.5" },
    "main (%x0 : f32[1,1,2,3]) {\n"
    "  const %g : f32[6,2] = [4.0, 4.0, 12.0, 4.0, 20.0, 4.0, 4.0, 12.0, 12.0, 12.0, 20.0, 12.0]\n"
    "  %y = Identity(%g)\n  return %y\n}\n" },
  { "et_vk",
    { "", "apply_rotary_emb_interleaved", "f32 1,2,4|=f32 8" },
    "main (%x0 : f32[1,2,4]) {\n"
    "  const %c : f32[2,4] = [0.5, 0.5, 2.5, 2.5, 1.5, 1.5, 0.5, 0.5]\n"
    "  const %s : f32[2,4] = [-1.5, 1.5, -0.5, 0.5, -2.5, 2.5, -1.5, 1.5]\n"
    "  const %p : i64[4] = [1, 0, 3, 2]\n  %t = Gather(%x0, %p) {axis = 2}\n"
    "  %a = Mul(%x0, %c)\n  %b = Mul(%t, %s)\n  %y = Add(%a, %b)\n  return %y\n}\n" },
  { "et_vk",
    { "", "sdpa", "f32 1,2,4,4|f32 1,2,4,4|f32 1,2,4,4|none|0.5" },
    "main (%x0 : f32[1,2,4,4], %x1 : f32[1,2,4,4], %x2 : f32[1,2,4,4]) {\n"
    "  const %s : f32[] = [0.5]\n  %t = Transpose(%x1) {perm = [0, 1, 3, 2]}\n"
    "  %a = MatMul(%x0, %t)\n  %b = Mul(%a, %s)\n  %c = Softmax(%b)\n"
    "  %y = MatMul(%c, %x2)\n  return %y\n}\n" },
  { "quantized_decomposed",
    { "", "quantize_per_token", "f32 2,3|=f32 2|=si64 2|-128|127|1", NULL, "missing-operator" },
    "main (%x0 : f32[2,3]) {\n  const %s : f32[2,1] = [0.5, 1.5]\n"
    "  const %z : f32[2,1] = [0.0, 1.0]\n  const %l : f32[] = [-128.0]\n"
    "  const %h : f32[] = [127.0]\n  %r = Reciprocal(%s)\n  %m = Mul(%x0, %r)\n"
    "  %a = Add(%m, %z)\n  %o = Round(%a)\n  %c = Clip(%o, %l, %h)\n"
    "  %y = Cast(%c) {to = 3}\n  return %y\n}\n" },
  { "quantized_decomposed",
    { "", "dequantize_per_token", "si8 2,3|=f32 2|=si64 2|-128|127|1|6", NULL, "missing-operator" },
    "main (%x0 : i8[2,3]) {\n  const %s : f32[2,1] = [0.5, 1.5]\n"
    "  const %z : f32[2,1] = [0.0, 1.0]\n  %f = Cast(%x0) {to = 1}\n  %d = Sub(%f, %z)\n"
    "  %y = Mul(%d, %s)\n  return %y\n}\n" },
  { "quantized_decomposed",
    { "", "choose_qparams", "f32 2,3|-128|127|1.0e-05|1", NULL, "missing-operator", 2 },
    "main (%x0 : f32[2,3]) {\n  const %n : f32[1] = [0.0]\n  const %w : f32[1] = [255.0]\n"
    "  const %e : f32[1] = [1.0e-05]\n  const %l : f32[] = [-128.0]\n"
    "  const %h : f32[] = [127.0]\n  %a = ReduceMin(%x0) {keepdims = 0}\n"
    "  %b = ReduceMax(%x0) {keepdims = 0}\n  %c = Min(%a, %n)\n  %d = Max(%b, %n)\n"
    "  %f = Sub(%d, %c)\n  %g = Div(%f, %w)\n  %s = Max(%g, %e)\n  %i = Div(%c, %s)\n"
    "  %j = Round(%i)\n  %k = Sub(%l, %j)\n  %m = Clip(%k, %l, %h)\n"
    "  %y = Cast(%s) {to = 11}\n  %z = Cast(%m) {to = 7}\n  return %y, %z\n}\n" },
  { "quantized_decomposed",
    { "", "choose_qparams_per_token_asymmetric", "f32 2,3|1", NULL, "missing-operator", 2 },
    "main (%x0 : f32[2,3]) {\n  const %n : f32[] = [0.0]\n  const %w : f32[] = [255.0]\n"
    "  const %e : f32[] = [1.1920929e-07]\n  const %l : f32[] = [-128.0]\n"
    "  const %h : f32[] = [127.0]\n  const %t : i64[1] = [1]\n  %a = ReduceMin(%x0, %t)\n"
    "  %b = ReduceMax(%x0, %t)\n  %c = Min(%a, %n)\n  %d = Max(%b, %n)\n  %f = Sub(%d, %c)\n"
    "  %g = Div(%f, %w)\n  %s = Max(%g, %e)\n  %i = Div(%c, %s)\n  %j = Div(%d, %s)\n"
    "  %k = Add(%i, %l)\n  %m = Add(%j, %h)\n  %o = Add(%k, %m)\n  %p = Greater(%o, %n)\n"
    "  %q = Sub(%l, %i)\n  %r = Sub(%h, %j)\n  %u = Where(%p, %q, %r)\n"
    "  %v = Clip(%u, %l, %h)\n  %x = Round(%v)\n  %y = Cast(%s) {to = 11}\n"
    "  %z = Cast(%x) {to = 7}\n  return %y, %z\n}\n" },
  { "torchao",
    { "", "quantize_affine", "f32 2,4|[1,2]|~f32 2,2|=si64 2,2|1|-8|7", NULL, "missing-operator" },
    "main (%x0 : f32[2,4]) {\n"
    "  const %s : f32[2,4] = [0.125, 0.125, 0.25, 0.25, 0.375, 0.375, 0.5, 0.5]\n"
    "  const %z : f32[2,4] = [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 0.0, 0.0]\n"
    "  const %l : f32[] = [-8.0]\n  const %h : f32[] = [7.0]\n  %r = Reciprocal(%s)\n"
    "  %m = Mul(%x0, %r)\n  %o = Round(%m)\n  %a = Add(%o, %z)\n  %c = Clip(%a, %l, %h)\n"
    "  %y = Cast(%c) {to = 3}\n  return %y\n}\n" },
  { "torchao",
    { "", "quantize_affine", "f32 2,4|[1,4]|~f32 2|none|0", NULL, "missing-operator" },
    "main (%x0 : f32[2,4]) {\n  const %s : f32[2,1] = [0.125, 0.25]\n"
    "  const %l : f32[] = [0.0]\n  const %h : f32[] = [255.0]\n  %r = Reciprocal(%s)\n"
    "  %m = Mul(%x0, %r)\n  %o = Round(%m)\n  %c = Clip(%o, %l, %h)\n"
    "  %y = Cast(%c) {to = 2}\n  return %y\n}\n" },
  { "torchao",
    { "", "dequantize_affine", "si8 2,4|[1,2]|~f32 2,2|=si64 2,2|1", NULL, "missing-operator" },
    "main (%x0 : i8[2,4]) {\n"
    "  const %s : f32[2,4] = [0.125, 0.125, 0.25, 0.25, 0.375, 0.375, 0.5, 0.5]\n"
    "  const %z : f32[2,4] = [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 0.0, 0.0]\n"
    "  %f = Cast(%x0) {to = 1}\n  %d = Sub(%f, %z)\n  %y = Mul(%d, %s)\n  return %y\n}\n" },
  { "torchao",
    { "", "choose_qparams_affine", "f32 2,4|\"ASYMMETRIC\"|[1,4]|1", NULL, NULL, 2 },
    "main (%x0 : f32[2,4]) {\n  const %n : f32[] = [0.0]\n  const %w : f32[] = [255.0]\n"
    "  const %e : f32[] = [1.1920929e-07]\n  const %l : f32[] = [-128.0]\n"
    "  const %h : f32[] = [127.0]\n  const %t : i64[1] = [1]\n"
    "  %a = ReduceMin(%x0, %t) {keepdims = 0}\n  %b = ReduceMax(%x0, %t) {keepdims = 0}\n"
    "  %c = Min(%a, %n)\n  %d = Max(%b, %n)\n  %f = Sub(%d, %c)\n  %g = Div(%f, %w)\n"
    "  %y = Max(%g, %e)\n  %i = Div(%c, %y)\n  %j = Round(%i)\n  %k = Sub(%l, %j)\n"
    "  %m = Clip(%k, %l, %h)\n  %z = Cast(%m) {to = 6}\n  return %y, %z\n}\n" },
  { "torchao",
    { "", "choose_qparams_affine", "f32 2,4|\"SYMMETRIC\"|[1,2]|1|-8|7|0.5", NULL, NULL, 2 },
    "main (%x0 : f32[2,4]) {\n  const %w : f32[] = [7.5]\n  const %e : f32[] = [0.5]\n"
    "  const %v : i64[3] = [2, 2, 2]\n  const %t : i64[1] = [2]\n"
    "  const %z : i32[2,2] = [0, 0, 0, 0]\n  %r = Reshape(%x0, %v)\n  %a = Abs(%r)\n"
    "  %b = ReduceMax(%a, %t) {keepdims = 0}\n  %g = Div(%b, %w)\n  %y = Max(%g, %e)\n"
    "  return %y, %z\n}\n" },
  { "torchao",
    { "", "choose_qparams_affine", "f32 2,4|\"SYMMETRIC_NO_CLIPPING_ERR\"|[2,1]|1|-8|7|none|6|3",
      NULL, NULL, 2 },
    "main (%x0 : f32[2,4]) {\n  const %n : f32[] = [0.0]\n  const %w : f32[] = [-8.0]\n"
    "  const %h : f32[] = [7.0]\n  const %e : f32[] = [1.1920929e-07]\n"
    "  const %t : i64[1] = [0]\n  const %z : i32[4] = [0, 0, 0, 0]\n"
    "  %a = ReduceMin(%x0, %t) {keepdims = 0}\n  %b = ReduceMax(%x0, %t) {keepdims = 0}\n"
    "  %c = Min(%a, %n)\n  %d = Max(%b, %n)\n  %f = Div(%c, %w)\n  %g = Div(%d, %h)\n"
    "  %i = Max(%f, %g)\n  %y = Max(%i, %e)\n  return %y, %z\n}\n" },
  { "aten",
    { "", "_weight_int8pack_mm", "f32 2,8|=si8 4,8|=f32 4" },
    "main (%x0 : f32[2,8]) {\n"
    "  const %q : i8[4,8] = [0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, "
    "0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3]\n"
    "  const %t : f32[4] = [0.5, 1.5, 2.5, 0.5]\n  %w = DequantizeLinear(%q, %t) {axis = 0}\n"
    "  %y = Gemm(%x0, %w) {transB = 1}\n  return %y\n}\n" },
  { "et_vk",
    { "", "linear_qcs4w", "f32 2,8|=ui8 4,4|=f32 4" },
    "main (%x0 : f32[2,8]) {\n"
    "  const %q : i8[4,8] = [-8, 3, -5, -8, -3, -3, -1, 2, 1, 7, 4, -4, 6, 1, -8, 6, -5, -5, "
    "-3, 0, -1, 5, 2, -6, 4, -1, 6, 4, -7, -7, -5, -2]\n"
    "  const %t : f32[4] = [0.5, 1.5, 2.5, 0.5]\n  %w = DequantizeLinear(%q, %t) {axis = 0}\n"
    "  %y = Gemm(%x0, %w) {transB = 1}\n  return %y\n}\n" },
  { "et_vk",
    { "", "linear_q4gsw", "f32 2,8|=ui8 4,4|~f32 2,8|4|=f32 8" },
    "main (%x0 : f32[2,8]) {\n"
    "  const %q : f32[4,8] = [3.0, -8.0, -8.0, -5.0, -3.0, -3.0, 2.0, -1.0, 7.0, 1.0, -4.0, "
    "4.0, 1.0, 6.0, 6.0, -8.0, -5.0, -5.0, 0.0, -3.0, 5.0, -1.0, -6.0, 2.0, -1.0, 4.0, 4.0, "
    "6.0, -7.0, -7.0, -2.0, -5.0]\n"
    "  const %t : f32[4,8] = [0.125, 0.125, 0.125, 0.125, 1.125, 1.125, 1.125, 1.125, 0.25, "
    "0.25, 0.25, 0.25, 1.25, 1.25, 1.25, 1.25, 0.375, 0.375, 0.375, 0.375, 1.375, 1.375, "
    "1.375, 1.375, 0.5, 0.5, 0.5, 0.5, 1.5, 1.5, 1.5, 1.5]\n"
    "  const %b : f32[4] = [0.5, 1.5, 2.5, 0.5]\n  %w = Mul(%q, %t)\n"
    "  %y = Gemm(%x0, %w, %b) {transB = 1}\n  return %y\n}\n" },
  { "et_vk",
    { "", "linear_dq8ca_q4gsw", "f32 2,8|=f32 2|=si64 2|=ui8 4,4|none|~f32 2,4|4" },
    "main (%x0 : f32[2,8]) {\n"
    "  const %q : f32[4,8] = [3.0, -8.0, -8.0, -5.0, -3.0, -3.0, 2.0, -1.0, 7.0, 1.0, -4.0, "
    "4.0, 1.0, 6.0, 6.0, -8.0, -5.0, -5.0, 0.0, -3.0, 5.0, -1.0, -6.0, 2.0, -1.0, 4.0, 4.0, "
    "6.0, -7.0, -7.0, -2.0, -5.0]\n"
    "  const %t : f32[4,8] = [0.125, 0.125, 0.125, 0.125, 0.625, 0.625, 0.625, 0.625, 0.25, "
    "0.25, 0.25, 0.25, 0.75, 0.75, 0.75, 0.75, 0.375, 0.375, 0.375, 0.375, 0.875, 0.875, "
    "0.875, 0.875, 0.5, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0]\n"
    "  const %s : f32[2,1] = [0.5, 1.5]\n  const %z : f32[2,1] = [0.0, 1.0]\n"
    "  const %l : f32[] = [-128.0]\n  const %h : f32[] = [127.0]\n  %r = Reciprocal(%s)\n"
    "  %m = Mul(%x0, %r)\n  %a = Add(%m, %z)\n  %o = Round(%a)\n  %c = Clip(%o, %l, %h)\n"
    "  %d = Sub(%c, %z)\n  %e = Mul(%d, %s)\n  %w = Mul(%q, %t)\n"
    "  %y = Gemm(%e, %w) {transB = 1}\n  return %y\n}\n" },
  { "et_vk",
    { "", "q8ta_conv2d_transposed",
      "si8 1,2,3,3|0.5|1|=si8 4,8|none|=f32 4|4.0|2|=f32 "
      "8|[2,2]|[2,2]|[0,0]|[1,0]|[1,1]|1|\"relu\"" },
    "main (%x0 : i8[1,2,3,3]) {\n  const %s : f32[] = [0.5]\n  const %z : i8[] = [1]\n"
    "  const %q : i8[2,4,2,2] = [0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6, 4, 5, 6, 0, "
    "5, 6, 0, 1, 6, 0, 1, 2, 0, 1, 2, 3]\n"
    "  const %t : f32[4] = [0.5, 1.5, 2.5, 0.5]\n  const %v : f32[] = [4.0]\n"
    "  const %u : i8[] = [2]\n  %c = DequantizeLinear(%x0, %s, %z)\n"
    "  %w = DequantizeLinear(%q, %t) {axis = 1}\n"
    "  %d = ConvTranspose(%c, %w, %t) {strides = [2, 2], output_padding = [1, 0]}\n"
    "  %e = Relu(%d)\n  %y = QuantizeLinear(%e, %v, %u)\n  return %y\n}\n" },
  { "et_vk",
    { "", "q8ta_conv2d_transposed",
      "si8 1,2,3,3|0.5|1|=si8 4,4|none|=f32 "
      "4|4.0|2|none|[2,2]|[1,1]|[1,0]|[0,0]|[1,1]|2|\"none\"" },
    "main (%x0 : i8[1,2,3,3]) {\n  const %s : f32[] = [0.5]\n  const %z : i8[] = [1]\n"
    "  const %w : f32[2,2,2,2] = [0.0, 0.5, 1.0, 1.5, 6.0, 7.5, 9.0, 0.0, 2.5, 5.0, 7.5, "
    "10.0, 2.5, 3.0, 0.0, 0.5]\n"
    "  const %v : f32[] = [4.0]\n  const %u : i8[] = [2]\n"
    "  %c = DequantizeLinear(%x0, %s, %z)\n"
    "  %d = ConvTranspose(%c, %w) {group = 2, pads = [1, 0, 1, 0]}\n"
    "  %y = QuantizeLinear(%d, %v, %u)\n  return %y\n}\n" },
  { "et_vk",
    { "", "apply_rotary_emb", "f32 1,2,2,4|f32 1,2,1,4|f32 2,2|f32 2,2", NULL, NULL, 2 },
    "main (%x0 : f32[1,2,2,4], %x1 : f32[1,2,1,4], %x2 : f32[2,2], %x3 : f32[2,2]) {\n"
    "  const %i : i64[4] = [0, 0, 1, 1]\n  const %j : i64[4] = [1, 0, 3, 2]\n"
    "  const %k : i64[4] = [1, 2, 1, 4]\n  const %h : i64[4] = [1, 2, 1, 4]\n"
    "  const %g : f32[4] = [-1.0, 1.0, -1.0, 1.0]\n  %a = Gather(%x2, %i) {axis = 1}\n"
    "  %c = Reshape(%a, %h)\n  %b = Gather(%x3, %i) {axis = 1}\n  %d = Mul(%b, %g)\n"
    "  %s = Reshape(%d, %h)\n  %e = Gather(%x0, %j) {axis = 3}\n  %f = Mul(%x0, %c)\n"
    "  %l = Mul(%e, %s)\n  %y = Add(%f, %l)\n  %m = Gather(%x1, %j) {axis = 3}\n"
    "  %n = Mul(%x1, %c)\n  %o = Mul(%m, %s)\n  %z = Add(%n, %o)\n  return %y, %z\n}\n" },
  { "et_vk",
    { "", "apply_rotary_emb_hf", "f32 1,2,2,6|f32 1,2,1,6|f32 5,4|f32 5,4|2", NULL, NULL, 2 },
    "main (%x0 : f32[1,2,2,6], %x1 : f32[1,2,1,6], %x2 : f32[5,4], %x3 : f32[5,4]) {\n"
    "  const %r : i64[2] = [2, 3]\n  const %j : i64[4] = [2, 3, 0, 1]\n"
    "  const %p : i64[4] = [0, 1, 2, 3]\n  const %q : i64[2] = [4, 5]\n"
    "  const %h : i64[4] = [1, 2, 1, 4]\n  const %g : f32[4] = [-1.0, -1.0, 1.0, 1.0]\n"
    "  %a = Gather(%x2, %r)\n  %c = Reshape(%a, %h)\n  %b = Gather(%x3, %r)\n"
    "  %d = Mul(%b, %g)\n  %s = Reshape(%d, %h)\n  %e = Gather(%x0, %j) {axis = 3}\n"
    "  %f = Gather(%x0, %p) {axis = 3}\n  %i = Gather(%x0, %q) {axis = 3}\n"
    "  %k = Mul(%f, %c)\n  %l = Mul(%e, %s)\n  %m = Add(%k, %l)\n"
    "  %y = Concat(%m, %i) {axis = 3}\n  %n = Gather(%x1, %j) {axis = 3}\n"
    "  %o = Gather(%x1, %p) {axis = 3}\n  %t = Gather(%x1, %q) {axis = 3}\n"
    "  %u = Mul(%o, %c)\n  %v = Mul(%n, %s)\n  %w = Add(%u, %v)\n"
    "  %z = Concat(%w, %t) {axis = 3}\n  return %y, %z\n}\n" },
  { "llama",
    { "", "custom_sdpa", "f32 1,2,4,4|f32 1,6,2,4|f32 1,6,2,4|3|none|0.0|true" },
    "main (%x0 : f32[1,2,4,4], %x1 : f32[1,6,2,4], %x2 : f32[1,6,2,4]) {\n"
    "  const %i : i64[5] = [0, 1, 2, 3, 4]\n  const %h : i64[4] = [0, 0, 1, 1]\n"
    "  const %m : f32[2,5] = [0.0, 0.0, 0.0, 0.0, -inf, 0.0, 0.0, 0.0, 0.0, 0.0]\n"
    "  const %s : f32[] = [0.5]\n  %a = Gather(%x1, %i) {axis = 1}\n"
    "  %b = Gather(%x2, %i) {axis = 1}\n  %c = Gather(%a, %h) {axis = 2}\n"
    "  %d = Gather(%b, %h) {axis = 2}\n  %e = Transpose(%x0) {perm = [0, 2, 1, 3]}\n"
    "  %f = Transpose(%c) {perm = [0, 2, 3, 1]}\n  %g = Transpose(%d) {perm = [0, 2, 1, 3]}\n"
    "  %j = MatMul(%e, %f)\n  %k = Mul(%j, %s)\n  %l = Add(%k, %m)\n  %n = Softmax(%l)\n"
    "  %o = MatMul(%n, %g)\n  %y = Transpose(%o) {perm = [0, 2, 1, 3]}\n  return %y\n}\n" },
  { "llama",
    { "", "custom_sdpa", "f32 1,2,1,4|f32 1,3,1,4|f32 1,3,1,4|1|none|0.0|false|0.25", NULL,
      "attention.causal" },
    "main (%x0 : f32[1,2,1,4], %x1 : f32[1,3,1,4], %x2 : f32[1,3,1,4]) {\n"
    "  const %s : f32[] = [0.25]\n  %e = Transpose(%x0) {perm = [0, 2, 1, 3]}\n"
    "  %f = Transpose(%x1) {perm = [0, 2, 3, 1]}\n"
    "  %g = Transpose(%x2) {perm = [0, 2, 1, 3]}\n  %j = MatMul(%e, %f)\n"
    "  %k = Mul(%j, %s)\n  %n = Softmax(%k)\n  %o = MatMul(%n, %g)\n"
    "  %y = Transpose(%o) {perm = [0, 2, 1, 3]}\n  return %y\n}\n" },
  { "llama",
    { "", "custom_sdpa", "f32 1,2,1,4|f32 1,3,1,4|f32 1,3,1,4|0|f32 2,2|0.0|true", NULL,
      "attention.mask" },
    "main (%x0 : f32[1,2,1,4], %x1 : f32[1,3,1,4], %x2 : f32[1,3,1,4], %x4 : f32[2,2]) {\n"
    "  const %s : f32[] = [0.5]\n  const %i : i64[2] = [0, 1]\n"
    "  %a = Gather(%x1, %i) {axis = 1}\n  %b = Gather(%x2, %i) {axis = 1}\n"
    "  %e = Transpose(%x0) {perm = [0, 2, 1, 3]}\n  %f = Transpose(%a) {perm = [0, 2, 3, 1]}\n"
    "  %g = Transpose(%b) {perm = [0, 2, 1, 3]}\n  %j = MatMul(%e, %f)\n  %k = Mul(%j, %s)\n"
    "  %l = Add(%k, %x4)\n  %n = Softmax(%l)\n  %o = MatMul(%n, %g)\n"
    "  %y = Transpose(%o) {perm = [0, 2, 1, 3]}\n  return %y\n}\n" },
  { "et_vk",
    { "", "quantize_q8ta_for_conv2d", "f32 1,2,4,4|0.5|3" },
    "main (%x0 : f32[1,2,4,4]) {\n  const %s : f32[] = [0.5]\n  const %z : i8[] = [3]\n"
    "  %y = QuantizeLinear(%x0, %s, %z)\n  return %y\n}\n" },
  { "et_vk",
    { "", "dequantize_q8to_from_conv2d", "si8 1,2,4,4|0.5|3" },
    "main (%x0 : i8[1,2,4,4]) {\n  const %s : f32[] = [0.5]\n  const %z : i8[] = [3]\n"
    "  %y = DequantizeLinear(%x0, %s, %z)\n  return %y\n}\n" },
  { "llama",
    { "", "update_cache", "f32 1,2,2,4|f32 1,6,2,4|3" },
    "main (%x0 : f32[1,2,2,4], %x1 : f32[1,6,2,4]) {\n  const %i : i64[3] = [0, 1, 2]\n"
    "  const %j : i64[1] = [5]\n  %a = Gather(%x1, %i) {axis = 1}\n"
    "  %b = Gather(%x1, %j) {axis = 1}\n  %y = Concat(%a, %x0, %b) {axis = 1}\n"
    "  return %y\n}\n" },
  { "llama",
    { "", "sdpa_with_kv_cache",
      "f32 1,2,4,4|f32 1,2,2,4|f32 1,2,2,4|f32 1,6,2,4|f32 1,6,2,4|3|2|none|0.0|true" },
    "main (%x0 : f32[1,2,4,4], %x1 : f32[1,2,2,4], %x2 : f32[1,2,2,4], %x3 : f32[1,6,2,4], "
    "%x4 : f32[1,6,2,4]) {\n"
    "  const %i : i64[3] = [0, 1, 2]\n  const %h : i64[4] = [0, 0, 1, 1]\n"
    "  const %m : f32[2,5] = [0.0, 0.0, 0.0, 0.0, -inf, 0.0, 0.0, 0.0, 0.0, 0.0]\n"
    "  const %s : f32[] = [0.5]\n  %p = Gather(%x3, %i) {axis = 1}\n"
    "  %q = Gather(%x4, %i) {axis = 1}\n  %a = Concat(%p, %x1) {axis = 1}\n"
    "  %b = Concat(%q, %x2) {axis = 1}\n  %c = Gather(%a, %h) {axis = 2}\n"
    "  %d = Gather(%b, %h) {axis = 2}\n  %e = Transpose(%x0) {perm = [0, 2, 1, 3]}\n"
    "  %f = Transpose(%c) {perm = [0, 2, 3, 1]}\n  %g = Transpose(%d) {perm = [0, 2, 1, 3]}\n"
    "  %j = MatMul(%e, %f)\n  %k = Mul(%j, %s)\n  %l = Add(%k, %m)\n  %n = Softmax(%l)\n"
    "  %o = MatMul(%n, %g)\n  %y = Transpose(%o) {perm = [0, 2, 1, 3]}\n  return %y\n}\n" },
  { "aten",
    { "", "sym_size", "f32 2,3|1" },
    "main (%x0 : f32[2,3]) {\n  const %s : i64[] = [3]\n  %y = Identity(%s)\n  return %y\n}\n" },
  { "operator",
    { "", "getitem", "{f32 2;f32 2}|1" },
    "main (%x0 : f32[2], %x1 : f32[2]) {\n  %y = Identity(%x1)\n  return %y\n}\n" },
};

const guint delegate_n_calls = G_N_ELEMENTS (delegate_calls);
