/* The peak rates of a core: arithmetic on registers, and reading memory in one stream. Both are
 * kernels and run on the threads of predictions. */
#ifndef CFORGE_PEAK_H
#define CFORGE_PEAK_H

#include "CForgeKernels.h"

/* Independent chains of vectors, more than the latency of any core times its units. */
#define FORGE_PEAK_CHAINS 12

/* Each tile does `rounds` rounds of FORGE_PEAK_CHAINS multiply-adds of the level's vectors and
 * writes one float to results[tile]. */
typedef struct {
  int32_t level;
  int64_t rounds;
  float *results;
} forge_peak_arguments;

void forge_peak_arithmetic(const void *arguments, const forge_frame *frame, int64_t first,
                           int64_t last);

/* The floats of a vector of a level, or 0 if this build lacks the level. */
int64_t forge_peak_lanes(forge_level level);

/* Tile i sums values[i * tile_count ..< (i + 1) * tile_count], a multiple of 64 floats at a
 * multiple of 64 bytes, and writes one float to results[i]. */
typedef struct {
  int32_t level;
  const float *values;
  int64_t tile_count;
  float *results;
} forge_read_arguments;

void forge_peak_read(const void *arguments, const forge_frame *frame, int64_t first, int64_t last);

/* Moves memory out of all caches, so that the next reading comes from memory; returns 0 if the
 * processor has no instruction for it. */
int32_t forge_flush(const void *memory, int64_t byte_count);

#endif
