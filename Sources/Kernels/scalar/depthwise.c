/* Depthwise convolution, one output number at a time. */
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

static float convolve(const void *arguments, const forge_frame *frame, int64_t c, int64_t y,
                      int64_t x) {
  const forge_depthwise_arguments *a = arguments;
  const float *weights = a->weights + c % FORGE_LANES +
    c / FORGE_LANES * a->kernel_height * a->kernel_width * FORGE_LANES;
  float sum = a->bias[c];
  for (int64_t ky = 0; ky < a->kernel_height; ky++)
    for (int64_t kx = 0; kx < a->kernel_width; kx++, weights += FORGE_LANES)
      sum += *weights *
        scalar_at(&a->in, frame, c, y * a->stride_y - a->pad_top + ky * a->dilation_y,
                  x * a->stride_x - a->pad_left + kx * a->dilation_x);
  return sum;
}

FORGE_SCALAR_CONVOLUTION(depthwise, depthwise, convolve, FORGE_LANES, 1, false)
