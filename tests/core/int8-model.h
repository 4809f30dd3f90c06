/* int8-model.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* An addition in 8 bits, as a target with positions of its own takes it. */
static const char int8_model[] =
    "nnir 1\ngraph \"g\" {level = onnx, ir_version = 8, producer = \"\", producer_version = \"\", "
    "doc = \"\", main = \"g\"}\nopset \"\" 17\norigin 0 \"graph\" 0 QuantizeLinear \"q\"\n"
    "origin 1 \"graph\" 1 DequantizeLinear \"d\"\norigin 2 \"graph\" 2 Add \"a\"\n"
    "origin 3 \"graph\" 3 QuantizeLinear \"qa\"\norigin 4 \"graph\" 4 DequantizeLinear \"da\"\n"
    "main (%x : f32[1,2,2,2]) {\n  const %s : f32[] = [0.5]\n  const %z : i8[] = [0]\n"
    "  %q = QuantizeLinear(%x, %s, %z) : i8[1,2,2,2] @ \"q\" from [0]\n"
    "  %d = DequantizeLinear(%q, %s, %z) : f32[1,2,2,2] @ \"d\" from [1]\n"
    "  %a = Add(%d, %d) : f32[1,2,2,2] @ \"a\" from [2]\n"
    "  %qa = QuantizeLinear(%a, %s, %z) : i8[1,2,2,2] @ \"qa\" from [3]\n"
    "  %y = DequantizeLinear(%qa, %s, %z) : f32[1,2,2,2] @ \"da\" from [4]\n  return %y\n}\n";
