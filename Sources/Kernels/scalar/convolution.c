/* Convolutions, one output number at a time. */
#include "../grouped.h"
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

/* ---- one group ---- */

/* The products in the order ky, kx, channel, then the bias. */
static FORGE_SCALAR_NUMBER(convolution_sum) {
  const forge_convolution_arguments *a = arguments;
  const int64_t padded = forge_blocks(a->in.channels) * FORGE_LANES;
  const float *in = forge_row(&a->in, frame, 0, y * a->stride_y - a->pad_top) +
    (x * a->stride_x - a->pad_left) * FORGE_LANES;
  const float *weights = a->weights + o % a->panel_width +
    o / a->panel_width * a->kernel_height * a->kernel_width * padded * a->panel_width;
  float sum = 0;
  for (int64_t ky = 0; ky < a->kernel_height; ky++) {
    for (int64_t kx = 0; kx < a->kernel_width; kx++, weights += padded * a->panel_width) {
      const float *pixel =
        in + ky * a->dilation_y * a->in.row_stride + kx * a->dilation_x * FORGE_LANES;
      for (int64_t c = 0; c < a->in.channels; c++)
        sum += pixel[c / FORGE_LANES * a->in.block_stride + c % FORGE_LANES] *
          weights[c * a->panel_width];
    }
  }
  return sum + a->bias[o];
}

FORGE_SCALAR_CONVOLUTION(convolution, convolution, convolution_sum, a->panel_width, a->segments,
                         false)

/* ---- groups of any size ---- */

/* The bias, then the products in the order ky, channel, kx. */
static FORGE_SCALAR_NUMBER(grouped_sum) {
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

FORGE_SCALAR_CONVOLUTION(grouped_convolution, grouped_convolution, grouped_sum, FORGE_LANES, 1,
                         false)

/* ---- a channel each ---- */

/* Pixels outside the image are not read. */
static FORGE_SCALAR_NUMBER(depthwise_sum) {
  const forge_depthwise_arguments *a = arguments;
  const float *weights = a->weights + o % FORGE_LANES +
    o / FORGE_LANES * a->kernel_height * a->kernel_width * FORGE_LANES;
  float sum = a->bias[o];
  for (int64_t ky = 0; ky < a->kernel_height; ky++) {
    const int64_t row = y * a->stride_y - a->pad_top + ky * a->dilation_y;
    for (int64_t kx = 0; kx < a->kernel_width; kx++, weights += FORGE_LANES) {
      const int64_t column = x * a->stride_x - a->pad_left + kx * a->dilation_x;
      if (row >= 0 && row < a->in.height && column >= 0 && column < a->in.width)
        sum += *weights * scalar_at(&a->in, frame, o, row, column);
    }
  }
  return sum;
}

FORGE_SCALAR_CONVOLUTION(depthwise, depthwise, depthwise_sum, FORGE_LANES, 1, false)

/* ---- a plain image ---- */

/* The sum for channel `c` at row y, column x of the convolution. */
static float plain_sum(const forge_plain_convolution_arguments *a, const float *image, int64_t c,
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
static FORGE_SCALAR_NUMBER(plain_number) {
  const forge_plain_convolution_arguments *a = arguments;
  const int64_t step = a->pooled ? 2 : 1;
  float value = -INFINITY;
  for (int64_t row = y * step; row < forge_smaller((y + 1) * step, a->height); row++)
    for (int64_t column = x * step; column < forge_smaller((x + 1) * step, a->width); column++) {
      const float sum = plain_sum(a, forge_origin(&a->in, frame), o, row, column);
      value = sum > value || sum != sum ? sum : value;
    }
  return value;
}

FORGE_SCALAR_KERNEL(plain_convolution, plain_number, a->panel_width)
