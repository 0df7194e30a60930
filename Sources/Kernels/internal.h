/* Shared by the files of kernels: declarations, sizes and places. Docs/Engine/Kernels.md lists the
 * files, Docs/Architecture.md what a new kernel needs. */
#ifndef FORGE_INTERNAL_H
#define FORGE_INTERNAL_H

#include "include/CForgeKernels.h"
#include "include/CForgePacking.h"
#include "winograd.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* For functions that depend on the instruction set or on constant arguments of their caller. */
#define FORGE_INLINE static inline __attribute__((always_inline))

/* The head of a kernel's function: see forge_kernel. */
#define FORGE_KERNEL_FOR(name, level)                                                         \
  void forge_##name##_##level(const void *arguments, const forge_frame *frame, int64_t first, \
                              int64_t last)
#define FORGE_SCALAR(name) FORGE_KERNEL_FOR(name, scalar)

/* The functions of a kernel of the list. Not all of them exist. */
#define FORGE_DECLARE(name, ...)    \
  FORGE_KERNEL_FOR(name, scalar);   \
  FORGE_KERNEL_FOR(name, baseline); \
  FORGE_KERNEL_FOR(name, avx2);     \
  FORGE_KERNEL_FOR(name, avx512);
FORGE_KERNELS(FORGE_DECLARE)

/* The most floats of a tile's input on the stack of plain_convolution. A window must fit. */
#define FORGE_PATCH_FLOATS 4096

/* The vectors of output channels of a tile of AVX-512's convolutions. Other tiles have one. */
#define FORGE_AVX512_TILE_VECTORS 4

/* The floats of a tile of activation_plain. */
#define FORGE_PLAIN_TILE 1024

/* Returns activation(x), rounded once from double precision. */
float forge_activate_scalar(float x, forge_activation activation);

/* Returns a op b. */
float forge_combine_scalar(float a, float b, int32_t operation);

/* Taps of one phase of a kernel along an axis. With stride 2 a phase has every other tap. */
static inline int32_t forge_winograd_taps(int32_t kernel, int32_t stride) {
  return stride == 2 ? (kernel + 1) / 2 : kernel;
}

/* Points of a tile along an axis. */
static inline int32_t forge_winograd_alpha(int32_t tile, int32_t kernel, int32_t stride) {
  return tile + forge_winograd_taps(kernel, stride) - 1;
}

/* Whether a phase contributes to the product of a point. Of 3 taps the odd phase has only the
 * middle one. Filtered as 2 taps, of which the second is zero, its product at infinity, the last
 * point, is zero. */
static inline bool forge_winograd_uses(int64_t phase, int64_t y, int64_t alpha_y, int64_t x,
                                       int64_t alpha_x) {
  return !(phase / 2 == 1 && y == alpha_y - 1) && !(phase % 2 == 1 && x == alpha_x - 1);
}

/* ---- packing on several threads ---- */

/* Computes one tile of the packed form. Tiles are independent and write disjoint memory. */
typedef void (*forge_deal_work)(const void *arguments, int64_t tile);

/* Computes the tiles 0 ..< tiles on up to `threads` threads of the pool. `bytes`, the size of the
 * result, limits the number of threads. */
void forge_deal(forge_deal_work work, const void *arguments, int64_t tiles, int64_t bytes,
                int32_t threads);

/* ---- sizes ---- */

static inline int64_t forge_smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t forge_larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* a / b, rounded up. */
static inline int64_t forge_quotient_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Returns the blocks of 16 that hold `channels`. */
static inline int64_t forge_blocks(int64_t channels) {
  return forge_quotient_up(channels, FORGE_LANES);
}

/* The runs of pixels in a row that normalize_pixels takes as tiles. */
static inline int64_t forge_normalize_runs(const forge_view *out) {
  return forge_quotient_up(out->width, FORGE_NORMALIZE_PIXELS);
}

/* Returns the lanes of `block` that hold channels: 16, or fewer in the last block. */
static inline int64_t forge_lanes(int64_t channels, int64_t block) {
  return forge_smaller(channels - block * FORGE_LANES, FORGE_LANES);
}

/* ---- bits of floats ---- */

static inline uint32_t forge_bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float forge_float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Converts an IEEE half exactly. */
static inline float forge_float_of_half(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 0x1f;
  const uint32_t fraction = half & 0x3ff;
  if (exponent == 0) /* zero and subnormal: fraction * 2^-24 */
    return forge_float_of(sign | forge_bits_of((float)fraction * 0x1p-24f));
  if (exponent == 31) return forge_float_of(sign | 0x7f800000 | fraction << 13);
  return forge_float_of(sign | (exponent + 112) << 23 | fraction << 13);
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

/* The taps `first ..< last` of a window that are inside 0 ..< size. The window has `kernel` taps,
 * `dilation` apart, and begins at `start`. first >= last if there is none. */
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

/* A walk over the outer dimensions of up to three plain tensors of the same sizes. The kernel loops
 * over the innermost dimension (`count`, `steps`). Neighboring dimensions that are contiguous in
 * every tensor are merged. */
typedef struct {
  int64_t count;      /* elements of the innermost dimension */
  int64_t steps[3];   /* between them, per tensor, in floats */
  int64_t offsets[3]; /* of the present innermost row, per tensor, in floats */
  int32_t outer;      /* dimensions walked over; the last runs fastest */
  int64_t sizes[FORGE_MAX_RANK], strides[3][FORGE_MAX_RANK], index[FORGE_MAX_RANK];
} forge_walk;

/* Starts a walk over indices first ..< last of dimension 0 and all indices of the others.
 * strides[t]: int64_t [rank], or NULL for a tensor that does not exist. Returns false if there is
 * nothing to visit. */
bool forge_walk_begin(forge_walk *walk, int32_t rank, const int64_t *sizes,
                      const int64_t *const strides[3], int64_t first, int64_t last);

/* Starts the walk of two operands, tensors 0 and 1, and of their contiguous result. */
bool forge_walk_begin_binary(forge_walk *walk, const forge_binary_plain_arguments *arguments,
                             int64_t first, int64_t last);

/* Moves to the next innermost row. Returns false after the last. */
bool forge_walk_next(forge_walk *walk);

#endif
