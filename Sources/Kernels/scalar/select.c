/* The choice between two plain tensors, with broadcasting. */
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

/* Inlined with constant steps, so that the compiler can vectorize the frequent ones. */
FORGE_INLINE void select_row(float *out, int64_t count, const float *condition,
                             int64_t condition_step, const float *yes, int64_t yes_step,
                             const float *no, int64_t no_step) {
  for (int64_t i = 0; i < count; i++)
    out[i] = condition[i * condition_step] != 0 ? yes[i * yes_step] : no[i * no_step];
}

FORGE_SCALAR(select) {
  const forge_select_arguments *a = arguments;
  const int64_t *strides[3] = {a->condition_strides, a->yes_strides, a->no_strides};
  forge_walk walk;
  if (!forge_walk_begin(&walk, a->rank, a->sizes, strides, first, last)) return;
  int64_t inner = 1;
  for (int32_t d = 1; d < a->rank; d++) inner *= a->sizes[d];
  float *out = forge_start(&a->out, frame) + first * inner;
  do {
    const float *condition = forge_start(&a->condition, frame) + walk.offsets[0];
    const float *yes = forge_start(&a->yes, frame) + walk.offsets[1];
    const float *no = forge_start(&a->no, frame) + walk.offsets[2];
    const bool is_contiguous = walk.steps[0] == 1;
    if (is_contiguous && walk.steps[1] == 1 && walk.steps[2] == 1)
      select_row(out, walk.count, condition, 1, yes, 1, no, 1);
    else if (is_contiguous && walk.steps[1] == 1 && walk.steps[2] == 0)
      select_row(out, walk.count, condition, 1, yes, 1, no, 0);
    else if (is_contiguous && walk.steps[1] == 0 && walk.steps[2] == 1)
      select_row(out, walk.count, condition, 1, yes, 0, no, 1);
    else
      select_row(out, walk.count, condition, walk.steps[0], yes, walk.steps[1], no, walk.steps[2]);
    out += walk.count;
  } while (forge_walk_next(&walk));
}
