/* Pooling of plain tensors over any number of axes. */
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

/* The window of one output position. */
typedef struct {
  int64_t starts[FORGE_MAX_RANK]; /* of the first tap, which may be outside */
  forge_taps taps[FORGE_MAX_RANK];
  int64_t inside, padded; /* taps inside the tensor; inside the tensor and its padding */
} window_nd;

static window_nd window_at(const forge_pooling_nd_arguments *a, int64_t position) {
  window_nd window = {.inside = 1, .padded = 1};
  for (int32_t d = a->rank - 1; d >= 0; d--) {
    const int64_t start = position % a->out_sizes[d] * a->strides[d] - a->before[d];
    position /= a->out_sizes[d];
    const forge_taps taps = forge_taps_inside(start, a->kernel[d], a->dilations[d], a->in_sizes[d]);
    const int64_t past = a->in_sizes[d] + a->after[d] - start;
    window.starts[d] = start;
    window.taps[d] = taps;
    window.inside *= forge_larger(taps.last - taps.first, 0);
    window.padded *= forge_smaller(forge_quotient_up(past, a->dilations[d]), a->kernel[d]);
  }
  return window;
}

/* Takes the place of a tap whose channels exceed those of the best taps before it. */
static void take_place(const forge_pooling_nd_arguments *a, const float *in, const float *start,
                       float *out) {
  const int64_t place = (in - start) / a->channels;
  for (int64_t c = 0; c < a->channels; c++) {
    const float best = out[c] < 0 ? -INFINITY : start[(int64_t)out[c] * a->channels + c];
    if (out[c] < 0 || in[c] > best || (isnan(in[c]) && !isnan(best))) out[c] = (float)place;
  }
}

/* Adds the channels of one tap to the result. */
static void add_tap(const forge_pooling_nd_arguments *a, const float *in, float *out) {
  switch (a->kind) {
    case FORGE_POOL_ND_MAXIMUM:
      /* A NaN stays, because x > NaN is false. */
      for (int64_t c = 0; c < a->channels; c++)
        if (in[c] > out[c] || isnan(in[c])) out[c] = in[c];
      break;
    case FORGE_POOL_ND_LP:
      for (int64_t c = 0; c < a->channels; c++)
        out[c] += a->p == 1 ? fabsf(in[c])
          : a->p == 2       ? in[c] * in[c]
                            : (float)pow(fabs((double)in[c]), a->p);
      break;
    default:
      for (int64_t c = 0; c < a->channels; c++) out[c] += in[c];
  }
}

/* Makes the combined taps the result. */
static void finish(const forge_pooling_nd_arguments *a, const window_nd *window, float *out) {
  if (a->kind == FORGE_POOL_ND_MAXIMUM || a->kind == FORGE_POOL_ND_MAXIMUM_PLACE) return;
  if (a->kind == FORGE_POOL_ND_LP) {
    if (a->p == 1) return;
    for (int64_t c = 0; c < a->channels; c++)
      out[c] = a->p == 2 ? sqrtf(out[c]) : (float)pow((double)out[c], 1.0 / a->p);
    return;
  }
  const int64_t taps = a->kind == FORGE_POOL_ND_AVERAGE_INSIDE ? window->inside : window->padded;
  for (int64_t c = 0; c < a->channels; c++) out[c] /= (float)taps;
}

FORGE_SCALAR(pooling_nd) {
  const forge_pooling_nd_arguments *a = arguments;
  int64_t strides[FORGE_MAX_RANK], stride = a->channels;
  for (int32_t d = a->rank - 1; d >= 0; d--) {
    strides[d] = stride;
    stride *= a->in_sizes[d];
  }
  for (int64_t tile = first; tile < last; tile++) {
    const window_nd window = window_at(a, tile);
    float *out = forge_start(&a->out, frame) + tile * a->channels;
    const bool places = a->kind == FORGE_POOL_ND_MAXIMUM_PLACE;
    const float neutral = a->kind == FORGE_POOL_ND_MAXIMUM ? -INFINITY : places ? -1 : 0;
    for (int64_t c = 0; c < a->channels; c++) out[c] = window.inside > 0 ? neutral : 0;
    if (window.inside == 0) continue;
    int64_t index[FORGE_MAX_RANK];
    for (int32_t d = 0; d < a->rank; d++) index[d] = window.taps[d].first;
    for (int64_t tap = 0; tap < window.inside; tap++) {
      const float *in = forge_start(&a->in, frame);
      for (int32_t d = 0; d < a->rank; d++)
        in += (window.starts[d] + index[d] * a->dilations[d]) * strides[d];
      if (places)
        take_place(a, in, forge_start(&a->in, frame), out);
      else
        add_tap(a, in, out);
      for (int32_t d = a->rank - 1; d >= 0; d--) {
        if (++index[d] < window.taps[d].last) break;
        index[d] = window.taps[d].first;
      }
    }
    finish(a, &window, out);
  }
}
