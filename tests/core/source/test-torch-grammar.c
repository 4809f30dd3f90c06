/* test-torch-grammar.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Text of torch is read, printed and read again as the same, whatever stands beside whatever: every
 * form with every kind of attribute, type and count, each before all that can follow, and words of
 * the grammar in every order. What cannot be printed is refused when it is read.
 */
#include <glib.h>
#include <string.h>

#include "source/torch/assay-torch-module.h"

#include "test-program.h"
#include "torch-same.h"

static const struct
{
  const char *name;
  const char *format;
} forms[] = {
#define FORM(name, format, result) { name, format },
#include "source/torch/torch-forms.def"
#undef FORM
  { "torch.aten.any", "" },
  { "torch.any name", "" },
  { "other.any", "" },
  { "loc", "" },
  { "attributes", "" },
  { "func", "" },
  { "func.func", "@sym_name ?\"private\" =function_type =arg_attrs =res_attrs" },
  { "builtin.module", "@sym_name" },
};

static const char *const values[] = {
  "unit",
  "true",
  "5",
  "-5 : i64",
  "18446744073709551615 : ui64",
  "0x7FC00001 : f32",
  "0x7C01 : f16",
  "0xFF81 : bf16",
  "0x7FF0000000000000 : f64",
  "0x80 : f8E4M3FN",
  "0.5",
  "-0.0 : f32",
  "\"\"",
  "\"a\"",
  "\"private\"",
  "\"public\"",
  "\"nested\"",
  "\"a b\"",
  "\"a\\00b\\FF\"",
  "\"%0 \\22\"",
  "@a",
  "@\"a b\"",
  "@\"\"",
  "@a::@\"b c\"",
  "i32",
  "private",
  "index",
  "#m",
  "#other<a // b >\n>",
  "affine_map<(d0) -> (d0)>",
  "sparse<1, 2>",
  "sparse<1, 2> : tensor<2xf32>",
  "!torch.int",
  "!word",
  "!function",
  "!tensor",
  "() -> ()",
  "(i32) -> (i32, i64)",
  "tensor<2x3xf32>",
  "[]",
  "[1, \"a\"]",
  "[{}]",
  "[{}, {a}]",
  "[@a]",
  "[@a, @b]",
  "[\"a\"]",
  "{}",
  "{a = 1, \"$b\" = {}}",
  "dense<[1, 2]> : tensor<2xsi64>",
  "dense<1 // >\n> : !tensor",
  "dense_resource<a> : tensor<1xf32>",
  "dense_resource<\"a b\"> : tensor<1xf32>",
  "dense_resource<\"\"> : tensor<1xf32>",
  "\"other\"",
  "?",
  "*",
  "1.0e999",
  "0x10000 : f16",
  "99999999999999999999",
  "0x",
  "5 : f32",
};

static const char *const types[] = {
  "!torch.int",
  "!torch.tensor",
  "!torch.vtensor<[2,?],f32>",
  "!torch.list<optional<int>>",
  "!torch.nn.Module<\"a \\22 b\">",
  "!torch.dict<str, tensor>",
  "!torch.tuple<>",
  "!torch.list<!other<a>>",
  "!torch.vtensor<*,unk,#e>",
  "i32",
  "tensor<2x 3xf32>",
  "tensor<*xf32>",
  "tensor<f32, #e // >\n>",
  "!other<a->b, [<]>",
  "!other<a // >\n>",
  "() -> ()",
  "(i32) -> ((i64) -> i32)",
  "!word",
  "!function",
  "!tensor",
  "!list",
  "!torch.list<!word>",
  "!torch.list<!tensor>",
  "!torch.list<!function>",
  "!list_of",
  "?",
  "!nothing",
};

/* What follows an operation. */
static const char *const heads[] = {
  "",
  "%z = \"b.c\"() : () -> i32",
  "%z:2, %y = \"b.c\"() : () -> (i32, i32, i32)",
  "b.c",
  "b.c %a",
  "\"b.c\"() : () -> ()",
  "return",
  "torch.x {a}",
  "loc$x",
  "attributes.x",
  "%z = b.c",
  "torch.constant.none",
  "func.func private @g()",
  "private",
  "else.x",
};

static const char prelude[] = "!word = f32\n!function = (i32) -> i32\n!tensor = tensor<2xf32>\n"
                              "!list = !torch.list<int>\n#m = 1 // \"(\n";

static AssayTorchModule *
parse (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GError) error = NULL;
  AssayTorchModule *module = assay_torch_module_parse (bytes, NULL, &error);

  g_assert_true ((module == NULL) == (error != NULL));

  return module;
}

/* Whether it is read. */
static gboolean
check (const char *text)
{
  g_autoptr (AssayTorchModule) module = parse (text);
  g_autoptr (AssayTorchModule) again = NULL;
  g_autofree char *printed = NULL;
  g_autofree char *twice = NULL;
  const char *different;

  if (module == NULL)
    return FALSE;
  printed = assay_torch_module_print (module);
  again = parse (printed);
  if (again == NULL)
    g_error ("this is read:\n%s\nand printed as this, which is not:\n%s", text, printed);
  different = torch_same (module, again);
  if (different != NULL)
    g_error ("%s differs: this is read:\n%s\nand printed as this:\n%s", different, text, printed);
  twice = assay_torch_module_print (again);
  g_assert_cmpstr (printed, ==, twice);

  return TRUE;
}

static void
append_list (GString *text, guint n, const char *what)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", what);
}

/* An operation in the form that all have. */
static void
append_generic (GString *text, const char *name, const char *attrs, guint n_operands,
                const char *operand, guint n_results, const char *result, guint n_regions)
{
  if (n_operands > 0)
    g_string_append_printf (text, "%%a = \"x.y\"() : () -> (%s)\n", operand);
  if (n_results > 0)
    g_string_append_printf (text, "%%b:%u = ", n_results);
  g_string_append_printf (text, "\"%s\"(", name);
  append_list (text, n_operands, "%a");
  g_string_append (text, n_regions > 0 ? ") (" : ")");
  append_list (text, n_regions, "{\n^l:\n%c = x.y\ntorch.z %c : ?\n}");
  g_string_append_printf (text, "%s {%s} : (", n_regions > 0 ? ")" : "", attrs);
  append_list (text, n_operands, operand);
  g_string_append (text, ") -> (");
  append_list (text, n_results, result);
  g_string_append (text, ")\n");
}

/* The attributes of a form, one of them with a value of its own. */
static char *
dup_attrs (const char *format, guint which, const char *value)
{
  GString *text = g_string_new (NULL);
  guint n = 0;

  for (const char *p = format; *p != '\0';)
    {
      gsize length = strcspn (p, " ");
      g_autofree char *own = g_strndup (p + 1, length - 1);
      const char *name = p[0] == 'S'                  ? "slotSymNames"
                         : p[0] == '?' && p[1] == '"' ? "sym_visibility"
                         : p[0] == '?'                ? "isPrivate"
                                                      : own;

      if (strchr ("=&@?S", *p) != NULL)
        {
          g_string_append_printf (text, "%s%s = %s", n > 0 ? ", " : "", name,
                                  n == which                             ? value
                                  : *p == 'S'                            ? "[@a]"
                                  : g_str_equal (name, "function_type")  ? "() -> ()"
                                  : g_str_equal (name, "isPrivate")      ? "unit"
                                  : g_str_equal (name, "sym_visibility") ? "\"private\""
                                  : g_str_has_suffix (name, "_attrs")    ? "[]"
                                  : g_str_has_suffix (format, "float\"") ? "1.0"
                                                                         : "\"v\"");
          n++;
        }
      p += length;
      p += strspn (p, " ");
    }
  if (which >= n)
    g_string_append_printf (text, "%sextra = %s", n > 0 ? ", " : "", value);

  return g_string_free (text, FALSE);
}

static guint
count_attrs (const char *format)
{
  guint n = 0;

  for (const char *p = format; *p != '\0'; p++)
    n += strchr ("=&@?S", *p) != NULL && (p == format || p[-1] == ' ');

  return n;
}

static const struct
{
  guint operands, results, regions;
} counts[] = {
  { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 }, { 3, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 },
  { 2, 1, 0 }, { 3, 1, 0 }, { 0, 2, 0 }, { 1, 2, 0 }, { 2, 2, 0 }, { 0, 0, 1 },
  { 1, 0, 1 }, { 2, 1, 1 }, { 0, 1, 1 }, { 3, 1, 1 }, { 0, 0, 2 }, { 1, 0, 2 },
  { 1, 1, 2 }, { 0, 1, 2 }, { 0, 2, 2 }, { 1, 1, 3 },
};

/* Whether a form is printed with so many operands, results and regions; one generic text will do.
 */
static gboolean
counts_matter (guint f, guint c)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (AssayTorchModule) module = NULL;
  g_autofree char *attrs = dup_attrs (forms[f].format, G_MAXUINT, "5");
  g_autofree char *printed = NULL;
  g_autofree char *generic = g_strdup_printf ("\"%s\"", forms[f].name);

  append_generic (text, forms[f].name, attrs, counts[c].operands, "i1", counts[c].results,
                  "!torch.int", counts[c].regions);
  module = parse (text->str);
  printed = module != NULL ? assay_torch_module_print (module) : NULL;

  return c == G_N_ELEMENTS (counts) - 1 || printed == NULL || strstr (printed, generic) == NULL;
}

static guint
next_counts (guint f, guint c)
{
  while (c < G_N_ELEMENTS (counts) && !counts_matter (f, c))
    c++;

  return c;
}

static void
test_attributes (void)
{
  guint n_read = 0;

  for (guint f = 0; f < G_N_ELEMENTS (forms); f++)
    for (guint c = next_counts (f, 0); c < G_N_ELEMENTS (counts); c = next_counts (f, c + 1))
      for (guint which = 0; which <= count_attrs (forms[f].format); which++)
        for (guint v = 0; v < G_N_ELEMENTS (values); v++)
          {
            g_autoptr (GString) text = g_string_new (prelude);
            g_autofree char *attrs = dup_attrs (forms[f].format, which, values[v]);

            append_generic (text, forms[f].name, attrs, counts[c].operands, "!torch.int",
                            counts[c].results, "!torch.int", counts[c].regions);
            g_string_append (text, "%z = \"b.c\"() : () -> i32\n");
            n_read += check (text->str);
          }
  g_assert_cmpuint (n_read, >, 10000);
}

static void
test_types (void)
{
  guint n_read = 0;

  for (guint f = 0; f < G_N_ELEMENTS (forms); f++)
    for (guint c = next_counts (f, 0); c < G_N_ELEMENTS (counts); c = next_counts (f, c + 1))
      for (guint t = 0; t < G_N_ELEMENTS (types); t++)
        for (guint is_result = 0; is_result < 2; is_result++)
          {
            g_autoptr (GString) text = g_string_new (prelude);
            g_autofree char *attrs = dup_attrs (forms[f].format, G_MAXUINT, "5");

            append_generic (text, forms[f].name, attrs, counts[c].operands,
                            is_result ? "i1" : types[t], counts[c].results,
                            is_result ? types[t] : "i1", counts[c].regions);
            if (counts[c].results > 0)
              g_string_append_printf (text, "torch.use %%b : %s\nother.use {%%b%%} %%b#0:%%b#%u\n",
                                      is_result ? types[t] : "i1", counts[c].results - 1);
            n_read += check (text->str);
          }
  g_assert_cmpuint (n_read, >, 10000);
}

/* Each operation before each: within a region, at the end of a file, and before its resources. */
static void
test_neighbours (void)
{
  guint n_read = 0;

  for (guint f = 0; f < G_N_ELEMENTS (forms); f++)
    for (guint c = next_counts (f, 0); c < G_N_ELEMENTS (counts); c = next_counts (f, c + 1))
      for (guint h = 0; h < G_N_ELEMENTS (heads); h++)
        for (guint place = 0; place < 4; place++)
          {
            g_autoptr (GString) text = g_string_new (prelude);
            g_autofree char *attrs = dup_attrs (forms[f].format, G_MAXUINT, "5");

            if (place == 1)
              g_string_append (text, "{-# dialect_resources: {builtin: {\"a b\": \"0x00\"}} #-}\n");
            if (place >= 2)
              g_string_append (text, "\"r.r\"() ({\n");
            append_generic (text, forms[f].name, place == 0 ? "" : attrs, counts[c].operands,
                            "!torch.int", counts[c].results, "!torch.none", counts[c].regions);
            g_string_append_printf (text, "%s\n", heads[h]);
            if (place >= 2)
              g_string_append (text, place == 3 ? "^next(%q: i32 loc(a)):\n}) : () -> ()\n"
                                                : "}) : () -> ()\n");
            n_read += check (text->str);
          }
  g_assert_cmpuint (n_read, >, 10000);
}

static const char *const words[] = {
  "%a",
  "%a#0",
  "%m",
  "%m#1",
  "%m#0",
  "@s",
  "@\"a b\"",
  "@a::@b",
  "\"s%a\"",
  "\"\\00\\22\"",
  "5",
  "0x7F800001",
  "1.5",
  "-",
  "->",
  ":",
  ",",
  "=",
  "(",
  ")",
  "{",
  "}",
  "[",
  "]",
  "<",
  ">",
  "i32",
  "!torch.int",
  "!torch.list<!word>",
  "!function",
  "tensor<2x 3xf32>",
  "() -> ()",
  "(i32) -> i32",
  "?",
  "#m",
  "loc(x)",
  "loc",
  "attributes",
  "// \"(\n",
  "\n",
  "^bb0",
  "dense<1 // >\n> : i32",
  "unit",
  "true",
  "private",
  "{b = 1}",
  "{-# #-}",
  "*",
  "x",
  "%n =",
  "#0",
};

static const char *const beginnings[] = { "torch.x",   "other.x", "\"x.y\"(%a)",
                                          "func.func", "module",  "%n =" };

static guint
check_words (const char *beginning, guint n, const guint *which, gboolean is_tight)
{
  g_autoptr (GString) text = g_string_sized_new (512);

  g_string_append (text, prelude);
  g_string_append (text, "%a = x.y\n%m:2 = x.y\n\"r.r\"() ({\n");
  g_string_append (text, beginning);
  for (guint i = 0; i < n; i++)
    {
      g_string_append (text, is_tight && i > 0 ? "" : " ");
      g_string_append (text, words[which[i]]);
    }
  g_string_append (text, "\n}) : () -> ()\n");

  return check (text->str);
}

/* Words of the grammar in every order behind what an operation begins with. */
static void
test_words (void)
{
  const guint n = G_N_ELEMENTS (words);
  guint n_read = 0;

  for (guint f = 0; f < G_N_ELEMENTS (forms) + G_N_ELEMENTS (beginnings); f++)
    {
      gboolean is_form = f < G_N_ELEMENTS (forms);
      const char *beginning = is_form ? forms[f].name : beginnings[f - G_N_ELEMENTS (forms)];

      for (guint i = 0; i < n; i++)
        for (guint j = 0; j < n; j++)
          for (guint k = 0; k < (is_form ? 1 : n); k++)
            n_read += check_words (beginning, is_form ? 2 : 3, (const guint[]){ i, j, k },
                                   (i + j + k) % 2);
    }
  g_assert_cmpuint (n_read, >, 10000);
}

/* Longer ones, as they come. */
static void
test_many_words (void)
{
  guint n_read = 0;

  for (guint i = 0; i < 100000; i++)
    {
      guint which[8];
      guint n = (guint) g_test_rand_int_range (3, 9);
      guint f = (guint) g_test_rand_int_range (0, G_N_ELEMENTS (forms) +
                                                      5 * G_N_ELEMENTS (beginnings));

      for (guint j = 0; j < n; j++)
        which[j] = (guint) g_test_rand_int_range (0, G_N_ELEMENTS (words));
      n_read += check_words (f < G_N_ELEMENTS (forms) ? forms[f].name
                                                      : beginnings[f % G_N_ELEMENTS (beginnings)],
                             n, which, i % 2);
    }
  g_assert_cmpuint (n_read, >, 1000);
}

TEST_PROGRAM (torch_grammar)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/torch-grammar/attributes", test_attributes);
  g_test_add_func ("/torch-grammar/types", test_types);
  g_test_add_func ("/torch-grammar/neighbours", test_neighbours);
  g_test_add_func ("/torch-grammar/words", test_words);
  g_test_add_func ("/torch-grammar/many-words", test_many_words);

  return g_test_run ();
}
