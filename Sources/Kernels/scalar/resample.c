/* Resamples one axis of a plain tensor. */
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

FORGE_SCALAR(resample) {
  const forge_resample_arguments *a = arguments;
  const int64_t inner = a->inner;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t index = tile % a->out_size;
    const float *weights = a->weights + a->offsets[index];
    const float *in =
      forge_start(&a->in, frame) + (tile / a->out_size * a->in_size + a->firsts[index]) * inner;
    float *out = forge_start(&a->out, frame) + tile * inner;
    const int64_t count = a->counts[index];
    if (count == 1 && weights[0] == 1) {
      memcpy(out, in, (size_t)inner * sizeof(float));
      continue;
    }
    for (int64_t i = 0; i < inner; i++) out[i] = in[i] * weights[0];
    for (int64_t t = 1; t < count; t++)
      for (int64_t i = 0; i < inner; i++) out[i] += in[t * inner + i] * weights[t];
  }
}
