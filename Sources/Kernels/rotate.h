/* The factors of a rotation: see forge_rotate_arguments. */
#ifndef FORGE_ROTATE_H
#define FORGE_ROTATE_H

#include "attention.h"

/* The cosines and sines of column 0 of a row of the image: float [columns][channels]. */
typedef struct {
  const float *cosines, *sines;
  int64_t channels;
} forge_rotation;

FORGE_INLINE forge_rotation forge_rotation_of(const forge_rotate_arguments *a,
                                              const forge_frame *frame, int64_t row) {
  const forge_view *table = &a->cosines;
  const int64_t position =
    a->has_position ? forge_position(&a->position, frame, table->width - a->in.width) : 0;
  const int64_t of_row = table->height == 1 ? 0 : row * table->width;
  const int64_t at = (of_row + position) * table->channels;
  return (forge_rotation){forge_origin(&a->cosines, frame) + at,
                          forge_origin(&a->sines, frame) + at, table->channels};
}

#endif
