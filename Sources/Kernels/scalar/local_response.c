/* Local response normalization of plain rows. */
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

FORGE_SCALAR(local_response) {
  const forge_local_response_arguments *a = arguments;
  const int64_t count = a->columns;
  for (int64_t row = first; row < last; row++) {
    const float *in = forge_start(&a->in, frame) + row * count;
    float *out = forge_start(&a->out, frame) + row * count;
    for (int64_t c = 0; c < count; c++) out[c] = 0;
    /* By the distance of the neighbor, so that the inner loop has no bounds to test. */
    for (int64_t d = -forge_smaller(a->before, count); d <= forge_smaller(a->after, count); d++)
      for (int64_t c = forge_larger(-d, 0); c < forge_smaller(count - d, count); c++)
        out[c] += in[c + d] * in[c + d];
    if (a->beta == 0.75F) { /* the usual exponent */
      for (int64_t c = 0; c < count; c++) {
        const float root = sqrtf(a->bias + a->factor * out[c]);
        out[c] = in[c] / (root * sqrtf(root));
      }
      continue;
    }
    for (int64_t c = 0; c < count; c++)
      out[c] =
        (float)((double)in[c] / pow((double)(a->bias + a->factor * out[c]), (double)a->beta));
  }
}
