/* The first convolution of a network from a plain image, one output number at a time. */
#include "scalar.h"

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

/* The maximum of a pooling window, or the one sum without pooling. */
static float pool(const void *arguments, const forge_frame *frame, int64_t c, int64_t y,
                  int64_t x) {
  const forge_plain_convolution_arguments *a = arguments;
  const int64_t step = a->pooled ? 2 : 1;
  float value = -INFINITY;
  for (int64_t row = y * step; row < forge_smaller((y + 1) * step, a->height); row++)
    for (int64_t column = x * step; column < forge_smaller((x + 1) * step, a->width); column++) {
      const float sum = convolve(a, forge_origin(&a->in, frame), c, row, column);
      value = sum > value || sum != sum ? sum : value;
    }
  return value;
}

FORGE_SCALAR(plain_convolution) {
  const forge_plain_convolution_arguments *a = arguments;
  const scalar_output output = {&a->out, a->activation, NULL, a->panel_width, 1, false};
  scalar_tiles(&output, pool, arguments, frame, first, last);
}
