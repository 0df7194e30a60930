/* Products of matrices: the sums of some rows and two vectors of columns are in registers. */
#include "../matrix_product.h"

#if FORGE_TILE_VECTORS > 1
#define FORGE_PRODUCT_VECTORS 2
#define FORGE_PRODUCT_TILE_ROWS FORGE_TILE_ROWS_2
#else
#define FORGE_PRODUCT_VECTORS 1
#define FORGE_PRODUCT_TILE_ROWS FORGE_TILE_ROWS_1
#endif

/* Computes `rows` rows of `vectors` vectors of columns; of the last vector the first `rest`. */
FORGE_INLINE void product_tile(const forge_matrix_product_arguments *a, const float *left,
                               const float *right, float *out, int rows, int vectors,
                               int64_t rest) {
  v16 sums[FORGE_PRODUCT_TILE_ROWS][FORGE_PRODUCT_VECTORS];
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < vectors; j++) sums[i][j] = splat(0);
  for (int64_t k = 0; k < a->inner; k++) {
    v16 columns[FORGE_PRODUCT_VECTORS];
    for (int j = 0; j < vectors; j++) {
      const float *at = right + k * a->columns + j * FORGE_LANES;
      columns[j] = j == vectors - 1 && rest < FORGE_LANES ? load_first(at, rest, 0) : load(at);
    }
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < vectors; j++)
        sums[i][j] = multiply_add(splat(left[i * a->inner + k]), columns[j], sums[i][j]);
  }
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < vectors; j++) {
      float *at = out + i * a->columns + j * FORGE_LANES;
      if (j == vectors - 1 && rest < FORGE_LANES)
        store_first(at, rest, sums[i][j]);
      else
        store(at, sums[i][j]);
    }
  }
}

/* Computes all rows of a part for `vectors` vectors of columns. */
FORGE_INLINE void product_columns(const forge_matrix_product_arguments *a,
                                  const forge_product_part *part, int64_t column, int vectors,
                                  int64_t rest) {
  const float *right = part->right + column;
  int64_t i = 0;
#define FORGE_PRODUCT_ROWS_OF(count)                                                              \
  for (; i + count <= part->rows; i += count)                                                     \
    product_tile(a, part->left + i * a->inner, right, part->out + i * a->columns + column, count, \
                 vectors, rest);
  FORGE_PRODUCT_ROWS_OF(FORGE_PRODUCT_TILE_ROWS)
  FORGE_PRODUCT_ROWS_OF(4)
  FORGE_PRODUCT_ROWS_OF(1)
#undef FORGE_PRODUCT_ROWS_OF
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
