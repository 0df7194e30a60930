/* Products of matrices, one number at a time. */
#include "../matrix_product.h"
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

FORGE_SCALAR(matrix_product) {
  const forge_matrix_product_arguments *a = arguments;
  for (int64_t tile = first; tile < last; tile++) {
    const forge_product_part part = forge_product_part_of(a, frame, tile);
    for (int64_t i = 0; i < part.rows; i++) {
      for (int64_t j = 0; j < part.columns; j++) {
        float sum = 0;
        for (int64_t k = 0; k < a->inner; k++)
          sum += part.left[i * a->inner + k] * part.right[k * a->columns + j];
        part.out[i * a->columns + j] = sum;
      }
    }
  }
}
