/* Elements of plain tensors chosen by tables or by other tensors. */
#include "indices.h"

#pragma STDC FP_CONTRACT OFF

FORGE_SCALAR(gather_plain) {
  const forge_gather_plain_arguments *a = arguments;
  const float *in = forge_start(&a->in, frame);
  float *out = forge_start(&a->out, frame);
  const size_t run = (size_t)a->inner * sizeof(float);
  for (int64_t o = first; o < last; o++) {
    const float *from = in + o * a->size * a->inner;
    float *to = out + o * a->count * a->inner;
    for (int64_t i = 0; i < a->count; i++, to += a->inner) {
      const int64_t index = a->indices[i];
      if (index >= 0) {
        memcpy(to, from + index * a->inner, run);
      } else {
        for (int64_t n = 0; n < a->inner; n++) to[n] = a->value;
      }
    }
  }
}

/* Returns the index that a float means in an axis of `size`, or -1. None counts from the end. */
static int64_t checked_index_of(float position, int64_t size) {
  return position >= 0 && position < (float)size ? (int64_t)position : -1;
}

FORGE_SCALAR(gather_rows) {
  const forge_gather_rows_arguments *a = arguments;
  const float *in = forge_start(&a->in, frame), *positions = forge_start(&a->positions, frame);
  float *out = forge_start(&a->out, frame);
  const bool from_start = a->fault_source > 0 && !a->from_end;
  for (int64_t o = first; o < last; o++) {
    const float *from = in + o * a->size * a->inner;
    float *to = out + o * a->count * a->inner;
    for (int64_t i = 0; i < a->count; i++, to += a->inner) {
      const int64_t index =
        from_start ? checked_index_of(positions[i], a->size) : index_of(positions[i], a->size);
      if (index >= 0) {
        memcpy(to, from + index * a->inner, (size_t)a->inner * sizeof(float));
      } else {
        if (a->fault_source > 0) record_fault(frame->fault, a->fault_source, i, positions[i]);
        for (int64_t n = 0; n < a->inner; n++) to[n] = NAN;
      }
    }
  }
}

FORGE_SCALAR(gather_elements) {
  const forge_gather_elements_arguments *a = arguments;
  if (first >= last) return;
  const float *in = forge_start(&a->in, frame), *positions = forge_start(&a->positions, frame);
  float *out = forge_start(&a->out, frame);
  int64_t strides[FORGE_MAX_RANK], index[FORGE_MAX_RANK] = {first}, stride = 1, row = 1;
  for (int32_t d = a->rank - 1; d >= 0; d--) {
    strides[d] = stride;
    stride *= a->in_sizes[d];
    if (d > 0) row *= a->out_sizes[d];
  }
  for (int64_t i = first * row; i < last * row; i++) {
    const int64_t position = index_of(positions[i], a->in_sizes[a->axis]);
    int64_t offset = position * strides[a->axis];
    for (int32_t d = 0; d < a->rank; d++)
      if (d != a->axis) offset += index[d] * strides[d];
    out[i] = position < 0 ? NAN : in[offset];
    if (position < 0 && a->fault_source > 0)
      record_fault(frame->fault, a->fault_source, i, positions[i]);
    for (int32_t d = a->rank - 1; d >= 0; d--) {
      if (++index[d] < a->out_sizes[d]) break;
      index[d] = 0;
    }
  }
}
