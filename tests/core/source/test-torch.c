/* test-torch.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Text of the torch dialect: what it reads as, what it prints as, and what comes out of it.
 */
#include <glib.h>
#include <string.h>

#include "base/assay-error.h"
#include "evaluate/assay-evaluate.h"
#include "nnir/assay-verify.h"
#include "source/assay-source.h"
#include "source/torch/assay-torch-contract.h"
#include "source/torch/assay-torch-op.h"
#include "source/torch/pass/assay-torch-pass.h"

/* Texts that print as they are. */
static const char *const printed[] = {
  "func.func private @f(!torch.vtensor<[?,3],f32>, !torch.tensor<*,si64>) -> !torch.tensor",
  "func.func @f() -> (!torch.int, !torch.optional<list<int>>) {\n"
  "  %int-1 = torch.constant.int -1\n"
  "  %0 = torch.prim.ListConstruct : () -> !torch.list<int>\n"
  "  %1 = torch.derefine %0 : !torch.list<int> to !torch.optional<list<int>>\n"
  "  return %int-1, %1 : !torch.int, !torch.optional<list<int>>\n"
  "}",
  "func.func @g(%arg0: !torch.tensor {torch.type_bound = !torch.vtensor<[2],f32>} "
  "loc(\"x\")) -> (!torch.vtensor {a.b = 1 : i64}) attributes {torch.onnx_meta.ir_version = 8 : "
  "si64} {\n"
  "  %0:2 = torch.aten.max.dim %arg0, %arg0 {n = \"a\\\"b\", u} : !torch.tensor, !torch.tensor -> "
  "!torch.vtensor, !torch.tensor<*,si64> loc(callsite(\"f.py\":3:1 at \"g.py\":7:2))\n"
  "  torch.overwrite.tensor.contents %0#0 overwrites %0#1 : !torch.vtensor, "
  "!torch.tensor<*,si64>\n"
  "  return %0#0 : !torch.vtensor\n"
  "}",
  "func.func @h(%arg0: !torch.bool) -> !torch.int {\n"
  "  %0 = torch.prim.If %arg0 -> (!torch.int) {\n"
  "    %1 = torch.constant.int 1 {test}\n"
  "    torch.prim.If.yield %1 : !torch.int\n"
  "  } else {\n"
  "    %2 = torch.operator \"a.b\"(%arg0) {k = [1, dense<[1, 2]> : tensor<2xsi64>]} : "
  "(!torch.bool) -> !torch.int\n"
  "    torch.prim.If.yield %2 : !torch.int\n"
  "  }\n"
  "  return %0 : !torch.int\n"
  "}",
  "func.func @loop(%arg0: !torch.int, %arg1: !torch.bool) {\n"
  "  %0 = torch.prim.Loop %arg0, %arg1, init(%arg0) {\n"
  "  ^bb0(%arg2: !torch.int, %arg3: !torch.int):\n"
  "    torch.prim.Loop.condition %arg1, iter(%arg3 : !torch.int)\n"
  "  } : (!torch.int, !torch.bool, !torch.int) -> !torch.int\n"
  "  return\n"
  "}",
  "func.func @unknown(%arg0: !torch.int) {\n"
  "  %0:2 = other.make %arg0\n"
  "  torch.some.use %0#0, %arg0 : ?, !torch.int\n"
  "  %1 = torch.some.more %0#1 : ? -> !torch.int\n"
  "  torch.overwrite.tensor.contents %0#0 overwrites %0#1 : ?, ?\n"
  "  return %0#1 : ?\n"
  "}",
  "torch.class_type @c {\n"
  "  torch.attr private \"n\" : !torch.union<int, float>\n"
  "  torch.method \"forward\", @f\n"
  "}\n"
  "%true = torch.constant.bool true\n"
  "torch.nn_module {\n"
  "  torch.slot \"n\", %true : !torch.bool\n"
  "} : !torch.nn.Module<\"c\">",
  "torch.global_slot \"private\" @s : !torch.dict<str, tuple<int, float>>\n"
  "torch.global_slot.module_initializer {\n"
  "  %0 = torch.constant.device \"cpu\"\n"
  "  torch.initialize.global_slots [ @s(%0 : !torch.Device) ]\n"
  "}",
  "func.func @shapes(%arg0: !torch.vtensor<[?],f32>) {\n"
  "  %0 = torch.symbolic_int \"s0\" {min_val = 2, max_val = 9} : !torch.int\n"
  "  torch.bind_symbolic_shape %arg0, [%0], affine_map<()[s0] -> (s0 * 2)> : "
  "!torch.vtensor<[?],f32>\n"
  "  %1 = torch.vtensor.literal(dense_resource<blob> : tensor<1xf32>) : !torch.vtensor<[1],f32>\n"
  "  %2 = arith.constant 1 : i64\n"
  "  return\n"
  "}\n"
  "\n{-#\n  dialect_resources: {\n    builtin: {\n      blob: \"0x040000000000803F\"\n    }\n  "
  "}\n#-}",
};

static AssayTorchModule *
parse (const char *text, gsize size, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, size);

  return assay_torch_module_parse (bytes, NULL, error);
}

static void
test_print (gconstpointer data)
{
  const char *text = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTorchModule) module = parse (text, strlen (text), &error);
  g_autofree char *again = NULL;

  g_assert_no_error (error);
  again = assay_torch_module_print (module);
  g_assert_cmpstr (g_strstrip (again), ==, text);
}

/* Other ways to write the same. */
static const struct
{
  const char *text;
  const char *expected;
} normalized[] = {
  { "%0 = \"torch.constant.int\"() {value = 1 : i64} : () -> !torch.int",
    "%0 = torch.constant.int 1 : i64" },
  { "%x = torch.constant.int 1\na.b %x%x {%y = 1%v}",
    "%x = torch.constant.int 1\na.b %x%x {%y = 1%v}" },
  { "torch.x torch.y\n%0 = torch.constant.int 1\ntorch.z %0 : !torch.int",
    "torch.x\ntorch.y\n%0 = torch.constant.int 1\ntorch.z %0 : !torch.int" },
  { "%0 = \"torch.prim.ListConstruct\"() : () -> !torch.list< !torch.int >",
    "%0 = torch.prim.ListConstruct : () -> !torch.list<int>" },
  { "!t = !torch.vtensor<[ 1 , ? ], f32>\nfunc.func private @f(!t)",
    "func.func private @f(!torch.vtensor<[1,?],f32>)" },
  { "%0 = torch.constant.int 1\n// -----\n%0 = torch.constant.int 2",
    "%0 = torch.constant.int 1\n%0_0 = torch.constant.int 2" },
  { "%0 = torch.aten.x : !torch.int", "%0 = torch.aten.x : !torch.int" },
  { "%0 = torch.constant.int 1\ntorch.aten.x %0 : !torch.int",
    "%0 = torch.constant.int 1\ntorch.aten.x %0 : !torch.int" },
  { "%0 = torch.constant.int 1\n%1:2 = torch.aten.x %0 : !torch.int -> (!torch.int, !torch.bool)",
    "%0 = torch.constant.int 1\n"
    "%1:2 = torch.aten.x %0 : !torch.int -> !torch.int, !torch.bool" },
  { "#a = 1\n#a = 2\n\"a.b\"() ({}, {}) : () -> ()",
    "#a = 2\n\n\"a.b\"() ({\n}, {\n}) : () -> ()" },
  { "func @f() { return }", "func.func @f() {\n  return\n}" },
  { "%0 = torch.constant.float 0x7FF0000000000000",
    "%0 = torch.constant.float 0x7FF0000000000000" },
  /* What stands behind on the next line, or in a comment, is no part of it. */
  { "return\n%0 = torch.constant.int 1", "return\n%0 = torch.constant.int 1" },
  { "%0 = torch.constant.int 1\nother.x\t// (\"%0\r\nother.y \r\n%1 = other.z // -> {\n",
    "%0 = torch.constant.int 1\nother.x\nother.y\n%1 = other.z" },
  { "torch.x // %0\n%0 = torch.constant.int 1", "torch.x\n%0 = torch.constant.int 1" },
  { "other.x {a = \"%0 }\" // \"\n}\nother.y", "other.x {a = \"%0 }\" \n}\nother.y" },
  { "{-# dialect_resources: {builtin: {\"a b\": \"0x00\"}} #-}\ntorch.x",
    "torch.x\n\n{-#\n  dialect_resources: {\n    builtin: {\n      \"a b\": \"0x00\"\n    }\n  }\n"
    "#-}" },
  /* Names and words that a short form has no place for. */
  { "\"torch.attr\"() {name = 5, type = i64} : () -> ()",
    "\"torch.attr\"() {name = 5, type = i64} : () -> ()" },
  { "\"torch.constant.float\"() {value = 5} : () -> !torch.float",
    "\"torch.constant.float\"() {value = 5} : () -> !torch.float" },
  { "\"func.func\"() {sym_name = \"f\", sym_visibility = \"a b\", function_type = () -> ()} : () "
    "-> ()",
    "\"func.func\"() {sym_name = \"f\", sym_visibility = \"a b\", function_type = () -> ()} : () "
    "-> "
    "()" },
  { "%0 = \"torch.x\"() : () -> ((i32) -> i32)", "%0 = \"torch.x\"() : () -> ((i32) -> i32)" },
  { "\"torch.shape.calculate\"() ({}, {}) : () -> ()",
    "\"torch.shape.calculate\"() ({\n}, {\n}) : () -> ()" },
  { "torch.x {a = @b::@\"c d\", \"$e\" = dense_resource<\"f g\"> : tensor<1xf32>}",
    "torch.x {a = @b::@\"c d\", \"$e\" = dense_resource<\"f g\"> : tensor<1xf32>}" },
  { "torch.x {a = tensor<2x 3xf32>}", "torch.x {a = tensor<2x3xf32>}" },
  /* The bits of a number are those of its type. */
  { "torch.x {a = 0x3C00 : f16, b = 0x3F80 : bf16, c = 0x7C00 : f16, d = 0x38 : f8E4M3FN}",
    "torch.x {a = 1.000000e+00 : f16, b = 1.000000e+00 : bf16, c = 0x7C00 : f16, d = 0x38 : "
    "f8E4M3FN}" },
  { "torch.x {a = 18446744073709551615 : ui64, b = -0x8000000000000000 : i64}",
    "torch.x {a = 18446744073709551615 : ui64, b = -9223372036854775808 : i64}" },
};

static void
test_normalize (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (normalized); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayTorchModule)
          module = parse (normalized[i].text, strlen (normalized[i].text), &error);
      g_autofree char *text = NULL;

      g_assert_no_error (error);
      text = assay_torch_module_print (module);
      g_assert_cmpstr (g_strstrip (text), ==, normalized[i].expected);
    }
}

/* What is wrong, and where. */
static const struct
{
  const char *text;
  const char *expected;
} wrong[] = {
  { "func.func @f() {", "line 1: “}” was expected" },
  { "func.func @f() {\n  return %0 : !torch.int\n}", "%0 is used and nowhere defined" },
  { "func.func @f(%x: !torch.vtensor) -> !torch.vtensor {\n"
    "  %1 = torch.aten.relu %0 : !torch.vtensor -> !torch.vtensor\n"
    "  %0 = torch.aten.relu %x : !torch.vtensor -> !torch.vtensor\n"
    "  return %1 : !torch.vtensor\n}",
    "line 3: %0 is used before it is defined" },
  { "func.func @f() -> !torch.vtensor {\n"
    "  %0 = torch.aten.relu %0 : !torch.vtensor -> !torch.vtensor\n"
    "  return %0 : !torch.vtensor\n}",
    "%0 is used before it is defined" },
  { "torch.global_slot.module_initializer {\n"
    "  %1 = torch.prim.ListConstruct %1 : (!torch.tensor) -> !torch.list<tensor>\n}",
    "line 2: %1 is used before it is defined" },
  { "\"func.func\"() ({\n^a(%x: !torch.int):\n"
    "  \"torch.prim.If\"(%x) ({\n"
    "    \"a.use\"(%1) : (!torch.int) -> ()\n"
    "    %1 = torch.constant.int 1\n  }) : (!torch.int) -> ()\n}) : () -> ()",
    "%1 is used before it is defined" },
  { "%0 = torch.constant.int 1\n%0 = torch.constant.int 1", "line 2: %0 is defined twice" },
  { "%0:2 = torch.constant.int 1", "has 1 result, but 2 names" },
  { "%0 = torch.constant.int 99999999999999999999", "a number is too large" },
  { "%0 = torch.aten.relu %0 : !torch.vtensor", "“->” and the type of a result was expected" },
  { "module attributes {a = \"", "a string has no end" },
  { "#a = {", "a bracket is not closed" },
  { "func.func private @f(!torch.list<int, int>)", "one inner type, not 2" },
  { "func.func private @f(!torch.vtensor<[1,],f32>)", "line 1: a number was expected" },
  { "func.func @f() -> !torch.vtensor {\n"
    "  %0 = torch.vtensor.literal(dense_resource<__elided__> : tensor<2xf32>) : !torch.vtensor\n"
    "  return %0 : !torch.vtensor\n}",
    "line 2: the elements of a literal were left out when the file was printed" },
  { "func.func @f() -> !torch.vtensor {\n"
    "  %0 = torch.vtensor.literal(dense_resource<none> : tensor<2xf32>) : !torch.vtensor\n"
    "  return %0 : !torch.vtensor\n}",
    "the file has no resource “none”" },
  { "func.func @f() -> !torch.vtensor {\n"
    "  %0 = torch.vtensor.literal(dense<[1.0]> : tensor<2xf32>) : !torch.vtensor\n"
    "  return %0 : !torch.vtensor\n}",
    "is no element of a literal" },
  { "func.func private @f()", "no function that can be called from outside" },
  { "func.func @f(%a: !torch.nn.Module<\"c\">) {\n  return\n}", "models take tensors" },
  { "func.func @f() {\n  return\n}", "the function returns no tensor" },
  { "func.func @f() {\n  call @f() : () -> ()\n  return\n}",
    "functions call each other too deeply" },
  { "torch.aten.neg %1#x", "a number was expected" },
  { "%0:0 = torch.constant.int 1", "that many results" },
  { "%0:5000 = torch.constant.int 1", "that many results" },
  { "%0, = torch.constant.int 1", "“%” was expected" },
  { "% = torch.constant.int 1", "a name was expected" },
  { "\"a.b\"()[^bb0] : () -> ()", "branches between blocks are not read in this form" },
  { "\"a.b\"() <{x = }> : () -> ()", "was expected" },
  { "\"a.b\"() <{x = 1} : () -> ()", "“>” was expected" },
  { "\"a.b\"() ({} : () -> ()", "“)” was expected" },
  { "\"a.b", "a string has no end" },
  { "\"\"() : () -> ()", "an operation was expected" },
  { "torch.aten.x loc 3", "“(” was expected" },
  { "torch.aten.x loc(3", "“)” was expected" },
  { "loc\ntorch.x", "an operation was expected, not “loc”" },
  { "func.func private @f()\nmodule {\n  attributes x\n}",
    "an operation was expected, not “attributes x”" },
  { "func.func @f() {\n^ :\n}", "a name was expected" },
  { "func.func @f() {\n^a\n}", "“:” was expected" },
  { "func.func @f() {\n^a(x):\n}", "“%” was expected" },
  { "func.func @f() {\n^a(%):\n}", "a name was expected" },
  { "func.func @f() {\n^a(%b):\n}", "“:” was expected" },
  { "func.func @f() {\n^a(%b : 3):\n}", "a type was expected" },
  { "func.func @f() {\n^a(%b : !torch.int %c : !torch.int):\n}", "“,” was expected" },
  { "func.func @f() {\n^a(%b : !torch.int, %b : !torch.int):\n}", "%b is defined twice" },
  { "func.func @f() {\n^a(%b : !torch.int loc 3):\n}", "“(” was expected" },
  { "torch.x : !torch.", "was expected, not “the end of the text”" },
  { "!a 3", "“=” was expected" },
  { "! = !torch.int", "a name was expected" },
  { "!a = !torch.list<", "a type was expected" },
  { "#a =\n", "an attribute was expected" },
  { "ML\xefR bytecode", "MLIR bytecode; print it as text" },
  /* What could not be printed as what it was. */
  { "%0 = torch.constant.int 1\ntorch.x %0 : !torch.bool",
    "line 2: %0 is of type !torch.int, not !torch.bool" },
  { "%0 = other.x\ntorch.x %0 : i32\n\"a.b\"(%0) : (i64) -> ()", "line 3: %0 is of type i32" },
  { "%0 = other.x\nother.y %0#0z", "the end of a name was expected" },
  { "%0 = other.x\nother.y %0#0 = 1", "the end of a name was expected" },
  { "%0 = other.x\n  loc(\"a\")", "line 2: an operation was expected, not “loc" },
  { "torch.x {a = 1, a = 2}", "there are two attributes “a”" },
  { "torch.constant.int 1 {value = 2}", "there are two attributes “value”" },
  { "torch.x {a = [{b, b}]}", "there are two attributes “b”" },
  { "torch.x {a = *b}", "an attribute was expected" },
  { "torch.x {a = 1.0e999}", "a number is too large" },
  { "torch.x {a = 0x10000000000000000}", "a number is too large" },
  { "torch.x {a = 0x10000 : f16}", "a number is too large" },
  { "torch.x {a = 9223372036854775808 : i64}", "a number is too large" },
  { "torch.x {a = -9223372036854775809}", "a number is too large" },
  { "torch.x {a = 0x}", "was expected" },
  { "torch.x {a = 5 : f32}", "a number of a type with a point has none" },
  { "torch.constant.float 5", "a number with a point was expected" },
  { "torch.prim.Load 5 : i32", "a name was expected" },
  { "func.func private @a::@b()", "@a::@b is no name of its own" },
  { "func.func @f(%a: i32) {\n^b:\n  return\n}", "has no label" },
  { "%0 = torch.constant.int 1\nfunc @f() {\n  other.x %0\n}", "%0 is used and nowhere defined" },
  { "%0 = other.x\n%1 = torch.prim.DictConstruct keys(%0 : ?) values() -> !torch.dict<str, int>",
    "1 of keys and 0 of values" },
  { "!a = f32\ntorch.x : !torch.list<!a>", "f32 stands in no type of torch" },
  { "!a = ?\ntorch.x {a = !a}", "a type that is known was expected" },
  { "torch.x : !torch.vtensor<[-1],f32>", "an extent of less than nothing" },
  { "torch.x : !torch.vtensor<[18446744073709551615],f32>", "a number is too large" },
  { "torch.x : (i32 i32) -> i32", "“,” was expected" },
  { "torch.x : (, i32) -> i32", "a type was expected" },
};

static void
test_wrong (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (wrong[i].text, strlen (wrong[i].text));
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayGraph)
          graph = assay_model_read_bytes (bytes, "wrong.mlir", NULL, NULL, NULL, &error);

      g_assert_null (graph);
      g_assert_nonnull (error);
      if (strstr (error->message, wrong[i].expected) == NULL)
        g_test_fail_printf ("“%s” lacks “%s”", error->message, wrong[i].expected);
    }
}

/* What is too long for a row of a table. */
static void
test_too_much (void)
{
  static const char zero[] = "torch.constant.int 1\n\0";
  g_autoptr (GString) text = g_string_new ("torch.aten.x %a");
  g_autoptr (AssayTorchModule) nothing = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 1; i < 65536; i++)
    g_string_append (text, ", %a");
  g_string_append (text, ", %b");
  g_assert_null (parse (text->str, text->len, &error));
  g_assert_nonnull (strstr (error->message, "line 1: more than 65536 operands"));
  g_clear_error (&error);
  g_string_assign (text, "torch.aten.x {a");
  for (guint i = 0; i < 65536; i++)
    g_string_append (text, ", a");
  g_string_append (text, "}");
  g_assert_null (parse (text->str, text->len, &error));
  g_assert_nonnull (strstr (error->message, "line 1: more than 65536 attributes"));
  g_clear_error (&error);
  g_assert_null (parse (zero, sizeof zero - 1, &error));
  g_assert_nonnull (strstr (error->message, "line 2: a byte of zero is no text"));
  g_clear_error (&error);
  nothing = parse ("", 0, &error);
  g_assert_no_error (error);
}

/* Short names of types that stand for others do not make a file long, nor what nests deep. */
static void
test_short_names (void)
{
  g_autoptr (GString) doubled = g_string_new ("!a0 = !torch.tuple<tensor, tensor>\n");
  g_autoptr (GString) nested = g_string_new ("!a0 = !torch.list<int>\n");
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 100; i++)
    g_string_append_printf (doubled, "!a%u = !torch.tuple<!a%u, !a%u>\n", i + 1, i, i);
  g_assert_null (parse (doubled->str, doubled->len, &error));
  g_assert_nonnull (strstr (error->message, "the types that names stand for have more bytes than"));
  g_clear_error (&error);
  for (guint i = 0; i < 200; i++)
    g_string_append_printf (nested, "!a%u = !torch.list<!a%u>\n", i + 1, i);
  g_assert_null (parse (nested->str, nested->len, &error));
  g_assert_nonnull (strstr (error->message, "nested deeper than 200 levels"));
}

/* What nests ends before the stack does. */
static void
test_nesting (void)
{
  static const char *const pieces[][3] = {
    { "func.func private @f(", "!torch.list<", "int" },
    { "module attributes {a = ", "[", "1" },
    { "", "module {", "" },
    { "module attributes {a = ", "{b = ", "1" },
    { "func.func private @f(", "() -> (", "" },
    { "#a = ", "<", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++)
    {
      g_autoptr (GString) text = g_string_new (pieces[i][0]);
      g_autoptr (GError) error = NULL;

      for (guint k = 0; k < 100000; k++)
        g_string_append (text, pieces[i][1]);
      g_string_append (text, pieces[i][2]);
      g_assert_null (parse (text->str, text->len, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
      g_assert_nonnull (strstr (error->message, "nested deeper than 200 levels"));
    }
}

#define TENSOR "!torch.vtensor"

/* Programs without inputs, and the elements of what they return. `%x` and `%i` are 2x3. */
static const struct
{
  const char *name;
  const char *body;
  const char *expected;
} programs[] = {
  { "promotion", "%r = torch.aten.add.Tensor %i, %half, %int1 : !t, !torch.float, !torch.int -> !t",
    "f32[2,3] 0.5 1.5 2.5 3.5 4.5 5.5" },
  { "true division", "%r = torch.aten.div.Tensor %i, %i2 : !t, !t -> !t",
    "f32[2,3] 0 0.5 1 1.5 2 2.5" },
  { "floor division",
    "%n = torch.aten.neg %i : !t -> !t\n"
    "%r = torch.aten.floor_divide %n, %i2 : !t, !t -> !t",
    "i64[2,3] 0 -1 -1 -2 -2 -3" },
  { "division that truncates",
    "%n = torch.aten.neg %i : !t -> !t\n"
    "%m = torch.constant.str \"trunc\"\n"
    "%r = torch.aten.div.Tensor_mode %n, %i2, %m : !t, !t, !torch.str -> !t",
    "i64[2,3] 0 0 -1 -1 -2 -2" },
  { "remainder",
    "%n = torch.aten.neg %i : !t -> !t\n"
    "%three = torch.constant.int 3\n"
    "%r = torch.aten.remainder.Scalar %n, %three : !t, !torch.int -> !t",
    "i64[2,3] 0 2 1 0 2 1" },
  { "mean of integers as numbers",
    "%e = torch.prim.ListConstruct %int1 : (!torch.int) -> !torch.list<int>\n"
    "%code = torch.constant.int 6\n"
    "%r = torch.aten.mean.dim %i, %e, %false, %code : !t, !torch.list<int>, !torch.bool, "
    "!torch.int -> !t",
    "f32[2] 1 4" },
  { "view",
    "%e = torch.prim.ListConstruct %int3, %int-1 : (!torch.int, !torch.int) -> !torch.list<int>\n"
    "%r = torch.aten.view %x, %e : !t, !torch.list<int> -> !t",
    "f32[3,2] 0 1 2 3 4 5" },
  { "a sum of all", "%r = torch.aten.sum %i, %none : !t, !torch.none -> !t", "i64[] 15" },
  { "as strided, with overlap",
    "%s = torch.prim.ListConstruct %int3, %int2 : (!torch.int, !torch.int) -> !torch.list<int>\n"
    "%d = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>\n"
    "%r = torch.aten.as_strided %x, %s, %d, %int2 : !t, !torch.list<int>, !torch.list<int>, "
    "!torch.int -> !t",
    "f32[3,2] 2 3 3 4 4 5" },
  { "a write in place",
    "%c = torch.aten.clone %x, %none : !t, !torch.none -> !t\n"
    "%w = torch.aten.mul_.Tensor %c, %x : !t, !t -> !t\n"
    "%r = torch.aten.add.Tensor %c, %x, %int1 : !t, !t, !torch.int -> !t",
    "f32[2,3] 0 2 6 12 20 30" },
  { "a write through a view of a view",
    "%c = torch.aten.clone %x, %none : !t, !torch.none -> !t\n"
    "%v = torch.aten.t %c : !t -> !t\n"
    "%row = torch.aten.select.int %v, %int0, %int1 : !t, !torch.int, !torch.int -> !t\n"
    "%w = torch.aten.fill_.Scalar %row, %half : !t, !torch.float -> !t\n"
    "%r = torch.aten.add.Tensor %c, %v2, %int1 : !t, !t, !torch.int -> !t",
    "f32[2,3] 0 1.5 4 6 4.5 10" },
  { "a view sees what is written behind it",
    "%c = torch.aten.clone %x, %none : !t, !torch.none -> !t\n"
    "%v = torch.aten.slice.Tensor %c, %int1, %int1, %int3, %int1 : !t, !torch.int, !torch.int, "
    "!torch.int, !torch.int -> !t\n"
    "%w = torch.aten.zero_ %c : !t -> !t\n"
    "%r = torch.aten.clone %v, %none : !t, !torch.none -> !t",
    "f32[2,2] 0 0 0 0" },
  { "what was copied is not written to",
    "%c = torch.aten.clone %x, %none : !t, !torch.none -> !t\n"
    "%r = torch.aten.clone %c, %none : !t, !torch.none -> !t\n"
    "%w = torch.aten.zero_ %c : !t -> !t",
    "f32[2,3] 0 1 2 3 4 5" },
  { "contents that are overwritten",
    "%c = torch.copy.to_tensor %x : !t\n"
    "%w = torch.aten.relu %i2 : !t -> !t\n"
    "torch.overwrite.tensor.contents %w overwrites %c : !t, !t\n"
    "%r = torch.copy.to_vtensor %c : !t",
    "f32[2,3] 2 2 2 2 2 2" },
  { "an index of two axes, counted from the back",
    "%a = torch.vtensor.literal(dense<[0, -1]> : tensor<2xsi64>) : !t\n"
    "%l = torch.prim.ListConstruct %a, %a : (!t, !t) -> !torch.list<vtensor>\n"
    "%r = torch.aten.index.Tensor %x, %l : !t, !torch.list<vtensor> -> !t",
    "f32[2] 0 5" },
  { "an index behind an axis",
    "%a = torch.vtensor.literal(dense<[[2, 0]]> : tensor<1x2xsi64>) : !t\n"
    "%l = torch.prim.ListConstruct %none, %a : (!torch.none, !t) -> !torch.list<optional<vtensor>>"
    "\n%r = torch.aten.index.Tensor %x, %l : !t, !torch.list<optional<vtensor>> -> !t",
    "f32[2,1,2] 2 0 5 3" },
  { "values that add up where an index comes twice",
    "%a = torch.vtensor.literal(dense<[1, 1]> : tensor<2xsi64>) : !t\n"
    "%l = torch.prim.ListConstruct %a : (!t) -> !torch.list<vtensor>\n"
    "%r = torch.aten.index_put %x, %l, %x, %true : !t, !torch.list<vtensor>, !t, !torch.bool -> "
    "!t",
    "f32[2,3] 0 1 2 6 9 12" },
  { "values in the place of others",
    "%a = torch.vtensor.literal(dense<[[0, 2], [1, 0]]> : tensor<2x2xsi64>) : !t\n"
    "%r = torch.aten.scatter.value %x, %int1, %a, %half : !t, !torch.int, !t, !torch.float -> !t",
    "f32[2,3] 0.5 1 0.5 0.5 0.5 5" },
  { "a list is taken apart",
    "%p = torch.aten.split.Tensor %x, %int2, %int1 : !t, !torch.int, !torch.int -> "
    "!torch.list<vtensor>\n"
    "%a:2 = torch.prim.ListUnpack %p : !torch.list<vtensor> -> !t, !t\n"
    "%l = torch.prim.ListConstruct %a#1, %a#0 : (!t, !t) -> !torch.list<vtensor>\n"
    "%r = torch.aten.cat %l, %int1 : !torch.list<vtensor>, !torch.int -> !t",
    "f32[2,3] 2 0 1 5 3 4" },
  { "a branch that is known",
    "%n = torch.aten.size.int %x, %int1 : !t, !torch.int -> !torch.int\n"
    "%b = torch.aten.gt.int %n, %int2 : !torch.int, !torch.int -> !torch.bool\n"
    "%r = torch.prim.If %b -> (!t) {\n"
    "  %y = torch.aten.neg %x : !t -> !t\n"
    "  torch.prim.If.yield %y : !t\n"
    "} else {\n"
    "  torch.prim.If.yield %x : !t\n"
    "}",
    "f32[2,3] 0 -1 -2 -3 -4 -5" },
  { "nothing at all",
    "%v = torch.aten.slice.Tensor %x, %int1, %int3, %int3, %int1 : !t, !torch.int, !torch.int, "
    "!torch.int, !torch.int -> !t\n"
    "%r = torch.aten.sum %v, %none : !t, !torch.none -> !t",
    "f32[] 0" },
  { "a diagonal below the middle",
    "%v = torch.vtensor.literal(dense<[1.0, 2.0]> : tensor<2xf32>) : !t\n"
    "%r = torch.aten.diag_embed %v, %int-1, %int0, %int1 : !t, !torch.int, !torch.int, !torch.int "
    "-> !t",
    "f32[3,3] 0 0 0 1 0 0 0 2 0" },
  { "windows that overlap",
    "%r = torch.aten.unfold %x, %int1, %int2, %int1 : !t, !torch.int, !torch.int, !torch.int -> !t",
    "f32[2,2,2] 0 1 1 2 3 4 4 5" },
  { "signs of zeros",
    "%v = torch.vtensor.literal(dense<[0.0, -0.0, -1.0]> : tensor<3xf32>) : !t\n"
    "%r = torch.aten.signbit %v : !t -> !t",
    "bool[3] 0 1 1" },
  { "the second smallest, and where it stands",
    "%v:2 = torch.aten.kthvalue %x, %int2, %int1, %false : !t, !torch.int, !torch.int, !torch.bool "
    "-> !t, !t\n"
    "%r = torch.aten.add.Tensor %v#0, %v#1, %int1 : !t, !t, !torch.int -> !t",
    "f32[2] 2 5" },
  { "counts of what is there",
    "%v = torch.vtensor.literal(dense<[1, 3, 1]> : tensor<3xsi64>) : !t\n"
    "%r = torch.aten.bincount %v, %none, %int0 : !t, !torch.none, !torch.int -> !t",
    "i64[4] 0 2 0 1" },
  { "a shift beyond what the type holds",
    "%v = torch.vtensor.literal(dense<[-128, 127]> : tensor<2xsi8>) : !t\n"
    "%n = torch.vtensor.literal(dense<7> : tensor<2xsi8>) : !t\n"
    "%r = torch.aten.bitwise_right_shift.Tensor %v, %n : !t, !t -> !t",
    "i8[2] -1 0" },
  { "windows of different lengths, and places in the plane",
    "%v = torch.vtensor.literal(dense<[[[[1.0, 5.0, 3.0]]]]> : tensor<1x1x1x3xf32>) : !t\n"
    "%s = torch.prim.ListConstruct %int1, %int2 : (!torch.int, !torch.int) -> !torch.list<int>\n"
    "%p:2 = torch.aten.adaptive_max_pool2d %v, %s : !t, !torch.list<int> -> !t, !t\n"
    "%r = torch.aten.add.Tensor %p#0, %p#1, %int1 : !t, !t, !torch.int -> !t",
    "f32[1,1,1,2] 6 6" },
  { "truths add up to truths",
    "%b = torch.aten.gt.Tensor %i, %i2 : !t, !t -> !t\n"
    "%r = torch.aten.add.Tensor %b, %b, %int1 : !t, !t, !torch.int -> !t",
    "bool[2,3] 0 0 0 1 1 1" },
  { "a norm of one group",
    "%w = torch.vtensor.literal(dense<[1.0, 2.0, 3.0]> : tensor<3xf32>) : !t\n"
    "%b = torch.vtensor.literal(dense<[10.0, 20.0, 30.0]> : tensor<3xf32>) : !t\n"
    "%third = torch.constant.float 0.33333333333333331\n"
    "%r = torch.aten.group_norm %x, %int1, %none, %none, %third, %false : !t, !torch.int, "
    "!torch.none, !torch.none, !torch.float, !torch.bool -> !t",
    "f32[2,3] -1 0 1 -1 0 1" },
  { "a norm of a group for each channel",
    "%w = torch.vtensor.literal(dense<[1.0, 2.0, 3.0]> : tensor<3xf32>) : !t\n"
    "%b = torch.vtensor.literal(dense<[10.0, 20.0, 30.0]> : tensor<3xf32>) : !t\n"
    "%third = torch.constant.float 0.33333333333333331\n"
    "%r = torch.aten.group_norm %x, %int3, %none, %none, %third, %false : !t, !torch.int, "
    "!torch.none, !torch.none, !torch.float, !torch.bool -> !t",
    "f32[2,3] 0 0 0 0 0 0" },
  { "a norm with weights",
    "%w = torch.vtensor.literal(dense<[1.0, 2.0, 3.0]> : tensor<3xf32>) : !t\n"
    "%b = torch.vtensor.literal(dense<[10.0, 20.0, 30.0]> : tensor<3xf32>) : !t\n"
    "%third = torch.constant.float 0.33333333333333331\n"
    "%r = torch.aten.group_norm %x, %int1, %w, %none, %third, %false : !t, !torch.int, !t, "
    "!torch.none, !torch.float, !torch.bool -> !t",
    "f32[2,3] -1 0 3 -1 0 3" },
  { "a norm with a bias",
    "%w = torch.vtensor.literal(dense<[1.0, 2.0, 3.0]> : tensor<3xf32>) : !t\n"
    "%b = torch.vtensor.literal(dense<[10.0, 20.0, 30.0]> : tensor<3xf32>) : !t\n"
    "%third = torch.constant.float 0.33333333333333331\n"
    "%r = torch.aten.group_norm %x, %int1, %none, %b, %third, %false : !t, !torch.int, "
    "!torch.none, !t, !torch.float, !torch.bool -> !t",
    "f32[2,3] 9 20 31 9 20 31" },
  { "a norm with both",
    "%w = torch.vtensor.literal(dense<[1.0, 2.0, 3.0]> : tensor<3xf32>) : !t\n"
    "%b = torch.vtensor.literal(dense<[10.0, 20.0, 30.0]> : tensor<3xf32>) : !t\n"
    "%third = torch.constant.float 0.33333333333333331\n"
    "%r = torch.aten.group_norm %x, %int1, %w, %b, %third, %false : !t, !torch.int, !t, !t, "
    "!torch.float, !torch.bool -> !t",
    "f32[2,3] 9 20 33 9 20 33" },
  { "a norm, result 0, with weights",
    "%w = torch.vtensor.literal(dense<[1.0, 2.0, 3.0]> : tensor<3xf32>) : !t\n"
    "%b = torch.vtensor.literal(dense<[10.0, 20.0, 30.0]> : tensor<3xf32>) : !t\n"
    "%third = torch.constant.float 0.33333333333333331\n"
    "%q:3 = torch.aten.native_group_norm %x, %w, %b, %int2, %int3, %int1, %int1, %third : !t, !t, "
    "!t, !torch.int, !torch.int, !torch.int, !torch.int, !torch.float -> !t, !t, !t\n"
    "%r = torch.aten.clone %q#0, %none : !t, !torch.none -> !t",
    "f32[2,3] 9 20 33 9 20 33" },
  { "a norm, result 1, with weights",
    "%w = torch.vtensor.literal(dense<[1.0, 2.0, 3.0]> : tensor<3xf32>) : !t\n"
    "%b = torch.vtensor.literal(dense<[10.0, 20.0, 30.0]> : tensor<3xf32>) : !t\n"
    "%third = torch.constant.float 0.33333333333333331\n"
    "%q:3 = torch.aten.native_group_norm %x, %w, %b, %int2, %int3, %int1, %int1, %third : !t, !t, "
    "!t, !torch.int, !torch.int, !torch.int, !torch.int, !torch.float -> !t, !t, !t\n"
    "%r = torch.aten.clone %q#1, %none : !t, !torch.none -> !t",
    "f32[2,1] 1 4" },
  { "a norm, result 1, without",
    "%w = torch.vtensor.literal(dense<[1.0, 2.0, 3.0]> : tensor<3xf32>) : !t\n"
    "%b = torch.vtensor.literal(dense<[10.0, 20.0, 30.0]> : tensor<3xf32>) : !t\n"
    "%third = torch.constant.float 0.33333333333333331\n"
    "%q:3 = torch.aten.native_group_norm %x, %none, %none, %int2, %int3, %int1, %int1, %third : "
    "!t, !torch.none, !torch.none, !torch.int, !torch.int, !torch.int, !torch.int, !torch.float -> "
    "!t, !t, !t\n"
    "%r = torch.aten.clone %q#1, %none : !t, !torch.none -> !t",
    "f32[2,1] 1 4" },
  { "a norm, result 2, with weights",
    "%w = torch.vtensor.literal(dense<[1.0, 2.0, 3.0]> : tensor<3xf32>) : !t\n"
    "%b = torch.vtensor.literal(dense<[10.0, 20.0, 30.0]> : tensor<3xf32>) : !t\n"
    "%third = torch.constant.float 0.33333333333333331\n"
    "%q:3 = torch.aten.native_group_norm %x, %w, %b, %int2, %int3, %int1, %int1, %third : !t, !t, "
    "!t, !torch.int, !torch.int, !torch.int, !torch.int, !torch.float -> !t, !t, !t\n"
    "%r = torch.aten.clone %q#2, %none : !t, !torch.none -> !t",
    "f32[2,1] 1 1" },
  { "a norm, result 2, without",
    "%w = torch.vtensor.literal(dense<[1.0, 2.0, 3.0]> : tensor<3xf32>) : !t\n"
    "%b = torch.vtensor.literal(dense<[10.0, 20.0, 30.0]> : tensor<3xf32>) : !t\n"
    "%third = torch.constant.float 0.33333333333333331\n"
    "%q:3 = torch.aten.native_group_norm %x, %none, %none, %int2, %int3, %int1, %int1, %third : "
    "!t, !torch.none, !torch.none, !torch.int, !torch.int, !torch.int, !torch.int, !torch.float -> "
    "!t, !t, !t\n"
    "%r = torch.aten.clone %q#2, %none : !t, !torch.none -> !t",
    "f32[2,1] 1 1" },
  { "x log y",
    "%e = torch.vtensor.literal(dense<[[2.718281828, 1.0, 2.718281828], [2.718281828, 2.718281828, "
    "1.0]]> : tensor<2x3xf32>) : !t\n"
    "%r = torch.aten.xlogy.Tensor %x, %e : !t, !t -> !t",
    "f32[2,3] 0 0 2 3 4 0" },
  { "the sign of another",
    "%m = torch.vtensor.literal(dense<[[-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]]> : tensor<2x3xf32>) : "
    "!t\n"
    "%r = torch.aten.copysign.Tensor %x, %m : !t, !t -> !t",
    "f32[2,3] 0 -1 2 -3 4 -5" },
  { "a step with a value at it",
    "%m = torch.vtensor.literal(dense<[[-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]]> : tensor<2x3xf32>) : "
    "!t\n"
    "%n = torch.aten.mul.Tensor %x, %m : !t, !t -> !t\n"
    "%h = torch.vtensor.literal(dense<0.5> : tensor<2x3xf32>) : !t\n"
    "%r = torch.aten.heaviside %n, %h : !t, !t -> !t",
    "f32[2,3] 0.5 0 1 0 1 0" },
  { "the logarithm of a sum", "%r = torch.aten.logaddexp2 %x, %x : !t, !t -> !t",
    "f32[2,3] 1 2 3 4 5 6" },
  { "the logarithm of a sum of others",
    "%z = torch.vtensor.literal(dense<-200.0> : tensor<2x3xf32>) : !t\n"
    "%r = torch.aten.logaddexp %x, %z : !t, !t -> !t",
    "f32[2,3] 0 1 2 3 4 5" },
  { "neighbours that are repeated",
    "%v = torch.vtensor.literal(dense<[[[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]]]> : "
    "tensor<1x3x1x2xf32>) : !t\n"
    "%s = torch.prim.ListConstruct %int2, %int2 : (!torch.int, !torch.int) -> !torch.list<int>\n"
    "%r = torch.aten.upsample_nearest2d.vec %v, %s, %none : !t, !torch.list<int>, !torch.none -> "
    "!t",
    "f32[1,3,2,2] 1 2 1 2 3 4 3 4 5 6 5 6" },
};

static const char head[] =
    "!t = !torch.vtensor\n"
    "func.func @forward() -> !t {\n"
    "%none = torch.constant.none\n"
    "%false = torch.constant.bool false\n"
    "%true = torch.constant.bool true\n"
    "%half = torch.constant.float 0.5\n"
    "%int-1 = torch.constant.int -1\n"
    "%int0 = torch.constant.int 0\n"
    "%int1 = torch.constant.int 1\n"
    "%int2 = torch.constant.int 2\n"
    "%int3 = torch.constant.int 3\n"
    "%x = torch.vtensor.literal(dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>) : !t\n"
    "%v2 = torch.vtensor.literal(dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>) : "
    "!t\n"
    "%i = torch.vtensor.literal(dense<\"0x00000000000000000100000000000000020000000000000003000000"
    "0000000004000000000000000500000000000000\"> : tensor<2x3xsi64>) : !t\n"
    "%i2 = torch.vtensor.literal(dense<2> : tensor<2x3xsi64>) : !t\n";

static char *
describe (AssayTensor *tensor)
{
  GString *text = g_string_new (assay_dtype_name (assay_tensor_get_dtype (tensor)));

  g_string_append_c (text, '[');
  for (guint i = 0; i < assay_tensor_get_rank (tensor); i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "",
                            assay_tensor_get_dims (tensor)[i]);
  g_string_append_c (text, ']');
  for (gsize i = 0; i < assay_tensor_get_n_elements (tensor); i++)
    {
      double value;

      g_assert_true (assay_tensor_get_element (tensor, i, &value, NULL));
      g_string_append_printf (text, " %g", value + 0.0);
    }

  return g_string_free (text, FALSE);
}

static char *
evaluate (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph)
      graph = assay_model_read_bytes (bytes, "program.mlir", NULL, findings, NULL, &error);
  g_autoptr (GPtrArray) outputs = NULL;

  g_assert_no_error (error);
  for (guint k = 0; k < assay_findings_get_count (findings); k++)
    g_error ("%s\n%s", assay_findings_get (findings, k)->message, text);
  g_assert_true (assay_graph_verify (graph, NULL));
  outputs = assay_evaluate_graph (graph, NULL, 0, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (outputs->len, ==, 1);

  return describe (outputs->pdata[0]);
}

static void
test_program (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autofree char *text = g_strconcat (head, programs[i].body, "\nreturn %r : !t\n}\n", NULL);
  g_autofree char *seen = evaluate (text);

  g_assert_cmpstr (seen, ==, programs[i].expected);
}

/* A program computes the same behind each pass, and its text reads as what it was printed from;
 * also if all its tensors may be written to. Behind the last pass it is one of values. */
static void
test_passes (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);

  /* The dialect wants the same element type on both sides, which the importer does not. */
  if (g_str_equal (programs[i].name, "contents that are overwritten"))
    return;
  for (guint k = 0; k < 2; k++)
    {
      g_autoptr (GString) text = g_string_new (head);
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayTorchModule) module = NULL;
      const AssayTorchPass *pass;

      g_string_append_printf (text, "%s\nreturn %%r : !t\n}\n", programs[i].body);
      if (k == 1)
        {
          g_string_replace (text, "vtensor.literal", "tensor.literal", 0);
          g_string_replace (text, "torch.vtensor", "torch.tensor", 0);
          g_string_replace (text, "<vtensor", "<tensor", 0);
        }
      module = parse (text->str, text->len, &error);
      g_assert_no_error (error);
      for (guint n = 0; (pass = assay_torch_pass_get (n)) != NULL; n++)
        {
          g_autoptr (GArray) changes = assay_torch_pass_run (pass, module, NULL, &error);
          g_autofree char *text_now = NULL;
          g_autofree char *again = NULL;
          g_autofree char *seen = NULL;
          g_autoptr (AssayTorchModule) other = NULL;

          g_assert_no_error (error);
          g_assert_nonnull (changes);
          text_now = assay_torch_module_print (module);
          other = parse (text_now, strlen (text_now), &error);
          if (error != NULL)
            g_error ("%s: %s\n%s", pass->name, error->message, text_now);
          again = assay_torch_module_print (other);
          g_assert_cmpstr (again, ==, text_now);
          seen = evaluate (text_now);
          if (!g_str_equal (seen, programs[i].expected))
            g_error ("%s: “%s” is not “%s”\n%s", pass->name, seen, programs[i].expected, text_now);
          if (k == 1 && assay_torch_pass_get (n + 1) == NULL &&
              (strstr (text_now, "overwrites") != NULL ||
               strstr (text_now, "!torch.tensor") != NULL))
            g_error ("is no program of values:\n%s", text_now);
        }
    }
}

/* Extents that are only known at run time have the names of their inputs, and may be bound. */
static void
test_open_extents (void)
{
  static const char text[] =
      "func.func @f(%x: !torch.vtensor<[?,4],f32>) -> !torch.vtensor<[?,2],f32> {\n"
      "  %0 = torch.constant.int 0\n"
      "  %2 = torch.constant.int 2\n"
      "  %n = torch.aten.size.int %x, %0 : !torch.vtensor<[?,4],f32>, !torch.int -> !torch.int\n"
      "  %m = torch.aten.mul.int %n, %2 : !torch.int, !torch.int -> !torch.int\n"
      "  %l = torch.prim.ListConstruct %m, %2 : (!torch.int, !torch.int) -> !torch.list<int>\n"
      "  %v = torch.aten.view %x, %l : !torch.vtensor<[?,4],f32>, !torch.list<int> -> "
      "!torch.vtensor<[?,2],f32>\n"
      "  %r = torch.aten.relu %v : !torch.vtensor<[?,2],f32> -> !torch.vtensor<[?,2],f32>"
      " loc(callsite(\"inner.py\":7:1 at \"outer.py\":9:1))\n"
      "  return %r : !torch.vtensor<[?,2],f32>\n"
      "}\n";
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph)
      graph = assay_model_read_bytes (bytes, "open.mlir", NULL, NULL, NULL, &error);
  const AssayRegion *region;
  const AssayNode *last;
  const AssayValue *output;
  g_autofree char *type = NULL;

  g_assert_no_error (error);
  region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  output = assay_graph_value (graph, g_array_index (region->outputs, AssayValueId, 0));
  type = assay_type_to_string (output->type);
  g_assert_cmpstr (type, ==, "f32[\"2*x:0\",2]");
  last = assay_graph_node (graph, output->producer);
  g_assert_cmpint (last->op, ==, ASSAY_OP_Relu);
  g_assert_cmpstr (g_array_index (graph->origins, AssayOrigin, last->origins[0]).path, ==,
                   "inner.py:7");
}

/* Files with objects and slots instead of literals. */
static const char *const objects[] = {
  /* The object graph of TorchScript: a module in a module, a buffer, a method that calls one. */
  "torch.class_type @inner {\n"
  "  torch.attr \"weight\" : !torch.tensor\n"
  "  torch.method \"forward\", @inner.forward\n"
  "}\n"
  "torch.class_type @outer {\n"
  "  torch.attr \"training\" : !torch.bool\n"
  "  torch.attr \"part\" : !torch.nn.Module<\"inner\">\n"
  "  torch.method \"forward\", @outer.forward\n"
  "}\n"
  "%w = torch.tensor.literal(dense<[1.0, 2.0]> : tensor<2xf32>) : !torch.tensor\n"
  "%t = torch.constant.bool false\n"
  "%i = torch.nn_module {\n"
  "  torch.slot \"weight\", %w : !torch.tensor\n"
  "} : !torch.nn.Module<\"inner\">\n"
  "torch.nn_module {\n"
  "  torch.slot \"training\", %t : !torch.bool\n"
  "  torch.slot \"part\", %i : !torch.nn.Module<\"inner\">\n"
  "} : !torch.nn.Module<\"outer\">\n"
  "func.func private @inner.forward(%self: !torch.nn.Module<\"inner\">, %x: !torch.tensor) -> "
  "!torch.tensor {\n"
  "  %0 = torch.prim.GetAttr %self[\"weight\"] : !torch.nn.Module<\"inner\"> -> !torch.tensor\n"
  "  %1 = torch.aten.mul_.Tensor %0, %x : !torch.tensor, !torch.tensor -> !torch.tensor\n"
  "  return %0 : !torch.tensor\n"
  "}\n"
  "func.func private @outer.forward(%self: !torch.nn.Module<\"outer\">) -> !torch.tensor {\n"
  "  %0 = torch.prim.GetAttr %self[\"part\"] : !torch.nn.Module<\"outer\"> -> "
  "!torch.nn.Module<\"inner\">\n"
  "  %x = torch.tensor.literal(dense<3.0> : tensor<2xf32>) : !torch.tensor\n"
  "  %1 = torch.prim.CallMethod %0[\"forward\"](%x) : !torch.nn.Module<\"inner\">, "
  "(!torch.tensor) -> !torch.tensor\n"
  "  return %1 : !torch.tensor\n"
  "}\n",
  "torch.global_slot \"private\" @w : !torch.tensor\n"
  "torch.global_slot.module_initializer {\n"
  "  %0 = torch.tensor.literal(dense<[3.0, 6.0]> : tensor<2xf32>) : !torch.tensor\n"
  "  torch.initialize.global_slots [ @w(%0 : !torch.tensor) ]\n"
  "}\n"
  "func.func private @twice(%x: !torch.tensor) -> !torch.tensor {\n"
  "  %1 = torch.aten.relu %x : !torch.tensor -> !torch.tensor\n"
  "  return %1 : !torch.tensor\n"
  "}\n"
  "func.func @forward() -> !torch.tensor {\n"
  "  %0 = torch.global_slot.get @w : !torch.tensor\n"
  "  %1 = call @twice(%0) : (!torch.tensor) -> !torch.tensor\n"
  "  return %1 : !torch.tensor\n"
  "}\n",
};

static void
test_objects (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (objects); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (objects[i], strlen (objects[i]));
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayGraph)
          graph = assay_model_read_bytes (bytes, "objects.mlir", NULL, NULL, NULL, &error);
      g_autoptr (GPtrArray) outputs = NULL;
      g_autofree char *seen = NULL;

      g_assert_no_error (error);
      outputs = assay_evaluate_graph (graph, NULL, 0, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      seen = describe (outputs->pdata[0]);
      g_assert_cmpstr (seen, ==, "f32[2] 3 6");
    }
}

/* Everything that keeps a program from the backends of torch-mlir, by cause. */
static void
test_contract (void)
{
  static const char text[] =
      "func.func @f(%a: !torch.tensor, %b: !torch.vtensor<[?],f32>) -> !torch.list<vtensor> {\n"
      "  %0 = torch.aten.relu %b : !torch.vtensor<[?],f32> -> !torch.vtensor<*,f32>\n"
      "  %1 = torch.aten.t %0 : !torch.vtensor<*,f32> -> !torch.vtensor<[?],unk> "
      "loc(\"net.py\":3:1)\n"
      "  %2 = torch.operator \"a.b\"(%1) : (!torch.vtensor<[?],unk>) -> !torch.dict<str, int>\n"
      "  %3 = torch.aten.relu_ %a : !torch.tensor -> !torch.tensor\n"
      "  %4 = torch.prim.ListConstruct %0 : (!torch.vtensor<*,f32>) -> !torch.list<vtensor>\n"
      "  return %4 : !torch.list<vtensor>\n"
      "}\n";
  static const char *const expected[] = {
    "2: tensors may be written to (torch-maximize-value-semantics",
    "  line 1  func.func  %a : !torch.tensor\n",
    "1: tensors have no rank",
    "1: tensors have no element type",
    "  line 3  net.py:3  torch.aten.t  %1 : !torch.vtensor<[?],unk>\n",
    "1: values are of types that no backend has",
    "1: operators are unknown",
    "1: operations write in place (torch-reduce-op-variants)",
    "1: operations are composites",
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTorchModule) module = parse (text, strlen (text), &error);
  g_autofree char *seen = NULL;
  guint n;

  g_assert_no_error (error);
  seen = assay_torch_module_check_contract (module, &n);
  g_assert_cmpuint (n, ==, 8);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    if (strstr (seen, expected[i]) == NULL)
      g_error ("“%s” lacks “%s”", seen, expected[i]);
}

/* What the dialect says of operations. */
static void
test_tables (void)
{
  const AssayTorchOpInfo *add = assay_torch_op_info_find ("torch.aten.add_.Tensor");

  g_assert_cmpint (add->n_operands, ==, 3);
  g_assert_cmpint (add->n_results, ==, 1);
  g_assert_cmpuint (add->traits, ==, ASSAY_TORCH_OP_IN_PLACE);
  g_assert_cmpuint (assay_torch_op_info_find ("torch.aten.relu")->traits, ==, ASSAY_TORCH_OP_VALUE);
  g_assert_null (assay_torch_op_info_find ("torch.aten.made_up"));
}

/* A signature has a word for each operand, and names no operand twice. Operands of any type, the
 * last of a few operations and the first of one, have no word. */
static void
test_signatures (void)
{
  static const struct
  {
    const char *name;
    int n_operands;
    const char *signature;
  } ops[] = {
#define VALUE
#define TORCH_OP(name, n_operands, n_results, traits, signature) { name, n_operands, signature },
#include "source/torch/torch-ops.def"
#undef TORCH_OP
#undef VALUE
  };

  static const char *const any[] = { "torch.aten._set_item.str",
                                     "torch.aten._set_item.t",
                                     "torch.aten.append.t",
                                     "torch.aten.get.default_str",
                                     "torch.aten.insert.t",
                                     "torch.prim.TupleIndex",
                                     NULL };

  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    {
      g_auto (GStrv) words = g_strsplit (ops[i].signature, " ", -1);
      g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

      if (*ops[i].signature == '\0')
        continue;
      for (guint j = 0; words[j] != NULL; j++)
        {
          const char *colon = strchr (words[j], ':');

          g_assert_nonnull (colon);
          g_assert_true (
              g_hash_table_add (names, g_strndup (words[j], (gsize) (colon - words[j]))));
          g_assert_true (g_regex_match_simple ("^:L?[Tifnbsd]\\??$", colon, 0, 0));
        }
      if ((int) g_strv_length (words) + g_strv_contains (any, ops[i].name) != ops[i].n_operands)
        g_error ("%s: %d operands, signature “%s”", ops[i].name, ops[i].n_operands,
                 ops[i].signature);
    }
}

/* A norm of no group, or of too few dimensions, stays in the graph. */
static void
test_no_groups (void)
{
  static const char *const cases[][2] = { { "%x", "%int0" },
                                          { "%x", "%int-1" },
                                          { "%v", "%int1" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "%s%%v = torch.vtensor.literal(dense<[1.0, 2.0]> : tensor<2xf32>) : "
          "!t\n"
          "%%r = torch.aten.group_norm %s, %s, %%none, %%none, %%half, %%false "
          ": !t, !torch.int, !torch.none, !torch.none, !torch.float, "
          "!torch.bool -> !t\nreturn %%r : !t\n}\n",
          head, cases[i][0], cases[i][1]);
      g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
      g_autoptr (AssayFindings) findings = assay_findings_new ();
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayGraph)
          graph = assay_model_read_bytes (bytes, "norm.mlir", NULL, findings, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (assay_findings_get_count (findings), >, 0);
      g_assert_nonnull (strstr (assay_findings_get (findings, 0)->message, "group_norm"));
    }
}

/* Operands with as many dimensions as there are, where an operation knows of one or two. */
static void
test_ranks (void)
{
  static const char *const names[] = {
#define RULE(name, ...) name,
#include "source/torch/torch-rules.def"

#include "test-program.h"
#undef RULE
  };
  static const char *const types[] = { "!torch.vtensor<[1,2,1,2,1,2,1,2],f32>",
                                       "!torch.vtensor<[1,2,1,2,1,2,1,2],si64>" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    for (guint k = 0; k < G_N_ELEMENTS (types); k++)
      {
        const AssayTorchOpInfo *info = assay_torch_op_info_find (names[i]);
        g_autoptr (GString) text = g_string_new (NULL);
        g_autoptr (GBytes) bytes = NULL;
        g_autoptr (GError) error = NULL;
        g_autoptr (AssayGraph) graph = NULL;

        if (info == NULL || info->n_operands < 1 || info->n_results < 1)
          continue;
        g_string_append_printf (text, "func.func @f(%%x: %s) -> !torch.vtensor {\n  %%0:%d = %s ",
                                types[k], info->n_results, names[i]);
        for (int j = 0; j < info->n_operands; j++)
          g_string_append (text, j > 0 ? ", %x" : "%x");
        for (int j = 0; j < info->n_operands; j++)
          g_string_append_printf (text, "%s%s", j > 0 ? ", " : " : ", types[k]);
        for (int j = 0; j < info->n_results; j++)
          g_string_append (text, j > 0 ? ", !torch.vtensor" : " -> !torch.vtensor");
        g_string_append (text, "\n  return %0#0 : !torch.vtensor\n}\n");
        bytes = g_bytes_new_static (text->str, text->len);
        graph = assay_model_read_bytes (bytes, "ranks.mlir", NULL, NULL, NULL, &error);
        g_assert ((graph == NULL) == (error != NULL));
      }
}

/* What nothing is known of stays in the graph, with a reason. */
static void
test_opaque (void)
{
  static const char text[] =
      "func.func @f(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> {\n"
      "  %0 = torch.aten.made_up %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>\n"
      "  return %0 : !torch.vtensor<[2],f32>\n"
      "}\n";
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph)
      graph = assay_model_read_bytes (bytes, "opaque.mlir", NULL, findings, NULL, &error);
  const AssayNode *node;

  g_assert_no_error (error);
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 1);
  g_assert_cmpstr (assay_findings_get (findings, 0)->rule, ==, "torch.opaque");
  node = assay_graph_node (graph, 1);
  g_assert_cmpint (node->op, ==, ASSAY_OP_OPAQUE);
  g_assert_cmpstr (node->op_type, ==, "aten.made_up");
  g_assert_cmpstr (node->domain, ==, "torch");
}

/* Short texts that mean much end in time: lists of lists, calls of calls, views of everything. */
static void
test_growth (void)
{
  g_autoptr (GString) lists = g_string_new ("func.func @f() -> !torch.list<int> {\n"
                                            "  %l0 = torch.prim.ListConstruct : () -> "
                                            "!torch.list<int>\n");
  g_autoptr (GString) calls = g_string_new ("func.func private @f0(%x: !torch.vtensor) -> "
                                            "!torch.vtensor {\n"
                                            "  %0 = torch.aten.relu %x : !torch.vtensor -> "
                                            "!torch.vtensor\n"
                                            "  return %0 : !torch.vtensor\n}\n");
  g_autoptr (GString) views = g_string_new ("func.func @f(%x: !torch.vtensor<[2],f32>) -> "
                                            "!torch.vtensor {\n"
                                            "  %n = torch.constant.int 2000000\n"
                                            "  %z = torch.constant.int 0\n"
                                            "  %s = torch.prim.ListConstruct %n : (!torch.int) -> "
                                            "!torch.list<int>\n"
                                            "  %d = torch.prim.ListConstruct %z : (!torch.int) -> "
                                            "!torch.list<int>\n");
  GString *const texts[] = { lists, calls, views };

  for (guint i = 1; i < 50; i++)
    {
      g_string_append_printf (
          lists,
          "  %%l%u = torch.prim.ListConstruct %%l%u, %%l%u : (!torch.list<int>, "
          "!torch.list<int>) -> !torch.list<int>\n",
          i, i - 1, i - 1);
      g_string_append_printf (calls,
                              "func.func @f%u(%%x: !torch.vtensor) -> !torch.vtensor {\n"
                              "  %%0 = call @f%u(%%x) : (!torch.vtensor) -> !torch.vtensor\n"
                              "  %%1 = call @f%u(%%0) : (!torch.vtensor) -> !torch.vtensor\n"
                              "  return %%1 : !torch.vtensor\n}\n",
                              i, i - 1, i - 1);
      g_string_append_printf (views,
                              "  %%v%u = torch.aten.as_strided %%x, %%s, %%d, %%z : "
                              "!torch.vtensor<[2],f32>, !torch.list<int>, !torch.list<int>, "
                              "!torch.int -> !torch.vtensor\n",
                              i);
    }
  g_string_append (lists, "  return %l49 : !torch.list<int>\n}\n");
  g_string_append (calls, "func.func @main(%x: !torch.vtensor) -> !torch.vtensor {\n"
                          "  %0 = call @f49(%x) : (!torch.vtensor) -> !torch.vtensor\n"
                          "  return %0 : !torch.vtensor\n}\n");
  g_string_append (views, "  return %v49 : !torch.vtensor\n}\n");
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (texts[i]->str, texts[i]->len);
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayGraph)
          graph = assay_model_read_bytes (bytes, "growth.mlir", NULL, NULL, NULL, &error);

      g_assert ((graph == NULL) == (error != NULL));
      g_assert ((graph != NULL) == (i == 2));
    }
}

/* A long program takes as long as two of half the length, and one name is looked up like another.
 */
static void
test_long (void)
{
  g_autoptr (GString) text = g_string_new ("func.func @f(%0: !torch.vtensor<[2],f32>) -> "
                                           "!torch.vtensor<[2],f32> {\n");
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTorchModule) module = NULL;
  guint n = 50000;

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text,
                            "  %%%u = torch.aten.relu %%%u : !torch.vtensor<[2],f32> -> "
                            "!torch.vtensor<[2],f32>\n",
                            i + 1, i);
  g_string_append_printf (text, "  return %%%u : !torch.vtensor<[2],f32>\n}\n", n);
  module = parse (text->str, text->len, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (module->n_ops, ==, n + 2);
  g_assert_cmpuint (module->types.n, <, 8);
}

TEST_PROGRAM (torch)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (printed); i++)
    {
      g_autofree char *path = g_strdup_printf ("/torch/print/%u", i);

      g_test_add_data_func (path, printed[i], test_print);
    }
  g_test_add_func ("/torch/normalize", test_normalize);
  g_test_add_func ("/torch/wrong", test_wrong);
  g_test_add_func ("/torch/too-much", test_too_much);
  g_test_add_func ("/torch/nesting", test_nesting);
  g_test_add_func ("/torch/short-names", test_short_names);
  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autofree char *path = g_strconcat ("/torch/program/", programs[i].name, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_program);
      g_free (g_steal_pointer (&path));
      path = g_strdup_printf ("/torch/passes/%s", programs[i].name);
      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_passes);
    }
  g_test_add_func ("/torch/open-extents", test_open_extents);
  g_test_add_func ("/torch/objects", test_objects);
  g_test_add_func ("/torch/contract", test_contract);
  g_test_add_func ("/torch/tables", test_tables);
  g_test_add_func ("/torch/signatures", test_signatures);
  g_test_add_func ("/torch/no-groups", test_no_groups);
  g_test_add_func ("/torch/opaque", test_opaque);
  g_test_add_func ("/torch/ranks", test_ranks);
  g_test_add_func ("/torch/growth", test_growth);
  g_test_add_func ("/torch/long", test_long);

  return g_test_run ();
}
