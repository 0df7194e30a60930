/* Pooling, one output number at a time. */
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

/* One window. in: the first pixel inside the interior; rows and columns: taps inside, above 0.
 * An average is the sum of the sums of the rows: shorter chains, smaller rounding errors. */
static float pool(const forge_pooling_arguments *a, const float *in, int64_t rows,
                  int64_t columns) {
  float largest = -INFINITY, sum = 0;
  for (int64_t ky = 0; ky < rows; ky++) {
    float row = 0;
    for (int64_t kx = 0; kx < columns; kx++) {
      const float x = in[ky * a->dilation_y * a->in.row_stride + kx * a->dilation_x * FORGE_LANES];
      row += x;
      if (x > largest || isnan(x)) largest = x; /* once NaN, it stays: x > NaN is false */
    }
    sum += row;
  }
  switch (a->kind) {
    case FORGE_POOL_AVERAGE_INSIDE: return sum / (float)(rows * columns);
    case FORGE_POOL_AVERAGE_ALL: return sum / (float)(a->kernel_height * a->kernel_width);
    default: return largest;
  }
}

void forge_pooling_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                          int64_t last) {
  const forge_pooling_arguments *a = arguments;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const int64_t lanes = forge_lanes(a->out.channels, block);
    const int64_t top = y * a->stride_y - a->pad_top;
    const forge_taps rows = forge_taps_inside(top, a->kernel_height, a->dilation_y, a->in.height);
    const float *row = forge_row(&a->in, frame, block, top + rows.first * a->dilation_y);
    float *out = forge_row(&a->out, frame, block, y);
    for (int64_t x = 0; x < a->out.width; x++) {
      const int64_t left = x * a->stride_x - a->pad_left;
      const forge_taps columns =
        forge_taps_inside(left, a->kernel_width, a->dilation_x, a->in.width);
      const float *in = row + (left + columns.first * a->dilation_x) * FORGE_LANES;
      const bool empty = rows.first >= rows.last || columns.first >= columns.last;
      for (int64_t lane = 0; lane < FORGE_LANES; lane++) {
        const float value =
          empty ? 0 : pool(a, in + lane, rows.last - rows.first, columns.last - columns.first);
        out[x * FORGE_LANES + lane] =
          lane < lanes ? forge_activate_scalar(value, a->activation) : 0;
      }
    }
  }
}
