/* Convolution in groups of any size, one output number at a time. */
#include "../grouped.h"
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

/* The sum of one output number, in the order ky, channel, kx.
 * in: block 0, lane 0 of the window's first pixel; weights: the number's lane of its piece. */
static float convolve(const forge_grouped_convolution_arguments *a, const float *in,
                      const float *weights, int64_t first_channel, int64_t count, float bias) {
  float sum = bias;
  for (int64_t ky = 0; ky < a->kernel_height; ky++) {
    for (int64_t c = first_channel; c < first_channel + count; c++) {
      const float *pixel = in + ky * a->dilation_y * a->in.row_stride +
        c / FORGE_LANES * a->in.block_stride + c % FORGE_LANES;
      for (int64_t kx = 0; kx < a->kernel_width; kx++, weights += FORGE_LANES)
        sum += pixel[kx * a->dilation_x * FORGE_LANES] * *weights;
    }
  }
  return sum;
}

void forge_grouped_convolution_scalar(const void *arguments, const forge_frame *frame,
                                      int64_t first, int64_t last) {
  const forge_grouped_convolution_arguments *a = arguments;
  const forge_epilogue *e = &a->epilogue;
  const int64_t inputs = a->in.channels / a->groups, outputs = a->out.channels / a->groups;
  const int64_t piece = (int64_t)a->kernel_height * a->kernel_width * inputs * FORGE_LANES;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const float *row = forge_origin(&a->in, frame) +
      (y * a->stride_y - a->pad_top) * a->in.row_stride - a->pad_left * FORGE_LANES;
    for (int64_t lane = 0; lane < FORGE_LANES; lane++) {
      const int64_t o = block * FORGE_LANES + lane, group = o / outputs;
      float *out = forge_row(&a->out, frame, block, y) + lane;
      const float *residual =
        e->has_residual ? forge_row(&e->residual, frame, block, y) + lane : NULL;
      for (int64_t x = 0; x < a->out.width; x++) {
        if (o >= a->out.channels) {
          out[x * FORGE_LANES] = 0;
          continue;
        }
        const float *weights =
          a->weights + forge_grouped_piece(block, group, inputs, outputs) * piece + lane;
        float sum = convolve(a, row + x * a->stride_x * FORGE_LANES, weights, group * inputs,
                             inputs, a->bias[o]);
        if (residual) sum += residual[x * FORGE_LANES];
        out[x * FORGE_LANES] = forge_activate_scalar(sum, e->activation);
      }
    }
  }
}
