/* test-torch-passes.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The passes of the torch dialect, one example for each thing that one does.
 */
#include <glib.h>
#include <string.h>

#include "source/torch/assay-torch-backends.h"
#include "source/torch/assay-torch-contract.h"
#include "source/torch/assay-torch-op.h"
#include "source/torch/pass/assay-torch-decompose-private.h"
#include "source/torch/pass/assay-torch-pass.h"
#include "source/torch/pass/assay-torch-steps.h"

#include "test-program.h"

#define TENSOR "!torch.tensor<[2,3],f32>"
#define VTENSOR "!torch.vtensor<[2,3],f32>"

static AssayTorchModule *
parse (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  AssayTorchModule *module = assay_torch_module_parse (bytes, NULL, &error);

  g_assert_no_error (error);

  return module;
}

/* What a program is behind a pass and all before it. */
static const struct
{
  const char *name;
  const char *pass;
  const char *before;
  const char *after;
} examples[] = {
  { "in place", "reduce-op-variants",
    "func.func @f(%x: " TENSOR ") -> " TENSOR " {\n"
    "  %0 = torch.aten.relu_ %x : " TENSOR " -> " TENSOR "\n"
    "  %1 = torch.aten.tanh_ %0 : " TENSOR " -> " TENSOR "\n"
    "  return %1 : " TENSOR "\n"
    "}",
    "func.func @f(%x: " TENSOR ") -> " TENSOR " {\n"
    "  %x_0 = torch.copy.to_vtensor %x : " VTENSOR "\n"
    "  %0 = torch.aten.relu %x_0 : " VTENSOR " -> " VTENSOR "\n"
    "  torch.overwrite.tensor.contents %0 overwrites %x : " VTENSOR ", " TENSOR "\n"
    "  %0_0 = torch.copy.to_vtensor %x : " VTENSOR "\n"
    "  %1 = torch.aten.tanh %0_0 : " VTENSOR " -> " VTENSOR "\n"
    "  torch.overwrite.tensor.contents %1 overwrites %x : " VTENSOR ", " TENSOR "\n"
    "  return %x : " TENSOR "\n"
    "}" },
  { "in place with another element type", "reduce-op-variants",
    "func.func @f(%x: !torch.tensor<[2],f32>, %y: !torch.tensor<[2],f64>) -> !torch.none {\n"
    "  %int1 = torch.constant.int 1\n"
    "  %none = torch.constant.none\n"
    "  %0 = torch.aten.add_.Tensor %x, %y, %int1 : !torch.tensor<[2],f32>, "
    "!torch.tensor<[2],f64>, !torch.int -> !torch.tensor<[2],f32>\n"
    "  return %none : !torch.none\n"
    "}",
    "func.func @f(%x: !torch.tensor<[2],f32>, %y: !torch.tensor<[2],f64>) {\n"
    "  %int1 = torch.constant.int 1\n"
    "  %x_0 = torch.copy.to_vtensor %x : !torch.vtensor<[2],f32>\n"
    "  %y_0 = torch.copy.to_vtensor %y : !torch.vtensor<[2],f64>\n"
    "  %0 = torch.aten.add.Tensor %x_0, %y_0, %int1 : !torch.vtensor<[2],f32>, "
    "!torch.vtensor<[2],f64>, !torch.int -> !torch.vtensor<[2],unk>\n"
    "  %none = torch.constant.none\n"
    "  %false = torch.constant.bool false\n"
    "  %int6 = torch.constant.int 6\n"
    "  %0_0 = torch.aten.to.dtype %0, %int6, %false, %false, %none : !torch.vtensor<[2],unk>, "
    "!torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[2],f32>\n"
    "  torch.overwrite.tensor.contents %0_0 overwrites %x : !torch.vtensor<[2],f32>, "
    "!torch.tensor<[2],f32>\n"
    "  return\n"
    "}" },
  { "an addition that overwrites", "maximize-value-semantics",
    "func.func @f(%v: " VTENSOR ", %w: " VTENSOR ") -> " VTENSOR " {\n"
    "  %int1 = torch.constant.int 1\n"
    "  %x = torch.copy.to_tensor %v : " TENSOR "\n"
    "  %y = torch.copy.to_tensor %w : " TENSOR "\n"
    "  %0 = torch.aten.add_.Tensor %x, %y, %int1 : " TENSOR ", " TENSOR ", !torch.int -> " TENSOR
    "\n"
    "  %1 = torch.aten.mul.Tensor %x, %0 : " TENSOR ", " TENSOR " -> " VTENSOR "\n"
    "  return %1 : " VTENSOR "\n"
    "}",
    "func.func @f(%v: " VTENSOR ", %w: " VTENSOR ") -> " VTENSOR " {\n"
    "  %int1 = torch.constant.int 1\n"
    "  %0 = torch.aten.add.Tensor %v, %w, %int1 : " VTENSOR ", " VTENSOR ", !torch.int -> " VTENSOR
    "\n"
    "  %1 = torch.aten.mul.Tensor %0, %0 : " VTENSOR ", " VTENSOR " -> " VTENSOR "\n"
    "  return %1 : " VTENSOR "\n"
    "}" },
  { "unsqueezed twice", "maximize-value-semantics",
    "func.func @f(%v: !torch.vtensor) -> !torch.vtensor {\n"
    "  %int0 = torch.constant.int 0\n"
    "  %0 = torch.copy.to_tensor %v : !torch.tensor\n"
    "  %1 = torch.aten.unsqueeze %0, %int0 : !torch.tensor, !torch.int -> !torch.tensor\n"
    "  %2 = torch.aten.unsqueeze %1, %int0 : !torch.tensor, !torch.int -> !torch.tensor\n"
    "  %3 = torch.copy.to_vtensor %2 : !torch.vtensor\n"
    "  return %3 : !torch.vtensor\n"
    "}",
    "func.func @f(%v: !torch.vtensor) -> !torch.vtensor {\n"
    "  %int0 = torch.constant.int 0\n"
    "  %1 = torch.aten.unsqueeze %v, %int0 : !torch.vtensor, !torch.int -> !torch.vtensor\n"
    "  %2 = torch.aten.unsqueeze %1, %int0 : !torch.vtensor, !torch.int -> !torch.vtensor\n"
    "  return %2 : !torch.vtensor\n"
    "}" },
  { "a write through a view", "maximize-value-semantics",
    "func.func @f(%v: " VTENSOR ", %w: !torch.vtensor<[3],f32>) -> " VTENSOR " {\n"
    "  %int0 = torch.constant.int 0\n"
    "  %0 = torch.copy.to_tensor %v : " TENSOR "\n"
    "  %1 = torch.aten.select.int %0, %int0, %int0 : " TENSOR ", !torch.int, !torch.int -> "
    "!torch.tensor<[3],f32>\n"
    "  torch.overwrite.tensor.contents %w overwrites %1 : !torch.vtensor<[3],f32>, "
    "!torch.tensor<[3],f32>\n"
    "  %2 = torch.copy.to_vtensor %0 : " VTENSOR "\n"
    "  return %2 : " VTENSOR "\n"
    "}",
    "func.func @f(%v: " VTENSOR ", %w: !torch.vtensor<[3],f32>) -> " VTENSOR " {\n"
    "  %int0 = torch.constant.int 0\n"
    "  %v_0 = torch.aten.select_scatter %v, %w, %int0, %int0 : " VTENSOR
    ", !torch.vtensor<[3],f32>, "
    "!torch.int, !torch.int -> " VTENSOR "\n"
    "  return %v_0 : " VTENSOR "\n"
    "}" },
  { "a write to what may be a copy stays", "maximize-value-semantics",
    "func.func @f(%v: !torch.vtensor, %w: !torch.vtensor) -> !torch.vtensor {\n"
    "  %int0 = torch.constant.int 0\n"
    "  %0 = torch.copy.to_tensor %v : !torch.tensor\n"
    "  %1 = torch.aten.t %0 : !torch.tensor -> !torch.tensor\n"
    "  %2 = torch.aten.flatten.using_ints %1, %int0, %int0 : !torch.tensor, !torch.int, "
    "!torch.int -> !torch.tensor\n"
    "  torch.overwrite.tensor.contents %w overwrites %2 : !torch.vtensor, !torch.tensor\n"
    "  %3 = torch.copy.to_vtensor %0 : !torch.vtensor\n"
    "  return %3 : !torch.vtensor\n"
    "}",
    "func.func @f(%v: !torch.vtensor, %w: !torch.vtensor) -> !torch.vtensor {\n"
    "  %int0 = torch.constant.int 0\n"
    "  %0 = torch.copy.to_tensor %v : !torch.tensor\n"
    "  %1 = torch.aten.t %0 : !torch.tensor -> !torch.tensor\n"
    "  %2 = torch.aten.flatten.using_ints %1, %int0, %int0 : !torch.tensor, !torch.int, "
    "!torch.int -> !torch.tensor\n"
    "  torch.overwrite.tensor.contents %w overwrites %2 : !torch.vtensor, !torch.tensor\n"
    "  %3 = torch.copy.to_vtensor %0 : !torch.vtensor\n"
    "  return %3 : !torch.vtensor\n"
    "}" },
  { "a convolution of unknown sizes", "refine-types",
    "func.func @f(%x: !torch.vtensor, %w: !torch.vtensor<[8,3,5,5],f32>) -> !torch.vtensor {\n"
    "  %none = torch.constant.none\n"
    "  %false = torch.constant.bool false\n"
    "  %int1 = torch.constant.int 1\n"
    "  %l = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>\n"
    "  %c = torch.tensor_static_info_cast %x : !torch.vtensor to !torch.vtensor<[?,?,?,?],f32>\n"
    "  %0 = torch.aten.convolution %c, %w, %none, %l, %l, %l, %false, %l, %int1 : "
    "!torch.vtensor<[?,?,?,?],f32>, !torch.vtensor<[8,3,5,5],f32>, !torch.none, !torch.list<int>, "
    "!torch.list<int>, !torch.list<int>, !torch.bool, !torch.list<int>, !torch.int -> "
    "!torch.vtensor\n"
    "  return %0 : !torch.vtensor\n"
    "}",
    "-> !torch.vtensor<[?,8,?,?],f32>\n" },
  { "what is returned", "refine-public-return",
    "func.func @f(%v: " VTENSOR ") -> (!torch.tensor, !torch.optional<vtensor>) {\n"
    "  %0 = torch.copy.to_tensor %v : " TENSOR "\n"
    "  %1 = torch.tensor_static_info_cast %0 : " TENSOR " to !torch.tensor\n"
    "  %2 = torch.derefine %v : " VTENSOR " to !torch.optional<vtensor>\n"
    "  return %1, %2 : !torch.tensor, !torch.optional<vtensor>\n"
    "}",
    "func.func @f(%v: " VTENSOR ") -> (" VTENSOR ", " VTENSOR ") {\n"
    "  return %v, %v : " VTENSOR ", " VTENSOR "\n"
    "}" },
  { "types that are promised", "adjust-calling-conventions",
    "func.func @f(%x: !torch.tensor {torch.type_bound = " VTENSOR "}) -> !torch.tuple<tensor, "
    "none> {\n"
    "  %none = torch.constant.none\n"
    "  %0 = torch.prim.TupleConstruct %x, %none : !torch.tensor, !torch.none -> "
    "!torch.tuple<tensor, none>\n"
    "  return %0 : !torch.tuple<tensor, none>\n"
    "}",
    "func.func @f(%x: " VTENSOR ") -> !torch.tensor {\n"
    "  %x_0 = torch.tensor_static_info_cast %x : " VTENSOR " to !torch.vtensor\n"
    "  %x_1 = torch.copy.to_tensor %x_0 : !torch.tensor\n"
    "  return %x_1 : !torch.tensor\n"
    "}" },
  { "a module with a buffer", "globalize-object-graph",
    "torch.class_type @inner {\n"
    "  torch.attr private \"buffer\" : !torch.tensor\n"
    "  torch.method \"forward\", @inner.forward\n"
    "}\n"
    "torch.class_type @outer {\n"
    "  torch.attr \"part\" : !torch.nn.Module<\"inner\">\n"
    "  torch.method \"forward\", @outer.forward\n"
    "}\n"
    "%w = torch.tensor.literal(dense<1.0> : tensor<2xf32>) : !torch.tensor\n"
    "%i = torch.nn_module {\n"
    "  torch.slot \"buffer\", %w : !torch.tensor\n"
    "} : !torch.nn.Module<\"inner\">\n"
    "torch.nn_module {\n"
    "  torch.slot \"part\", %i : !torch.nn.Module<\"inner\">\n"
    "} : !torch.nn.Module<\"outer\">\n"
    "func.func private @inner.forward(%self: !torch.nn.Module<\"inner\">, %x: !torch.tensor) -> "
    "!torch.tensor {\n"
    "  %0 = torch.prim.GetAttr %self[\"buffer\"] : !torch.nn.Module<\"inner\"> -> !torch.tensor\n"
    "  %1 = torch.aten.mul.Tensor %0, %x : !torch.tensor, !torch.tensor -> !torch.tensor\n"
    "  return %1 : !torch.tensor\n"
    "}\n"
    "func.func private @outer.forward(%self: !torch.nn.Module<\"outer\">, %x: !torch.tensor) -> "
    "!torch.tensor {\n"
    "  %0 = torch.prim.GetAttr %self[\"part\"] : !torch.nn.Module<\"outer\"> -> "
    "!torch.nn.Module<\"inner\">\n"
    "  %1 = torch.prim.CallMethod %0[\"forward\"](%x) : !torch.nn.Module<\"inner\">, "
    "(!torch.tensor) -> !torch.tensor\n"
    "  return %1 : !torch.tensor\n"
    "}",
    "torch.global_slot \"private\" @part.buffer : !torch.tensor\n"
    "torch.global_slot.module_initializer {\n"
    "  %w = torch.tensor.literal(dense<1.0> : tensor<2xf32>) : !torch.tensor\n"
    "  torch.initialize.global_slots [ @part.buffer(%w : !torch.tensor) ]\n"
    "}\n"
    "func.func @forward(%x: !torch.tensor) -> !torch.tensor {\n"
    "  %1 = call @part.forward(%x) : (!torch.tensor) -> !torch.tensor\n"
    "  return %1 : !torch.tensor\n"
    "}\n"
    "func.func private @part.forward(%x: !torch.tensor) -> !torch.tensor {\n"
    "  %0 = torch.global_slot.get @part.buffer : !torch.tensor\n"
    "  %1 = torch.aten.mul.Tensor %0, %x : !torch.tensor, !torch.tensor -> !torch.tensor\n"
    "  return %1 : !torch.tensor\n"
    "}" },
  { "a call", "inline",
    "func.func private @twice(%x: !torch.vtensor) -> !torch.vtensor {\n"
    "  %0 = torch.aten.neg %x : !torch.vtensor -> !torch.vtensor\n"
    "  return %0 : !torch.vtensor\n"
    "}\n"
    "func.func @f(%x: !torch.vtensor) -> !torch.vtensor {\n"
    "  %0 = call @twice(%x) : (!torch.vtensor) -> !torch.vtensor\n"
    "  %1 = call @twice(%0) : (!torch.vtensor) -> !torch.vtensor\n"
    "  return %1 : !torch.vtensor\n"
    "}",
    "func.func @f(%x: !torch.vtensor) -> !torch.vtensor {\n"
    "  %0 = torch.aten.neg %x : !torch.vtensor -> !torch.vtensor\n"
    "  %0_0 = torch.aten.neg %0 : !torch.vtensor -> !torch.vtensor\n"
    "  return %0_0 : !torch.vtensor\n"
    "}" },
  { "a slot that is only read", "inline-global-slots",
    "torch.global_slot \"private\" @w : !torch.tensor\n"
    "torch.global_slot.module_initializer {\n"
    "  %0 = torch.tensor.literal(dense<3.0> : tensor<2xf32>) : !torch.tensor<[2],f32>\n"
    "  torch.initialize.global_slots [ @w(%0 : !torch.tensor<[2],f32>) ]\n"
    "}\n"
    "func.func @f() -> !torch.tensor {\n"
    "  %0 = torch.global_slot.get @w : !torch.tensor\n"
    "  %1 = torch.aten.relu %0 : !torch.tensor -> !torch.tensor\n"
    "  return %1 : !torch.tensor\n"
    "}",
    "func.func @f() -> !torch.tensor {\n"
    "  %0 = torch.tensor.literal(dense<3.0> : tensor<2xf32>) : !torch.tensor<[2],f32>\n"
    "  %0_0 = torch.tensor_static_info_cast %0 : !torch.tensor<[2],f32> to !torch.tensor\n"
    "  %1 = torch.aten.relu %0_0 : !torch.tensor -> !torch.tensor\n"
    "  return %1 : !torch.tensor\n"
    "}" },
  { "a tensor in two slots that is written to", "inline-global-slots",
    "torch.global_slot \"private\" @a : !torch.tensor\n"
    "torch.global_slot \"private\" @b : !torch.list<tensor>\n"
    "torch.global_slot.module_initializer {\n"
    "  %0 = torch.tensor.literal(dense<3.0> : tensor<2xf32>) : !torch.tensor\n"
    "  %1 = torch.prim.ListConstruct %0 : (!torch.tensor) -> !torch.list<tensor>\n"
    "  torch.initialize.global_slots [ @a(%0 : !torch.tensor) @b(%1 : !torch.list<tensor>) ]\n"
    "}\n"
    "func.func @f() -> !torch.vtensor {\n"
    "  %0 = torch.global_slot.get @a : !torch.tensor\n"
    "  %1 = torch.aten.relu_ %0 : !torch.tensor -> !torch.tensor\n"
    "  %2 = torch.global_slot.get @b : !torch.list<tensor>\n"
    "  %int0 = torch.constant.int 0\n"
    "  %3 = torch.aten.__getitem__.t %2, %int0 : !torch.list<tensor>, !torch.int -> "
    "!torch.tensor\n"
    "  %4 = torch.copy.to_vtensor %3 : !torch.vtensor\n"
    "  return %4 : !torch.vtensor\n"
    "}",
    "torch.initialize.global_slots [ @a(%0 : !torch.tensor) @b(%1 : !torch.list<tensor>) ]" },
  { "numbers that are known", "canonicalize",
    "func.func @f(%x: !torch.vtensor<[4,?],f32>) -> !torch.vtensor<[4,?],f32> {\n"
    "  %int0 = torch.constant.int 0\n"
    "  %n = torch.aten.size.int %x, %int0 : !torch.vtensor<[4,?],f32>, !torch.int -> !torch.int\n"
    "  %m = torch.aten.mul.int %n, %n : !torch.int, !torch.int -> !torch.int\n"
    "  %b = torch.aten.gt.int %m, %n : !torch.int, !torch.int -> !torch.bool\n"
    "  %r = torch.prim.If %b -> (!torch.vtensor<[4,?],f32>) {\n"
    "    %0 = torch.aten.add.Scalar %x, %m, %n : !torch.vtensor<[4,?],f32>, !torch.int, !torch.int "
    "-> !torch.vtensor<[4,?],f32>\n"
    "    torch.prim.If.yield %0 : !torch.vtensor<[4,?],f32>\n"
    "  } else {\n"
    "    torch.prim.If.yield %x : !torch.vtensor<[4,?],f32>\n"
    "  }\n"
    "  return %r : !torch.vtensor<[4,?],f32>\n"
    "}",
    "func.func @f(%x: !torch.vtensor<[4,?],f32>) -> !torch.vtensor<[4,?],f32> {\n"
    "  %int4 = torch.constant.int 4\n"
    "  %int16 = torch.constant.int 16\n"
    "  %0 = torch.aten.add.Scalar %x, %int16, %int4 : !torch.vtensor<[4,?],f32>, !torch.int, "
    "!torch.int -> !torch.vtensor<[4,?],f32>\n"
    "  return %0 : !torch.vtensor<[4,?],f32>\n"
    "}" },
  { "a composite", "decompose-complex-ops",
    "func.func @f(%x: " VTENSOR ") -> " VTENSOR " {\n"
    "  %0 = torch.aten.silu %x : " VTENSOR " -> " VTENSOR "\n"
    "  return %0 : " VTENSOR "\n"
    "}",
    "func.func @f(%x: " VTENSOR ") -> " VTENSOR " {\n"
    "  %0 = torch.aten.sigmoid %x : " VTENSOR " -> " VTENSOR "\n"
    "  %0_0 = torch.aten.mul.Tensor %x, %0 : " VTENSOR ", " VTENSOR " -> " VTENSOR "\n"
    "  return %0_0 : " VTENSOR "\n"
    "}" },
};

static void
test_example (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (AssayTorchModule) module = parse (examples[i].before);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  g_assert_true (assay_torch_module_run_passes (module, assay_torch_pass_find (examples[i].pass),
                                                NULL, &error));
  g_assert_no_error (error);
  text = assay_torch_module_print (module);
  if (g_str_has_suffix (examples[i].after, "\n") || !g_str_has_suffix (examples[i].after, "}"))
    {
      if (strstr (text, examples[i].after) == NULL)
        g_error ("“%s” lacks “%s”", text, examples[i].after);
    }
  else
    g_assert_cmpstr (g_strstrip (text), ==, examples[i].after);
}

/* What each pass changed is told, and the contract holds behind the last one. */
static void
test_described (void)
{
  static const char text[] = "func.func @f(%x: !torch.tensor {torch.type_bound = " VTENSOR
                             "}) -> !torch.tensor {\n"
                             "  %0 = torch.aten.neg %x : !torch.tensor -> !torch.tensor\n"
                             "  %1 = torch.aten.relu_ %0 : !torch.tensor -> !torch.tensor\n"
                             "  return %1 : !torch.tensor\n"
                             "}\n";
  static const char *const expected[] = {
    "inline: Calls become what is called (nothing here)\n",
    "\n  +1 torch.aten.relu\n  -1 torch.aten.relu_\n",
    "\n  +1 torch.overwrite.tensor.contents\n",
    "\n  -1 torch.overwrite.tensor.contents\n",
  };
  g_autoptr (AssayTorchModule) module = parse (text);
  g_autoptr (GError) error = NULL;
  g_autofree char *before = NULL;
  g_autofree char *seen = NULL;
  g_autofree char *after = NULL;
  guint n;

  before = assay_torch_module_check_contract (module, &n);
  g_assert_cmpuint (n, >, 0);
  seen = assay_torch_module_describe_passes (module, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    if (strstr (seen, expected[i]) == NULL)
      g_error ("“%s” lacks “%s”", seen, expected[i]);
  after = assay_torch_module_check_contract (module, &n);
  g_assert_cmpstr (after, ==, "The program keeps to the backend contract.\n");
}

/* What stands in the way of each backend, with its lines. */
static void
test_backends (void)
{
  static const char text[] = "func.func @f(%x: " VTENSOR ") -> " VTENSOR " {\n"
                             "  %0 = torch.aten.tanh %x : " VTENSOR " -> " VTENSOR "\n"
                             "  %1 = torch.operator \"a.b\"(%0) : (" VTENSOR ") -> " VTENSOR
                             " loc(\"net.py\":7:1)\n"
                             "  %2 = torch.aten.acosh %1 : " VTENSOR " -> " VTENSOR "\n"
                             "  return %2 : " VTENSOR "\n"
                             "}\n";
  static const char *const expected[] = {
    "linalg: 1 of 3 operations stands in the way\n  - 1 torch.operator\n    line 3  net.py:7\n",
    "  + 1 torch.aten.tanh  TorchToLinalg/Uncategorized.cpp\n",
    "TOSA: 2 of 3 operations stand in the way\n",
    "  - 1 torch.aten.acosh\n    line 4\n",
    "StableHLO: ",
  };
  g_autoptr (AssayTorchModule) module = parse (text);
  g_autofree char *seen = NULL;
  guint n;

  seen = assay_torch_module_check_backends (module, &n);
  g_assert_cmpuint (n, ==, 1);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    if (strstr (seen, expected[i]) == NULL)
      g_error ("“%s” lacks “%s”", seen, expected[i]);
}

/* What no pass can do ends with a reason. */
static const struct
{
  const char *text;
  const char *expected;
} wrong[] = {
  { "torch.class_type @c {\n  torch.method \"forward\", @f\n}\n"
    "func.func private @f(%s: !torch.nn.Module<\"c\">) {\n"
    "  %0 = torch.prim.ListConstruct %s : (!torch.nn.Module<\"c\">) -> "
    "!torch.list<nn.Module<\"c\">>\n"
    "  return\n}\n"
    "torch.nn_module {\n} : !torch.nn.Module<\"c\">\n",
    "globalize-object-graph: line 5: an object is used for something else" },
  { "torch.class_type @c {\n  torch.method \"forward\", @f\n}\n"
    "func.func private @f(%s: !torch.nn.Module<\"c\">) -> !torch.int {\n"
    "  %0 = torch.prim.GetAttr %s[\"n\"] : !torch.nn.Module<\"c\"> -> !torch.int\n"
    "  return %0 : !torch.int\n}\n"
    "torch.nn_module {\n} : !torch.nn.Module<\"c\">\n",
    "line 5: an object has no such attribute" },
};

static void
test_wrong (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (AssayTorchModule) module = parse (wrong[i].text);
      g_autoptr (GError) error = NULL;

      g_assert_false (assay_torch_module_run_passes (module, NULL, NULL, &error));
      g_assert_nonnull (error);
      if (strstr (error->message, wrong[i].expected) == NULL)
        g_error ("“%s” lacks “%s”", error->message, wrong[i].expected);
    }
}

/* Every step has a node for each operation that is told, in the words of the text of that pass, and
 * all of the contract; the last step before a pass that cannot be carried out is the end. */
static void
test_steps (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "torch", "module.mlir", NULL);
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, NULL);
  g_autoptr (GBytes) bytes = g_mapped_file_get_bytes (file);
  g_autoptr (GBytes) broken = g_bytes_new_static (wrong[0].text, strlen (wrong[0].text));
  g_autoptr (AssayTorchSteps) ended = NULL;
  g_autoptr (AssayTorchSteps) steps = NULL;
  g_autoptr (GError) error = NULL;

  steps = assay_torch_steps_new (bytes, NULL, &error);
  g_assert_no_error (error);
  g_assert_no_error (steps->error);
  for (guint i = 0; i < steps->steps->len; i++)
    {
      const AssayTorchStep *step = steps->steps->pdata[i];
      g_autoptr (AssayTorchModule) module = assay_torch_module_parse (bytes, NULL, &error);
      g_autofree char *text = NULL;
      g_autofree char *contract = NULL;
      guint n_faults;

      g_assert_true (step->pass == (i > 0 ? assay_torch_pass_get (i - 1) : NULL));
      if (step->pass != NULL)
        g_assert_true (assay_torch_module_run_passes (module, step->pass, NULL, &error));
      text = assay_torch_module_print (module);
      for (AssayNodeId n = 1; n < assay_graph_n_nodes (step->graph); n++)
        {
          const AssayNode *node = assay_graph_node (step->graph, n);
          const char *name = strchr (node->name, '%');

          if (strstr (text, node->op_type) == NULL && !g_str_equal (node->op_type, "func.call"))
            g_error ("step %u: no %s in the text", i, node->op_type);
          if (name != NULL && strstr (text, name) == NULL)
            g_error ("step %u: no %s in the text", i, name);
        }
      contract = assay_torch_module_check_contract (module, &n_faults);
      g_assert_cmpuint (step->n_faults, ==, n_faults);
      g_assert_cmpuint (step->fates->len, ==, assay_graph_n_nodes (step->graph));
      for (guint n = 1; i == 0 && n < step->fates->len; n++)
        g_assert_cmpuint (step->fates->data[n], ==, ASSAY_TORCH_FATE_SAME);
    }
  g_assert_null (assay_torch_pass_get (steps->steps->len - 1));

  ended = assay_torch_steps_new (broken, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (ended->error);
  g_assert_cmpuint (ended->steps->len, ==, 1);
}

/* Calls of calls of calls end, and so do functions that call themselves. */
static void
test_growth (void)
{
  g_autoptr (GString) text = g_string_new ("func.func private @f0(%x: !torch.vtensor) -> "
                                           "!torch.vtensor {\n"
                                           "  %0 = call @f0(%x) : (!torch.vtensor) -> "
                                           "!torch.vtensor\n"
                                           "  return %0 : !torch.vtensor\n}\n");
  g_autoptr (AssayTorchModule) module = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 1; i < 50; i++)
    g_string_append_printf (text,
                            "func.func @f%u(%%x: !torch.vtensor) -> !torch.vtensor {\n"
                            "  %%0 = call @f%u(%%x) : (!torch.vtensor) -> !torch.vtensor\n"
                            "  %%1 = call @f%u(%%0) : (!torch.vtensor) -> !torch.vtensor\n"
                            "  return %%1 : !torch.vtensor\n}\n",
                            i, i - 1, i - 1);
  module = parse (text->str);
  g_assert_false (assay_torch_module_run_passes (module, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "the program is too long"));
}

/* Every row is of a composite, and of operations that the dialect has, with as many operands. */
static void
test_decompositions (void)
{
  const AssayTorchDecomposition *row;

  for (guint i = 0; (row = assay_torch_decomposition_get (i)) != NULL; i++)
    {
      const AssayTorchOpInfo *info = assay_torch_op_info_find (row->name);
      g_auto (GStrv) operands = g_strsplit (row->operands, " ", -1);
      g_auto (GStrv) steps = g_strsplit (row->steps, "; ", -1);

      g_assert_nonnull (info);
      g_assert_cmpint (info->n_operands, ==, (int) g_strv_length (operands));
      for (guint k = 0; steps[k] != NULL; k++)
        {
          g_auto (GStrv) words = g_strsplit (steps[k], " ", -1);
          g_autofree char *name = g_strconcat ("torch.", words[2], NULL);
          const AssayTorchOpInfo *step = assay_torch_op_info_find (name);
          const char *several = strchr (words[0], ':');
          gboolean is_open = FALSE;
          int n = 0;

          if (step == NULL)
            g_error ("%s: the dialect has no %s", row->name, name);
          /* Behind an arrow stand the results of the whole row. */
          for (guint w = 3; words[w] != NULL && !g_str_equal (words[w], "->"); w++)
            {
              n += !is_open;
              is_open = (is_open || words[w][0] == '[') && !g_str_has_suffix (words[w], "]");
            }
          g_assert_cmpint (several != NULL ? atoi (several + 1) : 1, ==, step->n_results);
          if (n != step->n_operands)
            g_error ("%s: %s has %d operands, not %d", row->name, name, step->n_operands, n);
          g_assert_cmpstr (name, !=, row->name);
        }
    }
}

TEST_PROGRAM (torch_passes)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (examples); i++)
    {
      g_autofree char *path = g_strdup_printf ("/torch-passes/example/%s", examples[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_example);
    }
  g_test_add_func ("/torch-passes/described", test_described);
  g_test_add_func ("/torch-passes/backends", test_backends);
  g_test_add_func ("/torch-passes/wrong", test_wrong);
  g_test_add_func ("/torch-passes/steps", test_steps);
  g_test_add_func ("/torch-passes/growth", test_growth);
  g_test_add_func ("/torch-passes/decompositions", test_decompositions);

  return g_test_run ();
}
