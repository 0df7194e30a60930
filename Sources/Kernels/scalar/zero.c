/* Zeroes around and inside blocked tensors. */
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

static void clear(float *at, int64_t pixels) {
  memset(at, 0, (size_t)(pixels * FORGE_LANES) * sizeof(float));
}

FORGE_SCALAR(clear_halo) {
  const forge_clear_halo_arguments *a = arguments;
  const int64_t width = a->out.width, height = a->out.height;
  const int64_t left = a->left, right = a->right;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / height, y = tile % height;
    float *row = forge_row(&a->out, frame, block, y); /* column 0 */
    clear(row - left * FORGE_LANES, left);
    clear(row + width * FORGE_LANES, right);
    for (int64_t above = -a->top; y == 0 && above < 0; above++)
      clear(forge_row(&a->out, frame, block, above) - left * FORGE_LANES, left + width + right);
    for (int64_t below = height; y == height - 1 && below < height + a->bottom; below++)
      clear(forge_row(&a->out, frame, block, below) - left * FORGE_LANES, left + width + right);
  }
}

FORGE_SCALAR(fill) {
  const forge_fill_arguments *a = arguments;
  for (int64_t block = first; block < last; block++)
    for (int64_t y = 0; y < a->out.height; y++)
      clear(forge_row(&a->out, frame, block, y), a->out.width);
}
