/* Products of matrices that are both computed at run time. Included by CForgeKernels.h. */
#ifndef CFORGE_MATRIX_KERNELS_H
#define CFORGE_MATRIX_KERNELS_H

/* out[b][i][j] = sum over k of left[b][i][k] * right[b][k][j], in the order of k.
 *
 * All tensors are row-major. batch_sizes has `batch_rank` numbers; a stride of 0 repeats an
 * operand. Tiles: batches times blocks of FORGE_PRODUCT_ROWS rows times blocks of
 * FORGE_PRODUCT_COLUMNS columns. */
typedef struct {
  forge_place left, right, out;
  int32_t batch_rank;
  int64_t batch_sizes[FORGE_MAX_RANK], left_strides[FORGE_MAX_RANK], right_strides[FORGE_MAX_RANK];
  int64_t rows, inner, columns;
} forge_matrix_product_arguments;

#define FORGE_PRODUCT_ROWS 84
#define FORGE_PRODUCT_COLUMNS 192

#endif
