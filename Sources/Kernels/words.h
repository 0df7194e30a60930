/* Shared by the kernels of weights that are not floats: see include/CForgePrecision.h. */
#ifndef FORGE_WORDS_H
#define FORGE_WORDS_H

#include "include/CForgePrecision.h"
#include "internal.h"

FORGE_PRECISION_KERNELS(FORGE_DECLARE)
/* For processors that have AVX512-VBMI2, too. */
FORGE_KERNEL_FOR(fixed_convolution, avx512vbmi2);
FORGE_KERNEL_FOR(fixed_recurrent, avx512vbmi2);
/* For processors that have AMX for bf16. */
FORGE_KERNEL_FOR(bfloat_tile_input, avx512amxbf16);
FORGE_KERNEL_FOR(bfloat_patch_input, avx512amxbf16);
FORGE_KERNEL_FOR(bfloat_tile_convolution, avx512amxbf16);

/* The words of a block of a pixel: pairs or quads of 16 channels, pairs of 32. */
enum { FORGE_PAIR_WORDS = 8, FORGE_QUAD_WORDS = 4, FORGE_WIDE_WORDS = 16 };

/* Rounds to bf16, ties to even. A NaN becomes a quiet NaN. */
static inline uint16_t forge_bfloat_of(float value) {
  const uint32_t bits = forge_bits_of(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* ---- forms of weights ---- */

FORGE_INLINE int64_t forge_weight_bits(const forge_weight_form form) {
  switch (form) {
    case FORGE_WEIGHTS_FLOATS: return 32;
    case FORGE_WEIGHTS_FIXED: return 24;
    case FORGE_WEIGHTS_BYTES: return 8;
    default: return 16;
  }
}

/* Returns the rows of packed recurrent weights for `inputs` values: fours, except for floats. */
FORGE_INLINE int64_t forge_recurrent_rows(const forge_weight_form form, int64_t inputs) {
  return form == FORGE_WEIGHTS_FLOATS ? inputs : forge_quotient_up(inputs, 4) * 4;
}

/* ---- 24-bit weights ---- */

/* The bytes of a group: four vectors a, b, c, d of 16 weights. A convolution's are an input channel
 * of a panel.
 *
 * The 24-bit weights are stored in three 32-bit words, whose lowest bytes are the bytes of d:
 *   word 0: a << 8 | d >> 16 & 255    word 1: b << 8 | d >> 8 & 255    word 2: c << 8 | d & 255
 * A weight is the float nearest to its word times its output's scale; the word of d is d << 8. The
 * lowest bytes are not removed: packing allows for what they add. */
enum { FORGE_FIXED_GROUP_BYTES = 192, FORGE_FIXED_VECTORS = FORGE_FIXED_PANEL_WIDTH / FORGE_LANES };

/* The inputs are multiplied by this before the sums and the sums divided by it, which is exact:
 * words reach 2^31, so that sums of large inputs would overflow although the results do not. Inputs
 * below 2^-110 lose bits instead. */
#define FORGE_FIXED_INPUT_SCALE 0x1p-16f

/* Returns the unscaled word of a lane of a vector, 0 ... 3, of a group. */
static inline float forge_of_group(const char *group, int64_t vector, int64_t lane) {
  int32_t words[3], word = 0;
  for (int64_t i = 0; i < 3; i++) {
    memcpy(&words[i], group + (i * FORGE_LANES + lane) * 4, sizeof words[i]);
    word |= (int32_t)((uint32_t)(words[i] & 255) << (24 - 8 * i));
  }
  return (float)(vector < 3 ? words[vector] : word);
}

/* Returns the unscaled word of the weight of an input channel for an output of the panel. */
static inline float forge_of_fixed(const char *panel, int64_t channel, int64_t output) {
  return forge_of_group(panel + channel * FORGE_FIXED_GROUP_BYTES, output / FORGE_LANES,
                        output % FORGE_LANES);
}

/* Packs a group: four vectors, each with 1 / (256 * scale) of its lanes. */
void forge_pack_group(const float vectors[4][FORGE_LANES], const double *const inverse[4],
                      int32_t *packed);

/* Weights [outputs][taps][inputs] that are to be stored in 24 bits. */
typedef struct {
  const float *weights;
  float *scales;
  int64_t outputs, taps, inputs;
  double accuracy;
  bool powers;       /* the scales are powers of two */
  double squares;    /* of all outputs' errors: of an input's weights together */
  uint8_t *refusals; /* memory of a byte per 256 inputs of a tap */
} forge_fixed_weights;

/* Sets the scales of all outputs. Returns false if the weights cannot be exact enough: see
 * forge_pack_fixed. */
bool forge_fixed_scales(forge_fixed_weights *weights, int32_t threads);

/* ---- halves and bytes ---- */

/* Rounds to an IEEE half, ties to even. */
uint16_t forge_half_of(float value);

/* Returns the magnitude of the largest weight, NaN if one is NaN. */
float forge_largest_weight(const float *weights, int64_t count);

/* Returns the power of two that weights are divided by before they are rounded to halves. */
float forge_half_scale(const float *weights, int64_t count);

/* Returns the scale of 8-bit weights: NaN if one is not finite. */
float forge_byte_weight_scale(const float *weights, int64_t count);

/* ---- ranges of int8 ---- */

/* Maps the bits of floats to integers of the same order: -NaN, -inf ... -0, 0 ... inf, NaN. It is
 * its own inverse. Minimum and maximum then depend on no order of a search, even with NaN. */
static inline int32_t forge_ordered(int32_t bits) { return bits ^ (bits >> 31 & 0x7fffffff); }

/* The conversion of an image to bytes. */
typedef struct {
  float scale, inverse;
  int32_t zero;
} forge_byte_scale;

/* The place of the ranges of rows in the `range` of an image: first all minima, then all maxima. */
enum { FORGE_RANGE_ROWS = 16 };

static inline int32_t *forge_range_of(const forge_view *range, const forge_frame *frame) {
  return (int32_t *)(frame->bases[range->base] + range->offset);
}

/* The words of a conversion in `range`: scale, inverse, zero. */
enum { FORGE_SCALE_WORDS = sizeof(forge_byte_scale) / sizeof(float) };

/* Returns the conversion at a place of `range`: 0, or a pixel. */
static inline forge_byte_scale forge_byte_scale_at(const int32_t *range, int64_t at) {
  forge_byte_scale scale;
  memcpy(&scale, range + at * FORGE_SCALE_WORDS, sizeof scale);
  return scale;
}

static inline void forge_store_byte_scale(int32_t *range, int64_t at, forge_byte_scale scale) {
  memcpy(range + at * FORGE_SCALE_WORDS, &scale, sizeof scale);
}

/* Returns the conversion of numbers from the smallest to the largest in the order of
 * forge_ordered. */
forge_byte_scale forge_byte_scale_of(int32_t least, int32_t most);

/* Computes the conversion of an image from the ranges of its rows. With `stores` it also writes it
 * to `range`. */
forge_byte_scale forge_image_byte_scale(const forge_words_arguments *arguments,
                                        const forge_frame *frame, bool stores);

/* Adding it rounds a number below 2^22 to an integer in the low bits. */
#define FORGE_ROUNDING 12582912.0f

#endif
