/* Convolution, one output number at a time. */
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

/* The bias, then the products in the order ky, kx, channel. */
static float convolve(const void *arguments, const forge_frame *frame, int64_t o, int64_t y,
                      int64_t x) {
  const forge_convolution_arguments *a = arguments;
  const int64_t padded = forge_blocks(a->in.channels) * FORGE_LANES;
  const float *in = forge_row(&a->in, frame, 0, y * a->stride_y - a->pad_top) +
    (x * a->stride_x - a->pad_left) * FORGE_LANES;
  const float *weights = a->weights + o % a->panel_width +
    o / a->panel_width * a->kernel_height * a->kernel_width * padded * a->panel_width;
  float sum = a->bias[o];
  for (int64_t ky = 0; ky < a->kernel_height; ky++) {
    for (int64_t kx = 0; kx < a->kernel_width; kx++, weights += padded * a->panel_width) {
      const float *pixel =
        in + ky * a->dilation_y * a->in.row_stride + kx * a->dilation_x * FORGE_LANES;
      for (int64_t c = 0; c < a->in.channels; c++)
        sum += pixel[c / FORGE_LANES * a->in.block_stride + c % FORGE_LANES] *
          weights[c * a->panel_width];
    }
  }
  return sum;
}

FORGE_SCALAR_CONVOLUTION(convolution, convolution, convolve, a->panel_width, a->segments, false)
