/* The tiles of a product of matrices: see CForgeMatrixKernels.h. */
#ifndef FORGE_MATRIX_PRODUCT_H
#define FORGE_MATRIX_PRODUCT_H

#include "internal.h"

/* The part of a product that one tile computes. */
typedef struct {
  const float *left, *right; /* element 0 of the rows and columns of the tile */
  float *out;
  int64_t rows, columns;
} forge_product_part;

FORGE_INLINE forge_product_part forge_product_part_of(const forge_matrix_product_arguments *a,
                                                      const forge_frame *frame, int64_t tile) {
  const int64_t across = forge_quotient_up(a->columns, FORGE_PRODUCT_COLUMNS);
  const int64_t down = forge_quotient_up(a->rows, FORGE_PRODUCT_ROWS);
  const int64_t column = tile % across * FORGE_PRODUCT_COLUMNS;
  const int64_t row = tile / across % down * FORGE_PRODUCT_ROWS;
  const int64_t batch = tile / across / down;
  int64_t left = 0, right = 0, rest = batch;
  for (int32_t d = a->batch_rank - 1; d >= 0; d--) {
    left += rest % a->batch_sizes[d] * a->left_strides[d];
    right += rest % a->batch_sizes[d] * a->right_strides[d];
    rest /= a->batch_sizes[d];
  }
  return (forge_product_part){
    .left = forge_start(&a->left, frame) + left + row * a->inner,
    .right = forge_start(&a->right, frame) + right + column,
    .out = forge_start(&a->out, frame) + (batch * a->rows + row) * a->columns + column,
    .rows = forge_smaller(FORGE_PRODUCT_ROWS, a->rows - row),
    .columns = forge_smaller(FORGE_PRODUCT_COLUMNS, a->columns - column),
  };
}

#endif
