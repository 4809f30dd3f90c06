/* assay-scalar.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-scalar.h"

#include <errno.h>
#include <string.h>

/* A symbol is the text of a polynomial with integer coefficients over atoms, in one canonical
 * order, so that equal polynomials are equal strings. An atom is a name, or floor(), max(), min()
 * or mod() of polynomials. */

#define MAX_TERMS 12
#define MAX_DEGREE 6
#define MAX_LENGTH 240
#define MAX_DEPTH 8

typedef struct
{
  gint64 factor;
  guint n_atoms;
  const char *atoms[MAX_DEGREE];
} Term;

typedef struct
{
  guint n;
  Term terms[MAX_TERMS];
} Poly;

typedef struct
{
  AssayArena *arena;
  const char *at;
  guint depth;
} Parser;

static gboolean parse_sum (Parser *parser, Poly *poly);

static int
compare_atoms (const Term *a, const Term *b)
{
  for (guint i = 0; i < MIN (a->n_atoms, b->n_atoms); i++)
    {
      int order = a->atoms[i] == b->atoms[i] ? 0 : strcmp (a->atoms[i], b->atoms[i]);

      if (order != 0)
        return order;
    }

  /* What has more atoms comes first, so that the constant is last. */
  return (int) b->n_atoms - (int) a->n_atoms;
}

static gboolean
poly_add_term (Poly *self, const Term *term)
{
  guint at = 0;

  if (term->factor == 0)
    return TRUE;

  while (at < self->n && compare_atoms (&self->terms[at], term) < 0)
    at++;

  if (at < self->n && compare_atoms (&self->terms[at], term) == 0)
    {
      if (__builtin_add_overflow (self->terms[at].factor, term->factor, &self->terms[at].factor))
        return FALSE;
      if (self->terms[at].factor == 0)
        {
          self->n--;
          memmove (&self->terms[at], &self->terms[at + 1], (self->n - at) * sizeof (Term));
        }
      return TRUE;
    }

  if (self->n == MAX_TERMS)
    return FALSE;

  memmove (&self->terms[at + 1], &self->terms[at], (self->n - at) * sizeof (Term));
  self->terms[at] = *term;
  self->n++;

  return TRUE;
}

static gboolean
poly_add (Poly *self, const Poly *other, gint64 factor)
{
  for (guint i = 0; i < other->n; i++)
    {
      Term term = other->terms[i];

      if (__builtin_mul_overflow (term.factor, factor, &term.factor) ||
          !poly_add_term (self, &term))
        return FALSE;
    }

  return TRUE;
}

static gboolean
poly_add_constant (Poly *self, gint64 value)
{
  Term term = { .factor = value };

  return poly_add_term (self, &term);
}

static gboolean
poly_mul (const Poly *a, const Poly *b, Poly *product)
{
  product->n = 0;

  for (guint i = 0; i < a->n; i++)
    {
      for (guint j = 0; j < b->n; j++)
        {
          const Term *s = &a->terms[i];
          const Term *t = &b->terms[j];
          Term term = { 0 };
          guint p = 0;
          guint q = 0;

          if (s->n_atoms + t->n_atoms > MAX_DEGREE ||
              __builtin_mul_overflow (s->factor, t->factor, &term.factor))
            return FALSE;

          while (p < s->n_atoms || q < t->n_atoms)
            {
              gboolean first = q == t->n_atoms ||
                               (p < s->n_atoms && strcmp (s->atoms[p], t->atoms[q]) <= 0);

              term.atoms[term.n_atoms++] = first ? s->atoms[p++] : t->atoms[q++];
            }

          if (!poly_add_term (product, &term))
            return FALSE;
        }
    }

  return TRUE;
}

static gboolean
poly_is_constant (const Poly *self, gint64 *value)
{
  if (self->n > 1 || (self->n == 1 && self->terms[0].n_atoms > 0))
    return FALSE;

  *value = self->n == 0 ? 0 : self->terms[0].factor;
  return TRUE;
}

static gboolean
is_plain_name (const char *name)
{
  if (!g_ascii_isalpha (name[0]) && name[0] != '_')
    return FALSE;

  for (const char *c = name; *c != '\0'; c++)
    {
      if (!g_ascii_isalnum (*c) && strchr ("_.:", *c) == NULL)
        return FALSE;
    }

  return TRUE;
}

static gboolean
is_call (const char *atom)
{
  return g_str_has_prefix (atom, "floor(") || g_str_has_prefix (atom, "max(") ||
         g_str_has_prefix (atom, "min(") || g_str_has_prefix (atom, "mod(");
}

static void
append_atom (GString *text, const char *atom)
{
  if (is_plain_name (atom) || is_call (atom))
    g_string_append (text, atom);
  else
    g_string_append_printf (text, "\"%s\"", atom);
}

static void
poly_print (const Poly *self, GString *text)
{
  for (guint i = 0; i < self->n; i++)
    {
      const Term *term = &self->terms[i];
      gint64 factor = term->factor;

      if (i > 0 && factor > 0)
        g_string_append_c (text, '+');
      if (factor == -1 && term->n_atoms > 0)
        g_string_append_c (text, '-');
      else if (factor != 1 || term->n_atoms == 0)
        g_string_append_printf (text, "%" G_GINT64_FORMAT "%s", factor,
                                term->n_atoms > 0 ? "*" : "");

      for (guint j = 0; j < term->n_atoms; j++)
        {
          if (j > 0)
            g_string_append_c (text, '*');
          append_atom (text, term->atoms[j]);
        }
    }

  if (self->n == 0)
    g_string_append_c (text, '0');
}

static void
poly_print_operand (const Poly *self, GString *text)
{
  gboolean simple = self->n <= 1 && (self->n == 0 || self->terms[0].n_atoms == 0 ||
                                     (self->terms[0].n_atoms == 1 && self->terms[0].factor == 1));

  if (!simple)
    g_string_append_c (text, '(');
  poly_print (self, text);
  if (!simple)
    g_string_append_c (text, ')');
}

static AssayScalar
poly_to_scalar (AssayArena *arena, const Poly *self)
{
  g_autoptr (GString) text = NULL;
  gint64 value;

  if (poly_is_constant (self, &value))
    return assay_scalar_int (value);

  /* The smallest integer cannot be read back without its sign. */
  for (guint i = 0; i < self->n; i++)
    {
      if (self->terms[i].factor == G_MININT64)
        return assay_scalar_unknown ();
    }

  /* A single name stands for itself, however odd its characters are. */
  if (self->n == 1 && self->terms[0].n_atoms == 1 && self->terms[0].factor == 1)
    return (AssayScalar){ ASSAY_SCALAR_SYMBOL, { .symbol = self->terms[0].atoms[0] } };

  text = g_string_sized_new (64);
  poly_print (self, text);
  if (text->len > MAX_LENGTH)
    return assay_scalar_unknown ();

  return (AssayScalar){ ASSAY_SCALAR_SYMBOL,
                        { .symbol = assay_arena_intern_n (arena, text->str, text->len) } };
}

static gboolean
poly_set_atom (Poly *self, const char *atom)
{
  self->n = 1;
  self->terms[0] = (Term){ .factor = 1, .n_atoms = 1, .atoms = { atom } };

  return TRUE;
}

static gboolean
poly_set_call (Poly *self, AssayArena *arena, const char *name, const Poly *a, char separator,
               const Poly *b)
{
  g_autoptr (GString) text = g_string_new (name);

  g_string_append_c (text, '(');
  poly_print_operand (a, text);
  g_string_append_c (text, separator);
  poly_print_operand (b, text);
  g_string_append_c (text, ')');
  if (text->len > MAX_LENGTH)
    return FALSE;

  return poly_set_atom (self, assay_arena_intern_n (arena, text->str, text->len));
}

static void
skip_space (Parser *parser)
{
  while (*parser->at == ' ')
    parser->at++;
}

static gboolean
accept (Parser *parser, char c)
{
  skip_space (parser);
  if (*parser->at != c)
    return FALSE;

  parser->at++;
  return TRUE;
}

static gint64
floor_div (gint64 a, gint64 b)
{
  gint64 q = a / b;

  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

/* The remainder of that; the product of quotient and divisor may not be a number of 64 bits. */
static gint64
floor_mod (gint64 a, gint64 b)
{
  gint64 rest = b == -1 ? 0 : a % b;

  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static guint64
magnitude (gint64 value)
{
  return value < 0 ? -(guint64) value : (guint64) value;
}

static gint64
poly_gcd (const Poly *self, gint64 divisor)
{
  guint64 gcd = magnitude (divisor);

  for (guint i = 0; i < self->n; i++)
    {
      guint64 other = magnitude (self->terms[i].factor);

      if (self->terms[i].n_atoms == 0)
        continue;
      while (other != 0)
        {
          guint64 rest = gcd % other;

          gcd = other;
          other = rest;
        }
    }

  return (gint64) gcd;
}

/* Whether the divisor is one term that divides every term. */
static gboolean
poly_divide_exactly (const Poly *a, const Poly *b, Poly *quotient)
{
  const Term *d = &b->terms[0];

  if (b->n != 1)
    return FALSE;

  quotient->n = 0;
  for (guint i = 0; i < a->n; i++)
    {
      const Term *t = &a->terms[i];
      Term term = { 0 };
      guint j = 0;

      if (d->factor == -1 ? t->factor == G_MININT64 : t->factor % d->factor != 0)
        return FALSE;

      for (guint k = 0; k < t->n_atoms; k++)
        {
          if (j < d->n_atoms && strcmp (t->atoms[k], d->atoms[j]) == 0)
            j++;
          else
            term.atoms[term.n_atoms++] = t->atoms[k];
        }

      term.factor = t->factor / d->factor;
      if (j < d->n_atoms || !poly_add_term (quotient, &term))
        return FALSE;
    }

  return TRUE;
}

/* Reads floor(A/c) back: the numerator, and the divisor if it is a number. */
static gboolean
read_floor (AssayArena *arena, const char *atom, guint depth, Poly *numerator, gint64 *divisor)
{
  Parser parser = { arena, atom, depth };
  Poly b;

  if (!g_str_has_prefix (atom, "floor("))
    return FALSE;

  parser.at += strlen ("floor(");

  return parse_sum (&parser, numerator) && accept (&parser, '/') && parse_sum (&parser, &b) &&
         poly_is_constant (&b, divisor) && *divisor > 0;
}

static gboolean
poly_floor_div (AssayArena *arena, const Poly *a, const Poly *b, guint depth, Poly *quotient)
{
  Poly rest = { 0 };
  Poly inner;
  gint64 divisor;
  gint64 inner_divisor;
  gint64 constant = 0;
  gint64 gcd;

  if (b->n == 0 || depth > MAX_DEPTH)
    return FALSE;
  if (poly_divide_exactly (a, b, quotient))
    return TRUE;
  if (!poly_is_constant (b, &divisor) || divisor <= 0)
    return poly_set_call (quotient, arena, "floor", a, '/', b);

  /* Whole multiples of the divisor come out of the floor. */
  quotient->n = 0;
  for (guint i = 0; i < a->n; i++)
    {
      Term whole = a->terms[i];
      Term part = a->terms[i];

      if (part.n_atoms > 0 && part.factor % divisor != 0)
        {
          if (!poly_add_term (&rest, &part))
            return FALSE;
          continue;
        }

      whole.factor = floor_div (whole.factor, divisor);
      part.factor = floor_mod (part.factor, divisor);
      if (part.n_atoms == 0)
        constant = part.factor;
      if (!poly_add_term (quotient, &whole))
        return FALSE;
    }

  if (rest.n == 0)
    return TRUE;

  gcd = poly_gcd (&rest, divisor);
  if (gcd > 1)
    {
      for (guint i = 0; i < rest.n; i++)
        rest.terms[i].factor /= gcd;
      divisor /= gcd;
      constant = floor_div (constant, gcd);
    }

  /* floor((floor(x/b) + k)/c) is floor((x + k*b)/(b*c)). */
  if (rest.n == 1 && rest.terms[0].n_atoms == 1 && rest.terms[0].factor == 1 &&
      read_floor (arena, rest.terms[0].atoms[0], depth + 1, &inner, &inner_divisor))
    {
      Poly whole = { 0 };
      Poly part;
      gint64 shift;
      gint64 product;

      if (!__builtin_mul_overflow (constant, inner_divisor, &shift) &&
          !__builtin_mul_overflow (divisor, inner_divisor, &product) &&
          poly_add_constant (&inner, shift) && poly_add_constant (&whole, product) &&
          poly_floor_div (arena, &inner, &whole, depth + 1, &part))
        return poly_add (quotient, &part, 1);
      return FALSE;
    }

  {
    Poly denominator = { 0 };
    Poly call;

    return poly_add_constant (&rest, constant) && poly_add_constant (&denominator, divisor) &&
           poly_set_call (&call, arena, "floor", &rest, '/', &denominator) &&
           poly_add (quotient, &call, 1);
  }
}

static gboolean
poly_mod (AssayArena *arena, const Poly *a, const Poly *b, guint depth, Poly *result)
{
  Poly quotient;
  Poly rest = { 0 };
  gint64 divisor;

  if (b->n == 0 || depth > MAX_DEPTH)
    return FALSE;
  if (poly_divide_exactly (a, b, &quotient))
    {
      result->n = 0;
      return TRUE;
    }
  if (!poly_is_constant (b, &divisor) || divisor <= 0)
    return poly_set_call (result, arena, "mod", a, ',', b);

  for (guint i = 0; i < a->n; i++)
    {
      Term term = a->terms[i];

      term.factor = floor_mod (term.factor, divisor);
      if (!poly_add_term (&rest, &term))
        return FALSE;
    }

  if (poly_is_constant (&rest, &divisor))
    {
      *result = rest;
      return TRUE;
    }

  return poly_set_call (result, arena, "mod", &rest, ',', b);
}

/* The largest or smallest: known if the difference is. */
static gboolean
poly_pick (AssayArena *arena, const char *name, const Poly *a, const Poly *b, Poly *result)
{
  g_autoptr (GString) text_a = g_string_new (NULL);
  g_autoptr (GString) text_b = g_string_new (NULL);
  gboolean largest = strcmp (name, "max") == 0;
  Poly difference = *a;
  gint64 value;

  if (!poly_add (&difference, b, -1))
    return FALSE;

  if (poly_is_constant (&difference, &value))
    {
      *result = (value >= 0) == largest ? *a : *b;
      return TRUE;
    }

  poly_print (a, text_a);
  poly_print (b, text_b);

  return strcmp (text_a->str, text_b->str) <= 0 ? poly_set_call (result, arena, name, a, ',', b)
                                                : poly_set_call (result, arena, name, b, ',', a);
}

static gboolean
parse_call (Parser *parser, Poly *poly)
{
  static const struct
  {
    const char *name;
    char separator;
  } calls[] = {
    { "floor(", '/' }, { "ceil(", '/' }, { "max(", ',' }, { "min(", ',' }, { "mod(", ',' }
  };

  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      Poly a;
      Poly b;

      if (!g_str_has_prefix (parser->at, calls[i].name))
        continue;

      parser->at += strlen (calls[i].name);
      if (!parse_sum (parser, &a) || !accept (parser, calls[i].separator) ||
          !parse_sum (parser, &b) || !accept (parser, ')'))
        return FALSE;

      switch (i)
        {
        case 0:
          return poly_floor_div (parser->arena, &a, &b, parser->depth, poly);
        case 1:
          return poly_add (&a, &b, 1) && poly_add_constant (&a, -1) &&
                 poly_floor_div (parser->arena, &a, &b, parser->depth, poly);
        case 2:
          return poly_pick (parser->arena, "max", &a, &b, poly);
        case 3:
          return poly_pick (parser->arena, "min", &a, &b, poly);
        default:
          return poly_mod (parser->arena, &a, &b, parser->depth, poly);
        }
    }

  return FALSE;
}

static gboolean
parse_factor (Parser *parser, Poly *poly)
{
  const char *begin;

  skip_space (parser);
  begin = parser->at;
  poly->n = 0;

  if (g_ascii_isdigit (*begin))
    {
      char *end;
      gint64 value;

      errno = 0;
      value = g_ascii_strtoll (begin, &end, 10);
      parser->at = end;
      return errno == 0 && !g_ascii_isalpha (*end) && *end != '_' && *end != ':' && *end != '.' &&
             poly_add_constant (poly, value);
    }

  if (*begin == '(')
    {
      parser->at++;
      return parse_sum (parser, poly) && accept (parser, ')');
    }

  if (*begin == '"')
    {
      const char *end = strchr (begin + 1, '"');

      if (end == NULL || end == begin + 1)
        return FALSE;
      parser->at = end + 1;
      return poly_set_atom (
          poly, assay_arena_intern_n (parser->arena, begin + 1, (gsize) (end - begin - 1)));
    }

  if (!g_ascii_isalpha (*begin) && *begin != '_')
    return FALSE;

  while (g_ascii_isalnum (*parser->at) ||
         (*parser->at != '\0' && strchr ("_.:", *parser->at) != NULL))
    parser->at++;

  if (*parser->at == '(')
    {
      parser->at = begin;
      return parse_call (parser, poly);
    }

  return poly_set_atom (poly,
                        assay_arena_intern_n (parser->arena, begin, (gsize) (parser->at - begin)));
}

static gboolean
parse_product (Parser *parser, Poly *poly)
{
  if (!parse_factor (parser, poly))
    return FALSE;

  while (accept (parser, '*'))
    {
      Poly left = *poly;
      Poly right;

      if (!parse_factor (parser, &right) || !poly_mul (&left, &right, poly))
        return FALSE;
    }

  return TRUE;
}

static gboolean
parse_sum (Parser *parser, Poly *poly)
{
  gint64 sign = 1;
  gboolean more = TRUE;

  if (++parser->depth > MAX_DEPTH)
    return FALSE;

  poly->n = 0;
  if (accept (parser, '-'))
    sign = -1;

  while (more)
    {
      Poly term;

      if (!parse_product (parser, &term) || !poly_add (poly, &term, sign))
        return FALSE;

      more = TRUE;
      if (accept (parser, '+'))
        sign = 1;
      else if (accept (parser, '-'))
        sign = -1;
      else
        more = FALSE;
    }

  parser->depth--;

  return TRUE;
}

static gboolean
poly_from_symbol (AssayArena *arena, const char *symbol, Poly *poly)
{
  Parser parser = { arena, symbol, 0 };
  gint64 value;

  if (strlen (symbol) <= MAX_LENGTH && parse_sum (&parser, poly))
    {
      skip_space (&parser);
      if (*parser.at == '\0' && !poly_is_constant (poly, &value))
        return TRUE;
    }

  /* Not an expression: the whole text is a name. A quote in it would end the quoted form early. */
  return symbol[0] != '\0' && strchr (symbol, '"') == NULL && poly_set_atom (poly, symbol);
}

static gboolean
poly_from_scalar (AssayArena *arena, AssayScalar scalar, Poly *poly)
{
  poly->n = 0;

  switch (scalar.kind)
    {
    case ASSAY_SCALAR_INT:
      return poly_add_constant (poly, scalar.u.i);
    case ASSAY_SCALAR_SYMBOL:
      return poly_from_symbol (arena, scalar.u.symbol, poly);
    case ASSAY_SCALAR_UNKNOWN:
    case ASSAY_SCALAR_FLOAT:
    default:
      return FALSE;
    }
}

/**
 * assay_symbol_normalize:
 * @arena: where the result lives
 * @symbol: a symbol as a file has it, such as `1 + seq`
 *
 * Brings a symbol into the one order that expressions are printed in, such as `seq+1`.
 *
 * Returns: (transfer none): the interned symbol; text that is no expression is kept as it is
 */
const char *
assay_symbol_normalize (AssayArena *arena, const char *symbol)
{
  AssayScalar scalar;
  Poly poly;

  if (is_plain_name (symbol))
    return assay_arena_intern (arena, symbol);
  if (!poly_from_symbol (arena, symbol, &poly))
    return assay_arena_intern (arena, symbol);

  scalar = poly_to_scalar (arena, &poly);

  return assay_arena_intern (arena, scalar.kind == ASSAY_SCALAR_SYMBOL ? scalar.u.symbol : symbol);
}

/**
 * assay_scalar_add:
 * @arena: where symbols live
 * @a: an integer
 * @b: an integer
 *
 * Adds two integers of which each may be a number, an expression or unknown.
 *
 * Returns: the sum; unknown if it overflows or grows too long
 */
AssayScalar
assay_scalar_add (AssayArena *arena, AssayScalar a, AssayScalar b)
{
  Poly p;
  Poly q;

  if (a.kind == ASSAY_SCALAR_INT && b.kind == ASSAY_SCALAR_INT)
    return __builtin_add_overflow (a.u.i, b.u.i, &a.u.i) ? assay_scalar_unknown () : a;
  if (!poly_from_scalar (arena, a, &p) || !poly_from_scalar (arena, b, &q) || !poly_add (&p, &q, 1))
    return assay_scalar_unknown ();

  return poly_to_scalar (arena, &p);
}

/**
 * assay_scalar_sub:
 * @arena: where symbols live
 * @a: an integer
 * @b: an integer
 *
 * Subtracts two integers of which each may be a number, an expression or unknown.
 *
 * Returns: the difference; unknown if it overflows or grows too long
 */
AssayScalar
assay_scalar_sub (AssayArena *arena, AssayScalar a, AssayScalar b)
{
  Poly p;
  Poly q;

  if (a.kind == ASSAY_SCALAR_INT && b.kind == ASSAY_SCALAR_INT)
    return __builtin_sub_overflow (a.u.i, b.u.i, &a.u.i) ? assay_scalar_unknown () : a;
  if (!poly_from_scalar (arena, a, &p) || !poly_from_scalar (arena, b, &q) ||
      !poly_add (&p, &q, -1))
    return assay_scalar_unknown ();

  return poly_to_scalar (arena, &p);
}

/**
 * assay_scalar_mul:
 * @arena: where symbols live
 * @a: an integer
 * @b: an integer
 *
 * Multiplies two integers of which each may be a number, an expression or unknown.
 *
 * Returns: the product; unknown if it overflows or grows too long
 */
AssayScalar
assay_scalar_mul (AssayArena *arena, AssayScalar a, AssayScalar b)
{
  Poly p;
  Poly q;
  Poly product;

  if (a.kind == ASSAY_SCALAR_INT && b.kind == ASSAY_SCALAR_INT)
    return __builtin_mul_overflow (a.u.i, b.u.i, &a.u.i) ? assay_scalar_unknown () : a;
  if (!poly_from_scalar (arena, a, &p) || !poly_from_scalar (arena, b, &q) ||
      !poly_mul (&p, &q, &product))
    return assay_scalar_unknown ();

  return poly_to_scalar (arena, &product);
}

/**
 * assay_scalar_floor_div:
 * @arena: where symbols live
 * @a: an integer
 * @b: an integer
 *
 * Divides and rounds towards minus infinity.
 *
 * Returns: the quotient; unknown for a divisor of zero
 */
AssayScalar
assay_scalar_floor_div (AssayArena *arena, AssayScalar a, AssayScalar b)
{
  Poly p;
  Poly q;
  Poly quotient;

  if (b.kind == ASSAY_SCALAR_INT &&
      (b.u.i == 0 || (b.u.i == -1 && a.kind == ASSAY_SCALAR_INT && a.u.i == G_MININT64)))
    return assay_scalar_unknown ();
  if (a.kind == ASSAY_SCALAR_INT && b.kind == ASSAY_SCALAR_INT)
    return assay_scalar_int (floor_div (a.u.i, b.u.i));
  if (!poly_from_scalar (arena, a, &p) || !poly_from_scalar (arena, b, &q) ||
      !poly_floor_div (arena, &p, &q, 0, &quotient))
    return assay_scalar_unknown ();

  return poly_to_scalar (arena, &quotient);
}

/**
 * assay_scalar_ceil_div:
 * @arena: where symbols live
 * @a: an integer
 * @b: a positive integer
 *
 * Divides and rounds towards plus infinity.
 *
 * Returns: the quotient; unknown for a divisor of zero
 */
AssayScalar
assay_scalar_ceil_div (AssayArena *arena, AssayScalar a, AssayScalar b)
{
  AssayScalar above = assay_scalar_sub (arena, assay_scalar_add (arena, a, b),
                                        assay_scalar_int (1));

  return assay_scalar_floor_div (arena, above, b);
}

/**
 * assay_scalar_mod:
 * @arena: where symbols live
 * @a: an integer
 * @b: an integer
 *
 * Gets the remainder of the division that rounds towards minus infinity.
 *
 * Returns: the remainder; unknown for a divisor of zero
 */
AssayScalar
assay_scalar_mod (AssayArena *arena, AssayScalar a, AssayScalar b)
{
  Poly p;
  Poly q;
  Poly rest;

  if (b.kind == ASSAY_SCALAR_INT && b.u.i == 0)
    return assay_scalar_unknown ();
  if (a.kind == ASSAY_SCALAR_INT && b.kind == ASSAY_SCALAR_INT)
    return assay_scalar_int (floor_mod (a.u.i, b.u.i));
  if (!poly_from_scalar (arena, a, &p) || !poly_from_scalar (arena, b, &q) ||
      !poly_mod (arena, &p, &q, 0, &rest))
    return assay_scalar_unknown ();

  return poly_to_scalar (arena, &rest);
}

static AssayScalar
scalar_pick (AssayArena *arena, const char *name, AssayScalar a, AssayScalar b)
{
  Poly p;
  Poly q;
  Poly result;

  if (!poly_from_scalar (arena, a, &p) || !poly_from_scalar (arena, b, &q) ||
      !poly_pick (arena, name, &p, &q, &result))
    return assay_scalar_unknown ();

  return poly_to_scalar (arena, &result);
}

/**
 * assay_scalar_min:
 * @arena: where symbols live
 * @a: an integer
 * @b: an integer
 *
 * Gets the smaller one.
 *
 * Returns: the smaller one, an expression if that is open
 */
AssayScalar
assay_scalar_min (AssayArena *arena, AssayScalar a, AssayScalar b)
{
  return scalar_pick (arena, "min", a, b);
}

/**
 * assay_scalar_max:
 * @arena: where symbols live
 * @a: an integer
 * @b: an integer
 *
 * Gets the larger one.
 *
 * Returns: the larger one, an expression if that is open
 */
AssayScalar
assay_scalar_max (AssayArena *arena, AssayScalar a, AssayScalar b)
{
  return scalar_pick (arena, "max", a, b);
}

/* Names are extents and so not negative; a call is not looked into, except a floor of what is not
 * negative. */
static gboolean
poly_is_non_negative (AssayArena *arena, const Poly *self, guint depth)
{
  for (guint i = 0; i < self->n; i++)
    {
      const Term *term = &self->terms[i];

      if (term->factor < 0)
        return FALSE;

      for (guint j = 0; j < term->n_atoms; j++)
        {
          Poly inner;
          gint64 divisor;

          if (!is_call (term->atoms[j]))
            continue;
          if (depth > MAX_DEPTH || !read_floor (arena, term->atoms[j], 0, &inner, &divisor) ||
              !poly_is_non_negative (arena, &inner, depth + 1))
            return FALSE;
        }
    }

  return TRUE;
}

/**
 * assay_scalar_is_non_negative:
 * @arena: where symbols live
 * @a: a number
 *
 * Tells whether a number is surely zero or more; names of extents count as such.
 *
 * Returns: whether it surely is
 */
gboolean
assay_scalar_is_non_negative (AssayArena *arena, AssayScalar a)
{
  Poly poly;

  if (a.kind == ASSAY_SCALAR_FLOAT)
    return a.u.f >= 0;

  return poly_from_scalar (arena, a, &poly) && poly_is_non_negative (arena, &poly, 0);
}

/**
 * assay_scalar_compare:
 * @arena: where symbols live
 * @a: an integer
 * @b: an integer
 * @sign: (out): below, at or above zero as @a is below, at or above @b
 *
 * Compares two integers if the difference is a known number.
 *
 * Returns: whether the order is known
 */
gboolean
assay_scalar_compare (AssayArena *arena, AssayScalar a, AssayScalar b, int *sign)
{
  Poly p;
  Poly q;
  gint64 value;

  if (!poly_from_scalar (arena, a, &p) || !poly_from_scalar (arena, b, &q) ||
      !poly_add (&p, &q, -1))
    return FALSE;

  if (poly_is_constant (&p, &value))
    {
      *sign = (value > 0) - (value < 0);
      return TRUE;
    }

  /* Something not negative plus a positive number is above zero. */
  if (p.terms[p.n - 1].n_atoms == 0 && p.terms[p.n - 1].factor != 0)
    {
      Poly negated = { 0 };

      if (poly_is_non_negative (arena, &p, 0))
        {
          *sign = 1;
          return TRUE;
        }
      if (poly_add (&negated, &p, -1) && poly_is_non_negative (arena, &negated, 0))
        {
          *sign = -1;
          return TRUE;
        }
    }

  return FALSE;
}

/**
 * assay_scalar_differ:
 * @arena: where symbols live
 * @a: an integer
 * @b: an integer
 *
 * Tells whether two integers are surely not the same.
 *
 * Returns: whether they surely differ
 */
gboolean
assay_scalar_differ (AssayArena *arena, AssayScalar a, AssayScalar b)
{
  int sign;

  return assay_scalar_compare (arena, a, b, &sign) && sign != 0;
}
