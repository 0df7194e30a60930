/* Whole numbers of tensors as indices, and the record of the first that is none. */
#ifndef FORGE_INDICES_H
#define FORGE_INDICES_H

#include "scalar.h"

/* Returns the index that a float means in an axis of `size`, or -1 if it is outside. */
static inline int64_t index_of(float position, int64_t size) {
  if (!(position >= (float)-size && position < (float)size)) return -1;
  const int64_t index = (int64_t)position;
  return index < 0 ? index + size : index;
}

/* Records a number that chooses no row, unless an earlier one is known. The calls are rare and
 * short, so that a thread waits for another one without sleeping. */
static inline void record_fault(forge_fault *fault, int32_t source, int64_t index, float value) {
  if (!fault) return;
  while (__atomic_exchange_n(&fault->lock, 1, __ATOMIC_ACQUIRE)) {}
  const bool is_first = fault->source == 0 || source < fault->source ||
    (source == fault->source && index < fault->index);
  if (is_first) {
    fault->source = source;
    fault->index = index;
    fault->value = value;
  }
  __atomic_store_n(&fault->lock, 0, __ATOMIC_RELEASE);
}

#endif
