/* Convolution in groups of any size: the general fall-back, not made to be fast. */
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

/* The sum of one output number, in the order ky, kx, channel.
 * in: block 0, lane 0 of the window's first pixel; weights: float [ky][kx][count]. */
static float convolve(const forge_grouped_convolution_arguments *a, const float *in,
                      const float *weights, int64_t first_channel, int64_t count, float bias) {
  float sum = bias;
  for (int64_t ky = 0; ky < a->kernel_height; ky++) {
    for (int64_t kx = 0; kx < a->kernel_width; kx++) {
      const float *pixel =
        in + ky * a->dilation_y * a->in.row_stride + kx * a->dilation_x * FORGE_LANES;
      for (int64_t c = first_channel; c < first_channel + count; c++)
        sum += pixel[c / FORGE_LANES * a->in.block_stride + c % FORGE_LANES] * *weights++;
    }
  }
  return sum;
}

void forge_grouped_convolution_scalar(const void *arguments, const forge_frame *frame,
                                      int64_t first, int64_t last) {
  const forge_grouped_convolution_arguments *a = arguments;
  const forge_epilogue *e = &a->epilogue;
  const int64_t inputs = a->in.channels / a->groups, outputs = a->out.channels / a->groups;
  const int64_t weights_per_output = (int64_t)a->kernel_height * a->kernel_width * inputs;
  for (int64_t y = first; y < last; y++) {
    const float *row = forge_origin(&a->in, frame) +
                       (y * a->stride_y - a->pad_top) * a->in.row_stride -
                       a->pad_left * FORGE_LANES;
    for (int64_t o = 0; o < forge_blocks(a->out.channels) * FORGE_LANES; o++) {
      const int64_t block = o / FORGE_LANES, lane = o % FORGE_LANES;
      float *out = forge_row(&a->out, frame, block, y) + lane;
      const float *residual =
        e->has_residual ? forge_row(&e->residual, frame, block, y) + lane : NULL;
      for (int64_t x = 0; x < a->out.width; x++) {
        if (o >= a->out.channels) {
          out[x * FORGE_LANES] = 0;
          continue;
        }
        float sum = convolve(a, row + x * a->stride_x * FORGE_LANES,
                             a->weights + o * weights_per_output, o / outputs * inputs, inputs,
                             a->bias[o]);
        if (residual) sum += residual[x * FORGE_LANES];
        out[x * FORGE_LANES] = forge_activate_scalar(sum, e->activation);
      }
    }
  }
}
