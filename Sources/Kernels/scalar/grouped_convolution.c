/* Convolution in groups of any size, one output number at a time. */
#include "../grouped.h"
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

/* The bias, then the products in the order ky, channel, kx. */
static float convolve(const void *arguments, const forge_frame *frame, int64_t o, int64_t y,
                      int64_t x) {
  const forge_grouped_convolution_arguments *a = arguments;
  const int64_t inputs = a->in.channels / a->groups, outputs = a->out.channels / a->groups;
  const int64_t piece = (int64_t)a->kernel_height * a->kernel_width * inputs * FORGE_LANES;
  const int64_t group = o / outputs;
  const float *in = forge_row(&a->in, frame, 0, y * a->stride_y - a->pad_top) +
    (x * a->stride_x - a->pad_left) * FORGE_LANES;
  const float *weights = a->weights + o % FORGE_LANES +
    forge_grouped_piece(o / FORGE_LANES, group, inputs, outputs) * piece;
  float sum = a->bias[o];
  for (int64_t ky = 0; ky < a->kernel_height; ky++) {
    for (int64_t c = group * inputs; c < (group + 1) * inputs; c++) {
      const float *pixel = in + ky * a->dilation_y * a->in.row_stride +
        c / FORGE_LANES * a->in.block_stride + c % FORGE_LANES;
      for (int64_t kx = 0; kx < a->kernel_width; kx++, weights += FORGE_LANES)
        sum += pixel[kx * a->dilation_x * FORGE_LANES] * *weights;
    }
  }
  return sum;
}

FORGE_SCALAR_CONVOLUTION(grouped_convolution, grouped_convolution, convolve, FORGE_LANES, 1, false)
