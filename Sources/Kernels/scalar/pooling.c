/* Pooling, one output number at a time. */
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

/* An average is the sum of the sums of the rows: shorter chains have smaller rounding errors. */
static FORGE_SCALAR_NUMBER(pool) {
  const forge_pooling_arguments *a = arguments;
  const int64_t top = y * a->stride_y - a->pad_top, left = x * a->stride_x - a->pad_left;
  const forge_taps rows = forge_taps_inside(top, a->kernel_height, a->dilation_y, a->in.height);
  const forge_taps columns = forge_taps_inside(left, a->kernel_width, a->dilation_x, a->in.width);
  if (rows.first >= rows.last || columns.first >= columns.last) return 0;
  float largest = -INFINITY, sum = 0;
  for (int64_t ky = rows.first; ky < rows.last; ky++) {
    float row = 0;
    for (int64_t kx = columns.first; kx < columns.last; kx++) {
      const float in =
        scalar_at(&a->in, frame, o, top + ky * a->dilation_y, left + kx * a->dilation_x);
      row += in;
      if (in > largest || isnan(in)) largest = in; /* a NaN stays, because x > NaN is false */
    }
    sum += row;
  }
  switch (a->kind) {
    case FORGE_POOL_AVERAGE_INSIDE:
      return sum / (float)((rows.last - rows.first) * (columns.last - columns.first));
    case FORGE_POOL_AVERAGE_ALL: return sum / (float)(a->kernel_height * a->kernel_width);
    default: return largest;
  }
}

FORGE_SCALAR_KERNEL(pooling, pool, FORGE_LANES)
