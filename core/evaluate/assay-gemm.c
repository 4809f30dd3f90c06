/* assay-gemm.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-gemm.h"

#include "evaluate/assay-blas.h"

/* Multiply-adds that are worth handing to another thread. */
#define TILE_WORK ((gsize) 1 << 22)

/* Tiles are multiples of the register tiles of the library, so that no tile but the last has edges.
 */
#define TILE_ROWS 96
#define TILE_COLUMNS 256

/* On some processors the library adds up small products from the first term to the last, which is
 * 20 times as far off for ten thousand terms as the blocks of larger ones: they get blocks too. */
#define SMALL_WORK ((gsize) 1 << 20)
#define BLOCK_TERMS 512

static CBLAS_TRANSPOSE
transposed (gboolean transpose)
{
  return transpose ? CblasTrans : CblasNoTrans;
}

/* A sum of nothing. */
static void
scale_result (const AssayGemm *self, gpointer c)
{
  for (gsize i = 0; i < self->m * self->n; i++)
    {
      gsize at = i / self->n * self->ldc + i % self->n;

      if (self->storage == ASSAY_DTYPE_F32)
        ((float *) c)[at] = self->beta == 0.0 ? 0.0f : ((float *) c)[at] * (float) self->beta;
      else
        ((double *) c)[at] = self->beta == 0.0 ? 0.0 : ((double *) c)[at] * self->beta;
    }
}

/* A product of floats, a block of terms after the other. */
static void
multiply_blocks (const AssayBlas *blas, const AssayGemm *self, const float *a, const float *b,
                 float *c)
{
  gsize lda = MAX (self->lda, 1), ldb = MAX (self->ldb, 1), ldc = MAX (self->ldc, 1);
  gsize block = self->m * self->n * self->k <= SMALL_WORK ? BLOCK_TERMS : self->k;

  for (gsize k = 0; k < self->k; k += block)
    blas->sgemm (CblasRowMajor, transposed (self->transpose_a), transposed (self->transpose_b),
                 (blasint) self->m, (blasint) self->n, (blasint) MIN (block, self->k - k),
                 (float) self->alpha, a + k * (self->transpose_a ? lda : 1), (blasint) lda,
                 b + k * (self->transpose_b ? 1 : ldb), (blasint) ldb,
                 k == 0 ? (float) self->beta : 1.0f, c, (blasint) ldc);
}

static void
multiply (const AssayBlas *blas, const AssayGemm *self, gconstpointer a, gconstpointer b,
          gpointer c)
{
  blasint m = (blasint) self->m, n = (blasint) self->n, k = (blasint) self->k;
  blasint lda = (blasint) MAX (self->lda, 1), ldb = (blasint) MAX (self->ldb, 1),
          ldc = (blasint) MAX (self->ldc, 1);
  CBLAS_TRANSPOSE ta = transposed (self->transpose_a), tb = transposed (self->transpose_b);

  /* One row by a matrix goes through the matrix once, unpacked. */
  if (self->m == 1)
    {
      blasint rows = self->transpose_b ? n : k, columns = self->transpose_b ? k : n;
      blasint step = self->transpose_a ? lda : 1;

      tb = transposed (!self->transpose_b);
      if (self->storage == ASSAY_DTYPE_F32)
        blas->sgemv (CblasRowMajor, tb, rows, columns, (float) self->alpha, b, ldb, a, step,
                     (float) self->beta, c, 1);
      else
        blas->dgemv (CblasRowMajor, tb, rows, columns, self->alpha, b, ldb, a, step, self->beta, c,
                     1);
    }
  else if (self->storage == ASSAY_DTYPE_F32)
    multiply_blocks (blas, self, a, b, c);
  else
    blas->dgemm (CblasRowMajor, ta, tb, m, n, k, self->alpha, a, lda, b, ldb, self->beta, c, ldc);
}

/**
 * assay_gemm_run:
 * @self: shapes
 * @a: left matrix
 * @b: right matrix
 * @c: result
 *
 * Multiplies two matrices in this thread. If it cannot, assay_blas_check() fails afterwards, and so
 * does the node that needs the product.
 */
void
assay_gemm_run (const AssayGemm *self, gconstpointer a, gconstpointer b, gpointer c)
{
  const AssayBlas *blas;

  if (self->m == 0 || self->n == 0)
    return;

  if (self->k == 0)
    {
      scale_result (self, c);
      return;
    }

  blas = assay_blas_begin ();
  if (blas == NULL)
    return;
  multiply (blas, self, a, b, c);
  assay_blas_end ();
}

typedef struct
{
  const AssayGemm *shape;
  const AssayGemmItem *items;
  gsize rows;
  gsize columns;
  gsize row_tiles;
  gsize column_tiles;
} Work;

static void
run_tiles (gpointer data, gsize begin, gsize end)
{
  const Work *work = data;
  gsize size = assay_storage_size (work->shape->storage);

  for (gsize i = begin; i < end; i++)
    {
      const AssayGemmItem *item = &work->items[i / (work->row_tiles * work->column_tiles)];
      gsize row = i / work->column_tiles % work->row_tiles * work->rows;
      gsize column = i % work->column_tiles * work->columns;
      AssayGemm tile = *work->shape;

      tile.m = MIN (work->rows, tile.m - row);
      tile.n = MIN (work->columns, tile.n - column);
      assay_gemm_run (&tile,
                      (const char *) item->a + row * (tile.transpose_a ? 1 : tile.lda) * size,
                      (const char *) item->b + column * (tile.transpose_b ? tile.ldb : 1) * size,
                      (char *) item->c + (row * tile.ldc + column) * size);
    }
}

/**
 * assay_gemm_batch:
 * @self: shapes
 * @kernel: the node it is for
 * @n_items: number of products
 * @items: (array length=n_items): their matrices
 *
 * Multiplies pairs of matrices in all threads. The tiles depend on the shapes alone, and so do the
 * results.
 */
void
assay_gemm_batch (const AssayGemm *self, AssayKernel *kernel, gsize n_items,
                  const AssayGemmItem *items)
{
  Work work = { self, items, MAX (self->m, 1), MAX (self->n, 1), 1, 1 };
  gsize k = MAX (self->k, 1);
  gsize tile;

  if (self->m == 0 || self->n == 0)
    return;

  if (self->m > TILE_ROWS && self->m * self->n * k > TILE_WORK)
    work.rows = MAX (TILE_WORK / (self->n * k) / TILE_ROWS, 1) * TILE_ROWS;
  if (self->n > TILE_COLUMNS && MIN (work.rows, self->m) * self->n * k > 2 * TILE_WORK)
    work.columns = MAX (TILE_WORK / (MIN (work.rows, self->m) * k) / TILE_COLUMNS, 1) *
                   TILE_COLUMNS;
  work.row_tiles = (self->m + work.rows - 1) / work.rows;
  work.column_tiles = (self->n + work.columns - 1) / work.columns;

  tile = MIN (work.rows, self->m) * MIN (work.columns, self->n) * k;
  assay_kernel_parallel (kernel, n_items * work.row_tiles * work.column_tiles,
                         MAX (TILE_WORK / tile, 1), run_tiles, &work);
}
