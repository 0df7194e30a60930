/* Two tensors into one, one number at a time. */
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

float forge_combine_scalar(float a, float b, int32_t operation) {
  switch (operation) {
    case FORGE_ADD: return a + b;
    case FORGE_SUBTRACT: return a - b;
    case FORGE_MULTIPLY: return a * b;
    case FORGE_MAXIMUM: return a > b || isnan(a) ? a : b;
    case FORGE_MINIMUM: return a < b || isnan(a) ? a : b;
    default: return a < 0 ? a * b : a; /* FORGE_PRELU */
  }
}

/* What operand `view` has at (y, x, channel) of the output: an axis of size 1 is repeated. */
static float operand(const forge_view *view, const forge_frame *frame, int64_t y, int64_t x,
                     int64_t channel) {
  if (view->height == 1) y = 0;
  if (view->width == 1) x = 0;
  if (view->channels == 1) channel = 0;
  const float *row = forge_row(view, frame, channel / FORGE_LANES, y);
  return row[x * FORGE_LANES + channel % FORGE_LANES];
}

void forge_binary_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                         int64_t last) {
  const forge_binary_arguments *a = arguments;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const int64_t lanes = forge_lanes(a->out.channels, block);
    float *out = forge_row(&a->out, frame, block, y);
    for (int64_t x = 0; x < a->out.width; x++) {
      for (int64_t lane = 0; lane < FORGE_LANES; lane++) {
        float value = 0;
        if (lane < lanes) {
          const int64_t channel = block * FORGE_LANES + lane;
          value = forge_combine_scalar(operand(&a->a, frame, y, x, channel),
                                       operand(&a->b, frame, y, x, channel), a->operation);
          value = forge_activate_scalar(value, a->activation);
        }
        out[x * FORGE_LANES + lane] = value;
      }
    }
  }
}

void forge_binary_plain_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                               int64_t last) {
  const forge_binary_plain_arguments *a = arguments;
  const float *left = forge_start(&a->a, frame), *right = forge_start(&a->b, frame);
  float *out = forge_start(&a->out, frame);
  int64_t out_strides[FORGE_MAX_RANK], stride = 1;
  for (int32_t d = a->rank - 1; d >= 0; d--) {
    out_strides[d] = stride;
    stride *= a->sizes[d];
  }
  const int64_t *strides[3] = {a->a_strides, a->b_strides, out_strides};
  forge_walk walk;
  if (!forge_walk_begin(&walk, a->rank, a->sizes, strides, first, last)) return;
  do {
    for (int64_t i = 0; i < walk.count; i++)
      out[walk.offsets[2] + i] = forge_activate_scalar(
        forge_combine_scalar(left[walk.offsets[0] + i * walk.steps[0]],
                             right[walk.offsets[1] + i * walk.steps[1]], a->operation),
        a->activation);
  } while (forge_walk_next(&walk));
}
