/* Elements of plain tensors put at places that other tensors hold. */
#include "indices.h"

#pragma STDC FP_CONTRACT OFF

/* out[i] = combine(out[i], updates[i]) for `count` floats. */
static void combine_run(float *out, const float *updates, int64_t count, int32_t combination) {
  switch (combination) {
    case FORGE_SCATTER_ADD:
      for (int64_t i = 0; i < count; i++) out[i] += updates[i];
      return;
    case FORGE_SCATTER_MULTIPLY:
      for (int64_t i = 0; i < count; i++) out[i] *= updates[i];
      return;
    case FORGE_SCATTER_MINIMUM:
      for (int64_t i = 0; i < count; i++)
        out[i] = out[i] < updates[i] || isnan(out[i]) ? out[i] : updates[i];
      return;
    case FORGE_SCATTER_MAXIMUM:
      for (int64_t i = 0; i < count; i++)
        out[i] = out[i] > updates[i] || isnan(out[i]) ? out[i] : updates[i];
      return;
    default:
      if (count == 1)
        *out = *updates;
      else
        memcpy(out, updates, (size_t)count * sizeof(float));
      return;
  }
}

/* Copies the places begin ..< end of the split axis. */
static void copy_share(const forge_scatter_arguments *a, float *out, const float *in, int64_t begin,
                       int64_t end) {
  int64_t outer = 1, inner = 1;
  for (int32_t d = 0; d < a->split; d++) outer *= a->sizes[d];
  for (int32_t d = a->split + 1; d < a->rank; d++) inner *= a->sizes[d];
  const int64_t size = a->sizes[a->split];
  if (end - begin == size) {
    /* All of it is one run. */
    inner *= outer * size;
    outer = 1, begin = 0, end = 1;
  }
  const size_t run = (size_t)((end - begin) * inner) * sizeof(float);
  for (int64_t o = 0; o < outer; o++) {
    const int64_t offset = (o * size + begin) * inner;
    memcpy(out + offset, in + offset, run);
  }
}

/* The updates are walked row by row along the last axis: a row has one position if the positions
 * repeat along it, and else one for each element. */
FORGE_SCALAR(scatter) {
  const forge_scatter_arguments *a = arguments;
  if (first >= last) return;
  const float *positions = forge_start(&a->positions, frame);
  const float *updates = forge_start(&a->updates, frame);
  float *out = forge_start(&a->out, frame);
  const int64_t begin = first * a->share;
  const int64_t end = forge_smaller(last * a->share, a->sizes[a->split]);
  copy_share(a, out, forge_start(&a->in, frame), begin, end);

  const int32_t row = a->rank - 1;
  int64_t strides[FORGE_MAX_RANK], update_strides[FORGE_MAX_RANK];
  int64_t from[FORGE_MAX_RANK] = {0}, to[FORGE_MAX_RANK], index[FORGE_MAX_RANK];
  for (int32_t d = row; d >= 0; d--) {
    strides[d] = d == row ? 1 : strides[d + 1] * a->sizes[d + 1];
    update_strides[d] = d == row ? 1 : update_strides[d + 1] * a->counts[d + 1];
    to[d] = a->counts[d];
  }
  from[a->split] = begin;
  to[a->split] = forge_smaller(end, a->counts[a->split]);
  for (int32_t d = 0; d < a->rank; d++) {
    if (from[d] >= to[d]) return;
    index[d] = from[d];
  }
  const int64_t size = a->sizes[a->axis], stride = strides[a->axis];
  const int64_t position_step = a->position_strides[row];
  const int64_t out_step = row == a->axis ? 0 : 1;
  /* A row of one update each goes to the places of one row of the result. */
  const int64_t run = position_step == 0 && row != a->axis ? to[row] - from[row] : 1;
  for (;;) {
    int64_t position = 0, update = 0, target = 0;
    for (int32_t d = 0; d < a->rank; d++) {
      position += index[d] * a->position_strides[d];
      update += index[d] * update_strides[d];
      if (d != a->axis) target += index[d] * strides[d];
    }
    for (int64_t i = from[row]; i < to[row];
         i += run, position += run * position_step, update += run, target += run * out_step) {
      const int64_t place = index_of(positions[position], size);
      if (place >= 0)
        combine_run(out + target + place * stride, updates + update, run, a->combination);
      else if (a->fault_source > 0)
        record_fault(frame->fault, a->fault_source, position, positions[position]);
    }
    int32_t d = row - 1;
    for (; d >= 0; d--) {
      if (++index[d] < to[d]) break;
      index[d] = from[d];
    }
    if (d < 0) return;
  }
}
