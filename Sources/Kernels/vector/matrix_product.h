/* Products of matrices: the sums of some rows and two vectors of columns are in registers, a part
 * of the right matrix in a panel on the stack. */
#include "../matrix_product.h"

#if FORGE_TILE_VECTORS > 1
#define FORGE_PRODUCT_VECTORS 2
#define FORGE_PRODUCT_TILE_ROWS FORGE_TILE_ROWS_2
#else
#define FORGE_PRODUCT_VECTORS 1
#define FORGE_PRODUCT_TILE_ROWS FORGE_TILE_ROWS_1
#endif
#define FORGE_PRODUCT_FEW_ROWS (FORGE_PRODUCT_TILE_ROWS < 4 ? 1 : 4)

/* Rows of the right matrix in a panel, which the first-level cache holds. */
#define FORGE_PRODUCT_DEPTH 128

/* Some columns of the right matrix, from row `from` on. */
typedef struct {
  const float *at;
  int64_t stride;      /* floats to the next row */
  int64_t from, depth; /* rows of the right matrix, columns of the left one */
  int64_t rest;        /* columns of the last vector in the result; all 16 can be read */
} product_panel;

/* Adds the products of a panel to `rows` rows of the sums in `out`, or begins them. The order of
 * the sums does not depend on the panels. */
FORGE_INLINE void product_tile(const forge_matrix_product_arguments *a, const float *left,
                               const product_panel *panel, float *out, int rows, int vectors) {
  v16 sums[FORGE_PRODUCT_TILE_ROWS][FORGE_PRODUCT_VECTORS];
  const int64_t rest = panel->rest;
#pragma clang loop unroll(full)
  for (int i = 0; i < rows; i++) {
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; j++) {
      const float *at = out + i * a->columns + j * FORGE_LANES;
      if (panel->from == 0)
        sums[i][j] = splat(0);
      else
        sums[i][j] = j == vectors - 1 && rest < FORGE_LANES ? load_first(at, rest, 0) : load(at);
    }
  }
  const float *right = panel->at;
  left += panel->from;
  for (int64_t k = 0; k < panel->depth; k++, right += panel->stride) {
    v16 columns[FORGE_PRODUCT_VECTORS];
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; j++) columns[j] = load(right + j * FORGE_LANES);
#pragma clang loop unroll(full)
    for (int i = 0; i < rows; i++)
#pragma clang loop unroll(full)
      for (int j = 0; j < vectors; j++)
        sums[i][j] = multiply_add(splat(left[i * a->inner + k]), columns[j], sums[i][j]);
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < rows; i++) {
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; j++) {
      float *at = out + i * a->columns + j * FORGE_LANES;
      if (j == vectors - 1 && rest < FORGE_LANES)
        store_first(at, rest, sums[i][j]);
      else
        store(at, sums[i][j]);
    }
  }
}

/* Adds the products of a panel to all rows of a part. */
FORGE_INLINE void product_rows(const forge_matrix_product_arguments *a,
                               const forge_product_part *part, int64_t column,
                               const product_panel *panel, int vectors) {
  int64_t i = 0;
#define FORGE_PRODUCT_ROWS_OF(count)                                                              \
  for (; i + count <= part->rows; i += count)                                                     \
    product_tile(a, part->left + i * a->inner, panel, part->out + i * a->columns + column, count, \
                 vectors);
  FORGE_PRODUCT_ROWS_OF(FORGE_PRODUCT_TILE_ROWS)
  FORGE_PRODUCT_ROWS_OF(FORGE_PRODUCT_FEW_ROWS)
  FORGE_PRODUCT_ROWS_OF(1)
#undef FORGE_PRODUCT_ROWS_OF
}

/* Computes all rows of a part for `vectors` vectors of columns, of the last one `rest`. */
FORGE_INLINE void product_columns(const forge_matrix_product_arguments *a,
                                  const forge_product_part *part, int64_t column, int vectors,
                                  int64_t rest) {
  const float *right = part->right + column;
  if (rest == FORGE_LANES && part->rows <= 2 * FORGE_PRODUCT_TILE_ROWS) {
    /* Each number is used too rarely for a copy to be faster. */
    const product_panel whole = {right, a->columns, 0, a->inner, rest};
    product_rows(a, part, column, &whole, vectors);
    return;
  }
  float copy[FORGE_PRODUCT_DEPTH * FORGE_PRODUCT_VECTORS * FORGE_LANES];
  const int64_t width = vectors * FORGE_LANES;
  for (int64_t from = 0; from < a->inner; from += FORGE_PRODUCT_DEPTH) {
    const int64_t depth = forge_smaller(FORGE_PRODUCT_DEPTH, a->inner - from);
    for (int64_t k = 0; k < depth; k++) {
      const float *row = right + (from + k) * a->columns;
      for (int j = 0; j < vectors; j++) {
        const bool is_partial = j == vectors - 1 && rest < FORGE_LANES;
        store(copy + k * width + j * FORGE_LANES,
              is_partial ? load_first(row + j * FORGE_LANES, rest, 0)
                         : load(row + j * FORGE_LANES));
      }
    }
    const product_panel panel = {copy, width, from, depth, rest};
    product_rows(a, part, column, &panel, vectors);
  }
}

FORGE_KERNEL(matrix_product) {
  const forge_matrix_product_arguments *a = arguments;
  enum { WIDE = FORGE_PRODUCT_VECTORS * FORGE_LANES };
  for (int64_t tile = first; tile < last; tile++) {
    const forge_product_part part = forge_product_part_of(a, frame, tile);
    int64_t column = 0;
    for (; column + WIDE <= part.columns; column += WIDE)
      product_columns(a, &part, column, FORGE_PRODUCT_VECTORS, FORGE_LANES);
    for (; column + FORGE_LANES <= part.columns; column += FORGE_LANES)
      product_columns(a, &part, column, 1, FORGE_LANES);
    if (column < part.columns) product_columns(a, &part, column, 1, part.columns - column);
  }
}
