/* Convolutions of bytes, one number at a time. */
#include "../quantized.h"
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

/* The pixel under a tap of the window of output pixel (y, x): of its first channel. */
static const uint8_t *pixel_of(const forge_quantized_convolution_arguments *a,
                               const forge_frame *frame, int64_t y, int64_t x, int64_t tap) {
  const int64_t ky = tap / a->kernel_width, kx = tap % a->kernel_width;
  if (a->flat) return forge_byte_origin(&a->in, frame) + (y * a->out.width + x) * a->pixel_bytes;
  const int64_t row = y * a->stride_y - a->pad_top + ky * a->dilation_y;
  const int64_t column = x * a->stride_x - a->pad_left + kx * a->dilation_x;
  return forge_byte_row(&a->in, frame, 0, row) + column * a->pixel_bytes;
}

/* The sum of output n, before it is converted. */
static int32_t sum_of(const forge_quantized_convolution_arguments *a, const forge_frame *frame,
                      int64_t n, int64_t y, int64_t x) {
  const forge_sum_end *end = &a->end;
  const int64_t taps = (int64_t)a->kernel_height * a->kernel_width;
  const int64_t quads = forge_tap_quads(a->in.channels, a->pixel_bytes);
  const int64_t panel = n / FORGE_BYTE_LANES, column = n % FORGE_BYTE_LANES;
  const int64_t width = forge_panel_width(a->out.channels, panel);
  const int8_t *weights = a->weights + panel * FORGE_BYTE_LANES * taps * quads * FORGE_QUAD;
  uint32_t sum = (uint32_t)end->biases[n], inputs = 0;
  for (int64_t tap = 0; tap < taps; tap++) {
    const uint8_t *pixel = pixel_of(a, frame, y, x, tap);
    for (int64_t c = 0; c < a->in.channels; c++) {
      const uint8_t byte = pixel[c / FORGE_BYTE_LANES * a->in.block_stride + c % FORGE_BYTE_LANES];
      const int64_t quad = tap * quads + c / FORGE_QUAD;
      const int8_t weight = weights[(quad * width + column) * FORGE_QUAD + c % FORGE_QUAD];
      sum += (uint32_t)(byte * weight);
      inputs += byte;
    }
  }
  if (end->weight_zeros) sum -= (uint32_t)end->weight_zeros[n] * inputs;
  if (end->has_range) {
    const int64_t at = (y * a->out.width + x) * end->range_step;
    sum -= (uint32_t)forge_quantization_at(&end->range, frame, at).zero * (uint32_t)end->totals[n];
  }
  return (int32_t)sum;
}

/* The float of a sum. */
static float float_of(const forge_quantized_convolution_arguments *a, const forge_frame *frame,
                      int64_t n, int64_t y, int64_t x, int32_t sum) {
  const forge_sum_end *end = &a->end;
  float factor = end->scales[n];
  if (end->has_range) {
    const int64_t at = (y * a->out.width + x) * end->range_step;
    factor = forge_quantization_at(&end->range, frame, at).scale * factor;
  }
  float value = (float)sum * factor;
  if (end->offsets) value += end->offsets[n];
  if (end->epilogue.has_residual) value += scalar_at(&end->epilogue.residual, frame, n, y, x);
  return forge_activate_scalar(value, end->epilogue.activation);
}

/* Computes output n, which may be padded, of pixel (y, x). */
static void compute(const forge_quantized_convolution_arguments *a, const forge_frame *frame,
                    int64_t n, int64_t y, int64_t x) {
  const forge_sum_end *end = &a->end;
  const bool padded = n >= a->out.channels;
  if (end->form == FORGE_SUMS_TO_BYTES) {
    if (padded) return;
    const float f = (float)sum_of(a, frame, n, y, x) * end->scales[n];
    forge_byte_row(&a->out, frame, n / FORGE_BYTE_LANES,
                   y)[x * FORGE_BYTE_LANES + n % FORGE_BYTE_LANES] =
      forge_byte_of(f, end->zero, end->low, end->high);
    return;
  }
  float *to = forge_row(&a->out, frame, n / FORGE_LANES, y) + x * FORGE_LANES + n % FORGE_LANES;
  const int32_t sum = padded ? 0 : sum_of(a, frame, n, y, x);
  if (end->form == FORGE_SUMS_AS_INTEGERS)
    memcpy(to, &sum, sizeof sum);
  else
    *to = padded ? 0 : float_of(a, frame, n, y, x, sum);
}

FORGE_SCALAR(quantized_convolution) {
  const forge_quantized_convolution_arguments *a = arguments;
  const int64_t height = a->flat ? 1 : a->out.height;
  const int64_t width = a->flat ? (int64_t)a->out.height * a->out.width : a->out.width;
  const int64_t segments = forge_larger(a->segments, 1);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t panel = tile / segments / height, row = tile / segments % height;
    const int64_t segment = tile % segments;
    const int64_t from = panel * FORGE_BYTE_LANES;
    const int64_t outputs = forge_panel_width(a->out.channels, panel);
    for (int64_t i = width * segment / segments; i < width * (segment + 1) / segments; i++) {
      const int64_t y = a->flat ? i / a->out.width : row;
      const int64_t x = a->flat ? i % a->out.width : i;
      for (int64_t n = from; n < from + outputs; n++) compute(a, frame, n, y, x);
    }
  }
}

/* ---- depthwise ---- */

static uint8_t depthwise_byte(const forge_quantized_depthwise_arguments *a,
                              const forge_frame *frame, int64_t block, int64_t lane, int64_t y,
                              int64_t x) {
  const int64_t groups = forge_quotient_up(a->kernel_height, FORGE_QUAD);
  const int64_t place = forge_depthwise_place(lane);
  uint32_t sum = (uint32_t)a->biases[block * FORGE_BYTE_LANES + place];
  for (int64_t ky = 0; ky < a->kernel_height; ky++)
    for (int64_t kx = 0; kx < a->kernel_width; kx++) {
      const int64_t row = y * a->stride_y - a->pad_top + ky * a->dilation_y;
      const int64_t column = x * a->stride_x - a->pad_left + kx * a->dilation_x;
      const bool inside = row >= 0 && row < a->in.height && column >= 0 && column < a->in.width;
      const int32_t byte = inside
        ? forge_byte_row(&a->in, frame, block, row)[column * FORGE_BYTE_LANES + lane]
        : a->in_zero;
      const int64_t group = (block * a->kernel_width + kx) * groups + ky / FORGE_QUAD;
      sum +=
        (uint32_t)(byte *
                   a->weights[(group * FORGE_BYTE_LANES + place) * FORGE_QUAD + ky % FORGE_QUAD]);
    }
  return forge_byte_of((float)(int32_t)sum * a->scales[block * FORGE_BYTE_LANES + place], a->zero,
                       a->low, a->high);
}

FORGE_SCALAR(quantized_depthwise) {
  const forge_quantized_depthwise_arguments *a = arguments;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const int64_t lanes =
      forge_smaller(a->out.channels - block * FORGE_BYTE_LANES, FORGE_BYTE_LANES);
    uint8_t *out = forge_byte_row(&a->out, frame, block, y);
    for (int64_t x = 0; x < a->out.width; x++)
      for (int64_t lane = 0; lane < lanes; lane++)
        out[x * FORGE_BYTE_LANES + lane] = depthwise_byte(a, frame, block, lane, y, x);
  }
}
