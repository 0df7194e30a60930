/* The first convolution of a network from a plain image, one output number at a time. */
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

/* The sum for channel `c` at row y, column x of the convolution. */
static float convolve(const forge_plain_convolution_arguments *a, const float *image, int64_t c,
                      int64_t y, int64_t x) {
  const int64_t taps = a->kernel_width * a->in.channels;
  const int64_t padded = forge_blocks(taps) * FORGE_LANES;
  const float *weights = a->weights +
    c / a->panel_width * a->kernel_height * padded * a->panel_width + c % a->panel_width;
  float sum = a->bias[c];
  for (int64_t ky = 0; ky < a->kernel_height; ky++) {
    const int64_t row = y * a->stride_y + ky - a->pad_top;
    if (row < 0 || row >= a->in.height) continue;
    for (int64_t tap = 0; tap < taps; tap++) {
      const int64_t column = x * a->stride_x + tap / a->in.channels - a->pad_left;
      if (column < 0 || column >= a->in.width) continue;
      sum += image[row * a->in.row_stride + column * a->in.channels + tap % a->in.channels] *
        weights[(ky * padded + tap) * a->panel_width];
    }
  }
  return sum;
}

void forge_plain_convolution_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                                    int64_t last) {
  const forge_plain_convolution_arguments *a = arguments;
  const float *image = forge_origin(&a->in, frame);
  const int64_t step = a->pooled ? 2 : 1;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t panel = tile / a->out.height, y = tile % a->out.height;
    const int64_t end =
      forge_smaller((panel + 1) * a->panel_width, forge_blocks(a->out.channels) * FORGE_LANES);
    for (int64_t c = panel * a->panel_width; c < end; c++) {
      float *out = forge_row(&a->out, frame, c / FORGE_LANES, y) + c % FORGE_LANES;
      for (int64_t x = 0; x < a->out.width; x++) {
        float value = -INFINITY;
        for (int64_t dy = 0; dy < step && y * step + dy < a->height; dy++) {
          for (int64_t dx = 0; dx < step && x * step + dx < a->width; dx++) {
            const float sum =
              c < a->out.channels ? convolve(a, image, c, y * step + dy, x * step + dx) : 0;
            value = sum > value || sum != sum ? sum : value;
          }
        }
        out[x * FORGE_LANES] =
          c < a->out.channels ? forge_activate_scalar(value, a->activation) : 0;
      }
    }
  }
}
