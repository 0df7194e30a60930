/* The stages of a preparation, between which driver and kernels hand on rows. */
#ifndef FORGE_PIXEL_STAGES_H
#define FORGE_PIXEL_STAGES_H

#include "rows.h"

/* The parts of a worker's scratch, as distances from its start. */
typedef struct {
  int64_t raw;    /* samples that were picked, or colors of which gray is made */
  int64_t bytes;  /* unpacked bytes that become floats */
  int64_t line;   /* a row that is resampled across next */
  int64_t ring;   /* rows that are resampled down next, of ring_row bytes each */
  int64_t sums;   /* of outputs of more taps than the ring has rows */
  int64_t result; /* a row of the output with its border */
  int64_t rounded;
  int64_t total;
  int64_t ring_row, slots;
} forge_scratch_layout;

forge_scratch_layout forge_layout_of(const forge_preparation *p);

/* The pixels of an unpacked row. */
static inline int64_t forge_unpacked(const forge_preparation *p) {
  return p->picked_count > 0 ? p->picked_count : p->to - p->from;
}

/* Unpacks row y of the source to a working row of bytes or floats. */
void forge_unpack(const forge_preparation *p, const forge_pixel_rows *rows, int64_t y,
                  uint8_t *scratch, const forge_scratch_layout *layout, void *out);

/* Writes a working row, with its border, as row y of the output. */
void forge_write(const forge_preparation *p, const forge_pixel_rows *rows, int64_t y, void *row,
                 uint8_t *rounded);

#endif
