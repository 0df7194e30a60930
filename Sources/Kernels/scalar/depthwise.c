/* Depthwise convolution, one output number at a time. */
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

void forge_depthwise_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                            int64_t last) {
  const forge_depthwise_arguments *a = arguments;
  const forge_epilogue *e = &a->epilogue;
  const int64_t taps = (int64_t)a->kernel_height * a->kernel_width;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const int64_t lanes = forge_lanes(a->out.channels, block);
    const float *row =
      forge_row(&a->in, frame, block, y * a->stride_y - a->pad_top) - a->pad_left * FORGE_LANES;
    const float *weights = a->weights + block * taps * FORGE_LANES; /* [ky][kx][16] */
    float *out = forge_row(&a->out, frame, block, y);
    const float *residual = e->has_residual ? forge_row(&e->residual, frame, block, y) : NULL;
    for (int64_t x = 0; x < a->out.width; x++) {
      const float *in = row + x * a->stride_x * FORGE_LANES;
      for (int64_t lane = 0; lane < FORGE_LANES; lane++) {
        const int64_t at = x * FORGE_LANES + lane;
        if (lane >= lanes) {
          out[at] = 0;
          continue;
        }
        float sum = a->bias[block * FORGE_LANES + lane];
        for (int64_t ky = 0; ky < a->kernel_height; ky++)
          for (int64_t kx = 0; kx < a->kernel_width; kx++)
            sum +=
              in[ky * a->dilation_y * a->in.row_stride + kx * a->dilation_x * FORGE_LANES + lane] *
              weights[(ky * a->kernel_width + kx) * FORGE_LANES + lane];
        if (residual) sum += residual[at];
        out[at] = forge_activate_scalar(sum, e->activation);
      }
    }
  }
}
