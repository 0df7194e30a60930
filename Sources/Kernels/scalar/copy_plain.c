/* Any copy, transposition or concatenation of plain tensors. */
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

FORGE_SCALAR(copy_plain) {
  const forge_copy_plain_arguments *a = arguments;
  const float *in = forge_start(&a->in, frame);
  float *out = forge_start(&a->out, frame);
  const int64_t *strides[3] = {a->in_strides, a->out_strides, NULL};
  forge_walk walk;
  if (!forge_walk_begin(&walk, a->rank, a->sizes, strides, first, last)) return;
  do {
    const float *from = in + walk.offsets[0];
    float *to = out + walk.offsets[1];
    if (walk.steps[0] == 1 && walk.steps[1] == 1) {
      memcpy(to, from, (size_t)walk.count * sizeof(float));
    } else {
      for (int64_t i = 0; i < walk.count; i++) to[i * walk.steps[1]] = from[i * walk.steps[0]];
    }
  } while (forge_walk_next(&walk));
}
