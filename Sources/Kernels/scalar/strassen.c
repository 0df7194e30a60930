/* Pointwise convolutions by Strassen's algorithm, one number at a time: see ../vector/strassen.h. */
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

typedef struct {
  const forge_strassen_arguments *a;
  const forge_frame *frame;
  forge_strassen_segment own;
  int64_t half; /* of the input channels */
} strassen_call;

/* Channel `c` of pixel `p` of the segment; zero past its last pixel. */
static float number(const strassen_call *call, int64_t p, int64_t c) {
  if (p >= call->own.upper + call->own.lower) return 0;
  return forge_row(&call->a->in, call->frame, c / FORGE_LANES,
                   0)[(call->own.first + p) * FORGE_LANES + c % FORGE_LANES];
}

/* One of the four sums S of a pixel of the upper half. */
static float *sum_at(const strassen_call *call, int64_t which, int64_t pixel, int64_t channel) {
  const int64_t blocks = call->half / FORGE_LANES;
  return forge_origin(&call->a->sums, call->frame) + call->own.sums +
         ((which * blocks + channel / FORGE_LANES) * call->own.upper + pixel) * FORGE_LANES +
         channel % FORGE_LANES;
}

static strassen_call call_of(const forge_strassen_arguments *a, const forge_frame *frame,
                             int64_t segment) {
  return (strassen_call){a, frame, forge_strassen_segment_of(a, segment), a->in.channels / 2};
}

void forge_strassen_input_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                                 int64_t last) {
  const forge_strassen_arguments *a = arguments;
  for (int64_t tile = first; tile < last; tile++) {
    const strassen_call call = call_of(a, frame, tile % a->segments);
    const int64_t channel = tile / a->segments * FORGE_LANES;
    for (int64_t c = channel; c < channel + FORGE_LANES; c++) {
      for (int64_t p = 0; p < call.own.upper; p++) {
        const float a11 = number(&call, p, c), a12 = number(&call, p, c + call.half);
        const float a21 = number(&call, p + call.own.upper, c);
        const float a22 = number(&call, p + call.own.upper, c + call.half);
        const float s1 = a21 + a22, s2 = s1 - a11;
        *sum_at(&call, 0, p, c) = s1;
        *sum_at(&call, 1, p, c) = s2;
        *sum_at(&call, 2, p, c) = a11 - a21;
        *sum_at(&call, 3, p, c) = a12 - s2;
      }
    }
  }
}

/* The product of one left side with one right side, for a pixel of a half and a column of a panel. */
static float product(const strassen_call *call, int which, int64_t pixel, int64_t panel,
                     int64_t column) {
  const forge_strassen_arguments *a = call->a;
  const float *weights = a->weights + (panel * 7 + which) * call->half * a->panel_width + column;
  float sum = 0;
  for (int64_t c = 0; c < call->half; c++) {
    float left;
    switch (which) {
      case 0: left = number(call, pixel, c); break;
      case 1: left = *sum_at(call, 1, pixel, c); break;
      case 2: left = number(call, pixel, c + call->half); break;
      case 3: left = *sum_at(call, 2, pixel, c); break;
      case 4: left = *sum_at(call, 0, pixel, c); break;
      case 5: left = *sum_at(call, 3, pixel, c); break;
      default: left = number(call, pixel + call->own.upper, c + call->half); break;
    }
    sum += left * weights[c * a->panel_width];
  }
  return sum;
}

/* Pixel of the segment. */
static void store(const strassen_call *call, int64_t pixel, int64_t channel, float sum) {
  const forge_strassen_arguments *a = call->a;
  const forge_epilogue *e = &a->epilogue;
  if (pixel >= call->own.upper + call->own.lower) return;
  const int64_t at = call->own.first + pixel, lane = channel % FORGE_LANES;
  const int64_t y = at / a->out.width, x = at % a->out.width;
  sum += a->bias[channel];
  if (e->has_residual)
    sum += forge_row(&e->residual, call->frame, channel / FORGE_LANES, y)[x * FORGE_LANES + lane];
  forge_row(&a->out, call->frame, channel / FORGE_LANES, y)[x * FORGE_LANES + lane] =
    forge_activate_scalar(sum, e->activation);
}

void forge_strassen_output_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                                  int64_t last) {
  const forge_strassen_arguments *a = arguments;
  const int64_t half = a->out.channels / 2;
  for (int64_t tile = first; tile < last; tile++) {
    const strassen_call call = call_of(a, frame, tile % a->segments);
    const int64_t panel = tile / a->segments, upper = call.own.upper;
    for (int64_t column = 0; column < a->panel_width; column++) {
      const int64_t channel = panel * a->panel_width + column;
      if (channel >= half) continue;
      for (int64_t p = 0; p < upper; p++) {
        float v[7];
        for (int i = 0; i < 7; i++) v[i] = product(&call, i, p, panel, column);
        const float u2 = v[0] + v[1], u3 = u2 + v[3];
        store(&call, p, channel, v[0] + v[2]);
        store(&call, p, channel + half, u2 + v[4] + v[5]);
        store(&call, p + upper, channel, u3 + v[6]);
        store(&call, p + upper, channel + half, u3 + v[4]);
      }
    }
  }
}
