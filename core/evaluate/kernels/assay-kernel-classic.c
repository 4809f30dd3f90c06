/* assay-kernel-classic.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-scores.h"

#include <math.h>
#include <string.h>

#include "base/assay-sentence.h"

/* Linear models and support vector machines of ai.onnx.ml. */

/* One row of features in double. */
static void
read_row (const AssayDatum *x, gsize row, gsize n, double *features)
{
  for (gsize i = 0; i < n; i++)
    features[i] = assay_datum_get_number (x, row * n + i);
}

static double
dot (const double *a, const double *b, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += a[i] * b[i];

  return sum;
}

/* The rows of coefficients that the features are multiplied with: so many, or, where nobody says
 * how many, all. Coefficients behind them are overlooked. */
static gboolean
get_coefficients (AssayKernel *self, gsize n_columns, const double **coefficients, gsize *n_rows,
                  GError **error)
{
  gsize wanted;
  guint n;

  *coefficients = assay_node_get_floats (self->node, "coefficients", &n);
  if (*n_rows == 0 && n_columns > 0 && n % n_columns == 0)
    *n_rows = n / n_columns;

  return (*n_rows > 0 && g_size_checked_mul (&wanted, *n_rows, n_columns) && n >= wanted) ||
         assay_kernel_fail (self, error, "%u coefficient%s for %" G_GSIZE_FORMAT " feature%s", n,
                            assay_plural (n), n_columns, assay_plural (n_columns));
}

gboolean
assay_kernel_op_linear_regressor (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  g_autofree double *features = NULL;
  g_autofree double *scores = NULL;
  AssayPostTransform transform;
  const double *coefficients, *intercepts;
  gsize n_targets = (gsize) MAX (assay_node_get_int (self->node, "targets"), 0);
  gsize n_rows, n_columns;
  guint n_intercepts;
  AssayDatum *y;

  if (!assay_scores_get_transform (self, &transform, error) ||
      !assay_scores_matrix (self, &n_rows, &n_columns, error) ||
      !get_coefficients (self, n_columns, &coefficients, &n_targets, error))
    return FALSE;
  intercepts = assay_node_get_floats (self->node, "intercepts", &n_intercepts);
  y = assay_scores_output (self, 0, ASSAY_DTYPE_F32, n_rows, n_targets, error);
  if (y == NULL)
    return FALSE;

  features = assay_kernel_room (self, double, n_columns + 1, error);
  scores = features == NULL ? NULL : assay_kernel_room (self, double, n_targets + 1, error);
  if (scores == NULL)
    return FALSE;
  for (gsize row = 0; row < n_rows; row++)
    {
      read_row (x, row, n_columns, features);
      for (gsize i = 0; i < n_targets; i++)
        scores[i] = dot (features, coefficients + i * n_columns, n_columns) +
                    (n_intercepts == n_targets ? intercepts[i] : 0);
      assay_scores_transform (transform, scores, n_targets);
      for (gsize i = 0; i < n_targets; i++)
        assay_datum_set_number (y, row * n_targets + i, scores[i]);
    }

  return TRUE;
}

gboolean
assay_kernel_op_linear_classifier (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  guint n_labels = assay_labels_count (self, "classlabels_strings", "classlabels_ints");
  g_autofree double *features = NULL;
  g_autofree double *scores = NULL;
  AssayPostTransform transform;
  guint n_intercepts;
  const double *intercepts = assay_node_get_floats (self->node, "intercepts", &n_intercepts);
  const double *coefficients;
  gsize n_rows, n_columns, n_classes = n_intercepts, n;
  AssayDatum *labels, *y;

  if (!assay_scores_get_transform (self, &transform, error) ||
      !assay_scores_matrix (self, &n_rows, &n_columns, error) ||
      !get_coefficients (self, n_columns, &coefficients, &n_classes, error))
    return FALSE;

  /* One row for two classes speaks for the second one. */
  n = n_classes == 1 && n_labels == 2 ? 2 : n_classes;
  labels = assay_labels_output (self, "classlabels_strings", n_rows, error);
  y = assay_scores_output (self, 1, ASSAY_DTYPE_F32, n_rows, n, error);
  if (labels == NULL || y == NULL)
    return FALSE;

  features = assay_kernel_room (self, double, n_columns + 1, error);
  scores = features == NULL ? NULL : assay_kernel_room (self, double, n + 1, error);
  if (scores == NULL)
    return FALSE;
  for (gsize row = 0; row < n_rows; row++)
    {
      gint64 best;

      read_row (x, row, n_columns, features);
      for (gsize i = 0; i < n_classes; i++)
        scores[i] = dot (features, coefficients + i * n_columns, n_columns) +
                    (n_intercepts > 0 ? intercepts[i] : 0);
      if (n > n_classes)
        {
          scores[1] = scores[0];
          scores[0] = -scores[0];
        }
      assay_scores_transform (transform, scores, n);
      if (n > 1)
        best = assay_scores_best (scores, n);
      else if (n_labels > 0)
        best = scores[0] >= (transform == ASSAY_POST_NONE ? 0 : 0.5) ? 0 : -1;
      else
        best = scores[0] >= (transform == ASSAY_POST_NONE ? 0 : 0.5);
      assay_labels_set (self, labels, row, "classlabels_strings", "classlabels_ints", best);
      for (gsize i = 0; i < n; i++)
        assay_datum_set_number (y, row * n + i, scores[i]);
    }

  return TRUE;
}

typedef enum
{
  SVM_LINEAR,
  SVM_POLY,
  SVM_RBF,
  SVM_SIGMOID,
} SvmKernel;

/* The support vectors lie row by row; without any the machine is a linear model. */
typedef struct
{
  SvmKernel kernel;
  double gamma;
  double base;
  double degree;
  const double *vectors;
  gsize n_vectors;
  gsize n_columns;
  const double *coefficients;
  guint n_coefficients;
  const double *rho;
  guint n_rho;
} Machine;

static gboolean
read_machine (AssayKernel *self, gsize n_vectors, gsize n_columns, Machine *machine, GError **error)
{
  static const char *const names[] = { "LINEAR", "POLY", "RBF", "SIGMOID" };
  const char *name = assay_node_get_string (self->node, "kernel_type");
  guint n_parameters, n_values;
  const double *parameters = assay_node_get_floats (self->node, "kernel_params", &n_parameters);
  guint kernel = 0;

  while (kernel < G_N_ELEMENTS (names) && !g_str_equal (name, names[kernel]))
    kernel++;
  if (kernel == G_N_ELEMENTS (names))
    return assay_kernel_fail (
        self, error, "kernel_type is “%s”, one of LINEAR, POLY, RBF and SIGMOID was expected",
        name);
  if (n_parameters != 0 && n_parameters != 3)
    return assay_kernel_fail (self, error, "kernel_params has %u %s, 3 were expected", n_parameters,
                              assay_noun (n_parameters, "entry", "entries"));

  machine->kernel = n_vectors > 0 ? (SvmKernel) kernel : SVM_LINEAR;
  machine->gamma = n_parameters > 0 ? parameters[0] : 0;
  machine->base = n_parameters > 0 ? parameters[1] : 0;
  machine->degree = n_parameters > 0 ? parameters[2] : 0;
  machine->n_columns = n_columns;
  machine->n_vectors = n_vectors;
  machine->vectors = assay_node_get_floats (self->node, "support_vectors", &n_values);
  machine->coefficients = assay_node_get_floats (self->node, "coefficients",
                                                 &machine->n_coefficients);
  machine->rho = assay_node_get_floats (self->node, "rho", &machine->n_rho);
  if (n_vectors > 0 && n_values != n_vectors * n_columns)
    return assay_kernel_fail (
        self, error,
        "support_vectors has %u %s for %" G_GSIZE_FORMAT " vector%s of %" G_GSIZE_FORMAT, n_values,
        assay_noun (n_values, "entry", "entries"), n_vectors, assay_plural (n_vectors), n_columns);

  return TRUE;
}

static double
apply_kernel (const Machine *machine, const double *a, const double *b)
{
  double sum = 0;

  if (machine->kernel == SVM_RBF)
    {
      for (gsize i = 0; i < machine->n_columns; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
      return exp (-machine->gamma * sum);
    }

  sum = dot (a, b, machine->n_columns);
  if (machine->kernel == SVM_POLY)
    return pow (machine->gamma * sum + machine->base, machine->degree);
  if (machine->kernel == SVM_SIGMOID)
    return tanh (machine->gamma * sum + machine->base);

  return sum;
}

gboolean
assay_kernel_op_svm_regressor (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  gint64 n_supports = assay_node_get_int (self->node, "n_supports");
  gboolean one_class = assay_node_get_int (self->node, "one_class") != 0;
  g_autofree double *features = NULL;
  AssayPostTransform transform;
  Machine machine;
  gsize n_rows, n_columns;
  AssayDatum *y;

  if (!assay_scores_get_transform (self, &transform, error) ||
      !assay_scores_matrix (self, &n_rows, &n_columns, error) ||
      !read_machine (self, (gsize) MAX (n_supports, 0), n_columns, &machine, error))
    return FALSE;
  if (machine.n_rho < 1 || (n_supports > 0 ? machine.n_coefficients < machine.n_vectors
                                           : machine.n_coefficients != n_columns))
    return assay_kernel_fail (self, error,
                              "%u coefficient%s and %u value%s of rho do not suit the machine",
                              machine.n_coefficients, assay_plural (machine.n_coefficients),
                              machine.n_rho, assay_plural (machine.n_rho));
  y = assay_scores_output (self, 0, ASSAY_DTYPE_F32, n_rows, 1, error);
  if (y == NULL)
    return FALSE;

  features = assay_kernel_room (self, double, n_columns + 1, error);
  if (features == NULL)
    return FALSE;
  for (gsize row = 0; row < n_rows; row++)
    {
      double score = machine.rho[0];

      read_row (x, row, n_columns, features);
      if (machine.n_vectors == 0)
        score += dot (features, machine.coefficients, n_columns);
      for (gsize i = 0; i < machine.n_vectors; i++)
        score += machine.coefficients[i] *
                 apply_kernel (&machine, features, machine.vectors + i * n_columns);

      if (one_class)
        score = score > 0 ? 1 : -1;
      assay_scores_transform (transform, &score, 1);
      assay_datum_set_number (y, row, score);
    }

  return TRUE;
}

/* Probabilities of classes of those of pairs: the second method of Wu, Lin and Weng, "Probability
 * Estimates for Multi-class Classification by Pairwise Coupling" (2004). */
static gboolean
couple_pairs (AssayKernel *self, const double *pairs, gsize n, double *probabilities,
              GError **error)
{
  g_autofree double *q = assay_kernel_room0 (self, double, n *n, error);
  g_autofree double *qp = q == NULL ? NULL : assay_kernel_room0 (self, double, n, error);
  double limit = 0.005 / (double) n;

  if (qp == NULL)
    return FALSE;

  for (gsize t = 0; t < n; t++)
    {
      probabilities[t] = 1 / (double) n;
      for (gsize j = 0; j < n; j++)
        {
          if (j == t)
            continue;
          q[t * n + t] += pairs[j * n + t] * pairs[j * n + t];
          q[t * n + j] = -pairs[j * n + t] * pairs[t * n + j];
        }
    }

  for (gsize round = 0; round < MAX (100, n); round++)
    {
      double pqp = 0;
      double worst = 0;

      for (gsize t = 0; t < n; t++)
        {
          qp[t] = dot (q + t * n, probabilities, n);
          pqp += probabilities[t] * qp[t];
        }
      for (gsize t = 0; t < n; t++)
        worst = fmax (worst, fabs (qp[t] - pqp));
      if (worst < limit)
        return TRUE;

      for (gsize t = 0; t < n; t++)
        {
          double change = (pqp - qp[t]) / q[t * n + t];

          probabilities[t] += change;
          pqp = (pqp + change * (change * q[t * n + t] + 2 * qp[t])) / (1 + change) / (1 + change);
          for (gsize j = 0; j < n; j++)
            {
              qp[j] = (qp[j] + change * q[t * n + j]) / (1 + change);
              probabilities[j] /= 1 + change;
            }
        }
    }

  return TRUE;
}

typedef struct
{
  Machine machine;
  gsize n_classes;
  const gint64 *counts; /* support vectors of each class */
  const double *prob_a;
  const double *prob_b;
} Classifier;

/* A score for each pair of classes, and how many pairs each class wins. */
static void
vote (const Classifier *self, const double *features, double *kernels, double *scores,
      double *votes)
{
  const Machine *machine = &self->machine;
  gsize begin_i = 0;
  gsize pair = 0;

  for (gsize i = 0; i < machine->n_vectors; i++)
    kernels[i] = apply_kernel (machine, features, machine->vectors + i * machine->n_columns);
  for (gsize i = 0; i < self->n_classes; i++)
    votes[i] = 0;

  for (gsize i = 0; i < self->n_classes; i++)
    {
      gsize begin_j = begin_i + (gsize) self->counts[i];

      for (gsize j = i + 1; j < self->n_classes; j++)
        {
          const double *with_i = machine->coefficients + (j - 1) * machine->n_vectors;
          const double *with_j = machine->coefficients + i * machine->n_vectors;

          scores[pair] = machine->rho[pair] +
                         dot (with_i + begin_i, kernels + begin_i, (gsize) self->counts[i]) +
                         dot (with_j + begin_j, kernels + begin_j, (gsize) self->counts[j]);
          votes[scores[pair] > 0 ? i : j]++;
          begin_j += (gsize) self->counts[j];
          pair++;
        }
      begin_i += (gsize) self->counts[i];
    }
}

static gboolean
estimate_probabilities (AssayKernel *kernel, const Classifier *self, double *scores, GError **error)
{
  gsize n = self->n_classes;
  g_autofree double *pairs = assay_kernel_room0 (kernel, double, n *n, error);
  gsize pair = 0;

  if (pairs == NULL)
    return FALSE;

  for (gsize i = 0; i < n; i++)
    for (gsize j = i + 1; j < n; j++, pair++)
      {
        double p = 1 / (1 + exp (scores[pair] * self->prob_a[pair] + self->prob_b[pair]));

        pairs[i * n + j] = CLAMP (p, 1e-7, 1 - 1e-7);
        pairs[j * n + i] = 1 - pairs[i * n + j];
      }

  return couple_pairs (kernel, pairs, n, scores, error);
}

static gboolean
read_classifier (AssayKernel *self, Classifier *classifier, gsize n_columns, GError **error)
{
  guint n_labels = assay_labels_count (self, "classlabels_strings", "classlabels_ints");
  gsize n_vectors = 0;
  gsize n_pairs;
  guint n_counts, n_a, n_b;

  classifier->counts = assay_node_get_ints (self->node, "vectors_per_class", &n_counts);
  for (guint i = 0; i < n_counts; i++)
    {
      if (classifier->counts[i] < 0 || classifier->counts[i] > G_MAXINT32)
        return assay_kernel_fail (self, error, "vectors_per_class[%u] is %" G_GINT64_FORMAT, i,
                                  classifier->counts[i]);
      n_vectors += (gsize) classifier->counts[i];
    }
  if (!read_machine (self, n_vectors, n_columns, &classifier->machine, error))
    return FALSE;

  classifier->n_classes = MAX (n_labels, 1);
  n_pairs = classifier->n_classes * (classifier->n_classes - 1) / 2;
  classifier->prob_a = assay_node_get_floats (self->node, "prob_a", &n_a);
  classifier->prob_b = assay_node_get_floats (self->node, "prob_b", &n_b);
  if (n_vectors > 0
          ? n_counts != classifier->n_classes || classifier->n_classes < 2 ||
                classifier->machine.n_rho < n_pairs ||
                classifier->machine.n_coefficients < (classifier->n_classes - 1) * n_vectors ||
                (n_a > 0 && (n_a < n_pairs || n_b < n_pairs))
          : classifier->machine.n_coefficients != classifier->n_classes * n_columns ||
                classifier->machine.n_rho < 1)
    return assay_kernel_fail (
        self, error,
        "%u coefficient%s, %u value%s of rho and %u counts of vectors do not suit %u %s",
        classifier->machine.n_coefficients, assay_plural (classifier->machine.n_coefficients),
        classifier->machine.n_rho, assay_plural (classifier->machine.n_rho), n_counts, n_labels,
        assay_noun (n_labels, "class", "classes"));

  return TRUE;
}

/* With two classes and one score, the label follows its sign, or a half where the coefficients are
 * probabilities. */
static gint64
label_of_one (const Machine *machine, double top, guint best)
{
  gboolean all_positive = TRUE;

  for (guint i = 0; i < machine->n_coefficients; i++)
    all_positive &= machine->coefficients[i] >= 0;

  return all_positive && top >= 0.5 ? 1 : best;
}

gboolean
assay_kernel_op_svm_classifier (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  guint n_labels = assay_labels_count (self, "classlabels_strings", "classlabels_ints");
  Classifier classifier;
  AssayPostTransform transform;
  g_autofree double *features = NULL;
  g_autofree double *kernels = NULL;
  g_autofree double *scores = NULL;
  g_autofree double *votes = NULL;
  gsize n, n_rows, n_columns, n_scores, n_written;
  gboolean has_vectors, has_probabilities;
  AssayDatum *labels, *y;

  if (!assay_scores_get_transform (self, &transform, error) ||
      !assay_scores_matrix (self, &n_rows, &n_columns, error) ||
      !read_classifier (self, &classifier, n_columns, error))
    return FALSE;

  has_vectors = classifier.machine.n_vectors > 0;
  has_probabilities = has_vectors && classifier.prob_a != NULL;
  n_scores = !has_vectors || has_probabilities
                 ? classifier.n_classes
                 : classifier.n_classes * (classifier.n_classes - 1) / 2;
  n_written = n_scores == 1 && n_labels == 2 ? 2 : n_scores;
  labels = assay_labels_output (self, "classlabels_strings", n_rows, error);
  y = assay_scores_output (self, 1, ASSAY_DTYPE_F32, n_rows, n_written, error);
  if (labels == NULL || y == NULL)
    return FALSE;

  n = classifier.n_classes;
  if (!(features = assay_kernel_room (self, double, n_columns + 1, error)) ||
      !(kernels = assay_kernel_room (self, double, classifier.machine.n_vectors + 1, error)) ||
      !(scores = assay_kernel_room (self, double, n *n + 2, error)) ||
      !(votes = assay_kernel_room (self, double, n + 1, error)))
    return FALSE;
  for (gsize row = 0; row < n_rows; row++)
    {
      gint64 best;

      read_row (x, row, n_columns, features);
      if (has_vectors)
        {
          vote (&classifier, features, kernels, scores, votes);
          best = assay_scores_best (votes, classifier.n_classes);
          if (has_probabilities)
            {
              if (!estimate_probabilities (self, &classifier, scores, error))
                return FALSE;
            }
          else if (n_labels == 2)
            best = label_of_one (&classifier.machine, votes[best], (guint) best);
        }
      else
        {
          for (gsize i = 0; i < classifier.n_classes; i++)
            scores[i] = classifier.machine.rho[0] +
                        dot (features, classifier.machine.coefficients + i * n_columns, n_columns);
          best = assay_scores_best (scores, classifier.n_classes);
          if (n_labels < 2)
            best = scores[0] > 0 ? 0 : -1;
        }

      if (n_written > n_scores)
        {
          scores[1] = scores[0];
          scores[0] = -scores[0];
        }
      assay_scores_transform (transform, scores, n_written);
      assay_labels_set (self, labels, row, "classlabels_strings", "classlabels_ints", best);
      for (gsize i = 0; i < n_written; i++)
        assay_datum_set_number (y, row * n_written + i, scores[i]);
    }

  return TRUE;
}
