/* Walks over plain tensors of any rank: see forge_walk in internal.h. */
#include "internal.h"

#pragma STDC FP_CONTRACT OFF

bool forge_walk_begin(forge_walk *walk, int32_t rank, const int64_t *sizes,
                      const int64_t *const strides[3], int64_t first, int64_t last) {
  *walk = (forge_walk){.count = 1};
  if (first >= last) return false;

  /* Drop dimensions of size 1 and merge contiguous ones, outermost first. */
  int32_t kept = 0;
  for (int32_t d = 0; d < rank; d++) {
    const int64_t size = d == 0 ? last - first : sizes[d];
    if (size <= 0) return false;
    for (int t = 0; t < 3; t++)
      if (d == 0 && strides[t]) walk->offsets[t] = first * strides[t][0];
    if (size == 1) continue;
    bool merge = kept > 0;
    for (int t = 0; t < 3; t++)
      if (merge && strides[t]) merge = walk->strides[t][kept - 1] == strides[t][d] * size;
    if (!merge) walk->sizes[kept++] = 1;
    walk->sizes[kept - 1] *= size;
    for (int t = 0; t < 3; t++) walk->strides[t][kept - 1] = strides[t] ? strides[t][d] : 0;
  }

  walk->outer = kept > 0 ? kept - 1 : 0;
  if (kept > 0) {
    walk->count = walk->sizes[kept - 1];
    for (int t = 0; t < 3; t++) walk->steps[t] = walk->strides[t][kept - 1];
  }
  return true;
}

bool forge_walk_begin_binary(forge_walk *walk, const forge_binary_plain_arguments *a, int64_t first,
                             int64_t last) {
  int64_t out_strides[FORGE_MAX_RANK], stride = 1;
  for (int32_t d = a->rank - 1; d >= 0; d--) {
    out_strides[d] = stride;
    stride *= a->sizes[d];
  }
  const int64_t *strides[3] = {a->a_strides, a->b_strides, out_strides};
  return forge_walk_begin(walk, a->rank, a->sizes, strides, first, last);
}

bool forge_walk_next(forge_walk *walk) {
  for (int32_t d = walk->outer - 1; d >= 0; d--) {
    for (int t = 0; t < 3; t++) walk->offsets[t] += walk->strides[t][d];
    if (++walk->index[d] < walk->sizes[d]) return true;
    for (int t = 0; t < 3; t++) walk->offsets[t] -= walk->sizes[d] * walk->strides[t][d];
    walk->index[d] = 0;
  }
  return false;
}
