/* What the kernel files share: the list of kernels, and where the parts of a tensor lie.
 *
 * How the folder is laid out:
 *   include/CForgeKernels.h   the contract
 *   scalar/<family>.c         one number at a time: the readable truth, and all there is of the
 *     families that only move memory
 *   vector/<family>.h         the same family on vectors of 16 floats, written once ...
 *   vector_<level>.c          ... and compiled here for each instruction set
 *   winograd.c, strassen.c    what all levels share of a family: how an image is cut up, packing
 *   strassen.h                where the parts of Strassen's matrices lie
 *   packing.h                 packing in double precision, a function per instruction set
 *   pack.c, gather.c          parameters: into the forms kernels read, out of the forms files have
 *   words.h, precision.c      the convolutions whose weights are not floats, with lists of their
 *     own
 *   fixed.c                   weights of 24 bits
 *   deal.c                    packing dealt out to several threads
 *   dispatch.c, tiles.c, run.c, pool.c, walk.c
 *   peak.c                    the most that a core does, to compare kernels with
 *   polynomials.py            where the numbers in vector/elementary.h come from
 *   winograd.py               where those in winograd.h do
 * A new family gets a line in one of the three lists below, a file in scalar/ unless the scalar
 * level does without it, and, if vectors help, one in vector/ that vector/all.h includes. */
#ifndef FORGE_INTERNAL_H
#define FORGE_INTERNAL_H

#include "include/CForgeKernels.h"
#include "include/CForgePacking.h"
#include "winograd.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* For what is to become part of a function that is compiled for an instruction set, or with
 * constant arguments. */
#define FORGE_INLINE static inline __attribute__((always_inline))

/* The functions of a kernel of the list. Not all of them exist. */
#define FORGE_DECLARE_FOR(name, level)                                                        \
  void forge_##name##_##level(const void *arguments, const forge_frame *frame, int64_t first, \
                              int64_t last);
#define FORGE_DECLARE(name, ...)    \
  FORGE_DECLARE_FOR(name, scalar)   \
  FORGE_DECLARE_FOR(name, baseline) \
  FORGE_DECLARE_FOR(name, avx2)     \
  FORGE_DECLARE_FOR(name, avx512)
FORGE_KERNELS(FORGE_DECLARE)

/* The floats of a tile of activation_plain. */
#define FORGE_PLAIN_TILE 1024

/* activation(x) of one number, rounded once from double precision. */
float forge_activate_scalar(float x, forge_activation activation);

/* a op b of one pair of numbers. */
float forge_combine_scalar(float a, float b, int32_t operation);

/* Taps along an axis of one phase of a kernel: with stride 2 every other one. */
static inline int32_t forge_winograd_taps(int32_t kernel, int32_t stride) {
  return stride == 2 ? (kernel + 1) / 2 : kernel;
}

/* The points along an axis of a tile. */
static inline int32_t forge_winograd_alpha(int32_t tile, int32_t kernel, int32_t stride) {
  return tile + forge_winograd_taps(kernel, stride) - 1;
}

/* Whether a phase has a part in the product of a point. Of 3 taps the odd phase has one, the middle
 * one: filtered as 2 taps, the second zero, its product at infinity, the last point, is zero. */
static inline bool forge_winograd_uses(int64_t phase, int64_t y, int64_t alpha_y, int64_t x,
                                       int64_t alpha_x) {
  return !(phase / 2 == 1 && y == alpha_y - 1) && !(phase % 2 == 1 && x == alpha_x - 1);
}

/* ---- packing on several threads ---- */

/* Computes one tile of what is packed. Tiles are independent and write disjoint memory. */
typedef void (*forge_deal_work)(const void *arguments, int64_t tile);

/* Computes the tiles 0 ..< tiles, on up to `threads` threads of the pool where `bytes`, as many as
 * are written, make it worth while. */
void forge_deal(forge_deal_work work, const void *arguments, int64_t tiles, int64_t bytes,
                int32_t threads);

/* ---- sizes ---- */

static inline int64_t forge_smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t forge_larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* a / b, rounded up. */
static inline int64_t forge_quotient_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Blocks of 16 that hold `channels`. */
static inline int64_t forge_blocks(int64_t channels) {
  return forge_quotient_up(channels, FORGE_LANES);
}

/* How many lanes of `block` hold channels: 16, or fewer in the last block. */
static inline int64_t forge_lanes(int64_t channels, int64_t block) {
  return forge_smaller(channels - block * FORGE_LANES, FORGE_LANES);
}

/* ---- places ---- */

/* Row 0, column 0, channel 0 of the interior. */
static inline float *forge_origin(const forge_view *view, const forge_frame *frame) {
  return frame->bases[view->base] + view->offset + frame->image * view->image_stride;
}

/* Column 0 of row y of a block: float [width][16]. */
static inline float *forge_row(const forge_view *view, const forge_frame *frame, int64_t block,
                               int64_t y) {
  return forge_origin(view, frame) + block * view->block_stride + y * view->row_stride;
}

/* The first float of a plain tensor. */
static inline float *forge_start(const forge_place *place, const forge_frame *frame) {
  return frame->bases[place->base] + place->offset + frame->image * place->image_stride;
}

/* ---- windows of pooling ---- */

/* The taps `first ..< last` of a window of `kernel` taps, `dilation` apart, whose first lies at
 * `start`, that are inside 0 ..< size; first >= last where none is. */
typedef struct {
  int64_t first, last;
} forge_taps;

static inline forge_taps forge_taps_inside(int64_t start, int64_t kernel, int64_t dilation,
                                           int64_t size) {
  const int64_t before = start < 0 ? (-start + dilation - 1) / dilation : 0;
  const int64_t past = start < size ? (size - start + dilation - 1) / dilation : 0;
  return (forge_taps){before, forge_smaller(past, kernel)};
}

/* ---- walks over plain tensors ---- */

/* A walk over the outer dimensions of up to three plain tensors of the same sizes but with strides
 * of their own; the kernel itself loops over the innermost dimension (`count`, `steps`).
 * Neighbouring dimensions that lie in one piece in every tensor are walked as one. */
typedef struct {
  int64_t count;      /* elements of the innermost dimension */
  int64_t steps[3];   /* between them, per tensor, in floats */
  int64_t offsets[3]; /* of the present innermost row, per tensor, in floats */
  int32_t outer;      /* dimensions walked over; the last runs fastest */
  int64_t sizes[FORGE_MAX_RANK], strides[3][FORGE_MAX_RANK], index[FORGE_MAX_RANK];
} forge_walk;

/* Starts a walk over indices first ..< last of dimension 0 and all of the others. False: nothing to
 * visit. strides[t]: int64_t [rank]; NULL for a tensor that is not there. */
bool forge_walk_begin(forge_walk *walk, int32_t rank, const int64_t *sizes,
                      const int64_t *const strides[3], int64_t first, int64_t last);

/* Goes on to the next innermost row. False: there is none. */
bool forge_walk_next(forge_walk *walk);

#endif
