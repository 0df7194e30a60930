/* Convolution, one output number at a time. */
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

/* The sum of one output number, in the order ky, kx, channel.
 * in: channel 0 of the window's first pixel;
 * weights: float [ky][kx][in blocks * 16][panel_width], at the output's column. */
static float convolve(const forge_convolution_arguments *a, const float *in, const float *weights,
                      float bias) {
  const int64_t padded = forge_blocks(a->in.channels) * FORGE_LANES;
  float sum = bias;
  for (int64_t ky = 0; ky < a->kernel_height; ky++) {
    for (int64_t kx = 0; kx < a->kernel_width; kx++) {
      const float *pixel =
        in + ky * a->dilation_y * a->in.row_stride + kx * a->dilation_x * FORGE_LANES;
      const float *column = weights + (ky * a->kernel_width + kx) * padded * a->panel_width;
      for (int64_t c = 0; c < a->in.channels; c++)
        sum += pixel[c / FORGE_LANES * a->in.block_stride + c % FORGE_LANES] *
          column[c * a->panel_width];
    }
  }
  return sum;
}

void forge_convolution_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                              int64_t last) {
  const forge_convolution_arguments *a = arguments;
  const forge_epilogue *e = &a->epilogue;
  const int64_t height = a->out.height, width = a->out.width, channels = a->out.channels;
  const int64_t panel_floats = (int64_t)a->kernel_height * a->kernel_width *
    forge_blocks(a->in.channels) * FORGE_LANES * a->panel_width;
  const int64_t segments = forge_larger(a->segments, 1);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t panel = tile / segments / height, y = tile / segments % height;
    const int64_t segment = tile % segments;
    const int64_t first_channel = panel * a->panel_width;
    /* The last panel may reach past the last block: nothing is stored there. */
    const int64_t end =
      forge_smaller(first_channel + a->panel_width, forge_blocks(channels) * FORGE_LANES);
    const float *row = forge_origin(&a->in, frame) +
      (y * a->stride_y - a->pad_top) * a->in.row_stride - a->pad_left * FORGE_LANES;
    for (int64_t c = first_channel; c < end; c++) {
      const int64_t block = c / FORGE_LANES, lane = c % FORGE_LANES;
      const float *weights = a->weights + panel * panel_floats + (c - first_channel);
      float *out = forge_row(&a->out, frame, block, y) + lane;
      const float *residual =
        e->has_residual ? forge_row(&e->residual, frame, block, y) + lane : NULL;
      for (int64_t x = width * segment / segments; x < width * (segment + 1) / segments; x++) {
        if (c >= channels) {
          out[x * FORGE_LANES] = 0;
          continue;
        }
        float sum = convolve(a, row + x * a->stride_x * FORGE_LANES, weights, a->bias[c]);
        if (residual) sum += residual[x * FORGE_LANES];
        out[x * FORGE_LANES] = forge_activate_scalar(sum, e->activation);
      }
    }
  }
}
