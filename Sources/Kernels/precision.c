/* Weights that are not floats: dispatch, tiles, packing, the ranges of int8. */
#include "tiles.h"
#include "words.h"

#pragma STDC FP_CONTRACT OFF

/* ---- dispatch ---- */

#if defined(__x86_64__)
#define AVX512(name) (level == FORGE_AVX512 ? forge_##name##_avx512 : NULL)
#define F16C(name) \
  (level == FORGE_AVX2 && __builtin_cpu_supports("f16c") ? forge_##name##_avx2 : AVX512(name))
#define BF16(name) (__builtin_cpu_supports("avx512bf16") ? AVX512(name) : NULL)
#define VNNI(name) (__builtin_cpu_supports("avx512vnni") ? AVX512(name) : NULL)
#define TILES(name)                                                                              \
  (level == FORGE_AVX512 && forge_may_multiply_bfloats_by_tiles() ? forge_##name##_avx512amxbf16 \
                                                                  : NULL)
#define VBMI2(name) (has_vbmi2 && level == FORGE_AVX512 ? forge_##name##_avx512vbmi2 : F16C(name))
#else
#define AVX512(name) NULL
#define F16C(name) NULL
#define BF16(name) NULL
#define VNNI(name) NULL
#define TILES(name) NULL
#define VBMI2(name) NULL
#endif
#define FIELD(name, needs, arguments, tiles) \
  .name = level == FORGE_SCALAR ? forge_##name##_scalar : needs(name),

static forge_precision_table kernels_of(forge_level level, bool has_vbmi2) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  has_vbmi2 = has_vbmi2 && __builtin_cpu_supports("avx512vbmi2");
#endif
  (void)has_vbmi2;
  return (forge_precision_table){FORGE_PRECISION_KERNELS(FIELD)};
}

forge_precision_table forge_precision_kernels(forge_level level) { return kernels_of(level, true); }

forge_precision_table forge_precision_kernels_without_vbmi2(forge_level level) {
  return kernels_of(level, false);
}

/* ---- tiles ---- */

int64_t forge_words_tiles(const forge_words_arguments *a) {
  return forge_blocks(a->in.channels) * ((int64_t)a->top + a->in.height + a->bottom);
}

int64_t forge_wide_words_tiles(const forge_words_arguments *a) {
  return forge_quotient_up(a->in.channels, FORGE_TILE_CHANNELS) *
    ((int64_t)a->top + a->in.height + a->bottom);
}

int64_t forge_patch_words_tiles(const forge_patch_words_arguments *a) {
  return (int64_t)a->top + a->in.height + a->bottom;
}

int64_t forge_byte_range_tiles(const forge_words_arguments *a) {
  if (a->flat) return a->in.height * forge_quotient_up(a->in.width, FORGE_RANGE_PIXELS);
  return forge_blocks(a->in.channels) * a->in.height;
}

int64_t forge_byte_range_floats(const forge_words_arguments *a) {
  if (a->flat) return (int64_t)a->in.height * a->in.width * FORGE_SCALE_WORDS;
  return FORGE_RANGE_ROWS + 2 * forge_byte_range_tiles(a);
}

/* ---- ranges ---- */

forge_byte_scale forge_byte_scale_of(int32_t least, int32_t most) {
  const double minimum = (double)forge_float_of((uint32_t)forge_ordered(least));
  const double range = (double)forge_float_of((uint32_t)forge_ordered(most)) - minimum;
  if (!(range <= 0x1p129)) return (forge_byte_scale){NAN, 0, 0};
  /* Below it the inverse would overflow. */
  if (range < 0x1p-118) return (forge_byte_scale){0, 0, 0};
  const double zero = -minimum * 255 / range; /* 0 ... 255 */
  return (forge_byte_scale){(float)(range / 255), (float)(255 / range), (int32_t)(zero + 0.5)};
}

forge_byte_scale forge_image_byte_scale(const forge_words_arguments *a, const forge_frame *frame,
                                        bool stores) {
  const int64_t rows = forge_byte_range_tiles(a);
  int32_t *range = forge_range_of(&a->range, frame);
  const int32_t *least = range + FORGE_RANGE_ROWS, *most = least + rows;
  int32_t low = 0, high = 0; /* zero is in every range */
  for (int64_t i = 0; i < rows; i++) {
    low = least[i] < low ? least[i] : low;
    high = most[i] > high ? most[i] : high;
  }
  const forge_byte_scale scale = forge_byte_scale_of(low, high);
  if (stores) forge_store_byte_scale(range, 0, scale);
  return scale;
}

/* ---- packing ---- */

float forge_largest_weight(const float *weights, int64_t count) {
  float most = 0;
  for (int64_t i = 0; i < count; i++) {
    const float magnitude = fabsf(weights[i]);
    if (!(magnitude <= most)) most = magnitude;
    if (most != most) break;
  }
  return most;
}

/* Returns the place of the first input of an output and a tap. `per_word` weights share a word. */
static int64_t row_of(int64_t output, int64_t tap, int64_t taps, int64_t inputs,
                      int64_t panel_width, int64_t per_word) {
  const int64_t words = forge_blocks(inputs) * FORGE_LANES / per_word;
  const int64_t row = (output / panel_width * taps + tap) * words;
  return (row * panel_width + output % panel_width) * per_word;
}

/* Returns the distance of an input from the first. */
static inline int64_t step_of(int64_t input, int64_t panel_width, const int64_t per_word) {
  return input / per_word * panel_width * per_word + input % per_word;
}

static int64_t padded_count(int64_t outputs, int64_t taps, int64_t inputs, int64_t panel_width) {
  return forge_quotient_up(outputs, panel_width) * panel_width * taps * forge_blocks(inputs) *
    FORGE_LANES;
}

uint16_t forge_half_of(float value) {
  uint32_t bits = forge_bits_of(value);
  const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  bits &= 0x7fffffff;
  if (bits > 0x7f800000) return sign | 0x7e00;
  if (bits >= 0x477ff000) return sign | 0x7c00; /* from 65520 on */
  if (bits < 0x38800000) /* below the least normal half: a multiple of 2^-24, rounded by adding */
    return sign | (uint16_t)(forge_bits_of(forge_float_of(bits) + 0.5f) - 0x3f000000);
  bits += 0xfff + (bits >> 13 & 1);
  return sign | (uint16_t)((bits - 0x38000000) >> 13);
}

float forge_half_scale(const float *weights, int64_t count) {
  const float most = forge_largest_weight(weights, count);
  int exponent = 1;
  if (most > 0 && most <= 3.4e38f) frexpf(most, &exponent);
  /* 2^e and 2^-e must be normal numbers. */
  exponent = exponent < -124 ? -124 : exponent > 126 ? 126 : exponent;
  return ldexpf(1, exponent - 1);
}

float forge_byte_weight_scale(const float *weights, int64_t count) {
  const float most = forge_largest_weight(weights, count);
  return most <= 3.402823466e38f ? (float)((double)most / 127) : NAN;
}

void forge_pack_half(const float *weights, uint16_t *packed, float *scales, int64_t outputs,
                     int64_t taps, int64_t inputs, int64_t panel_width) {
  memset(packed, 0, (size_t)padded_count(outputs, taps, inputs, panel_width) * sizeof *packed);
  for (int64_t o = 0; o < outputs; o++) {
    const float *from = weights + o * taps * inputs;
    scales[o] = forge_half_scale(from, taps * inputs);
    const float inverse = 1 / scales[o];
    for (int64_t tap = 0; tap < taps; tap++) {
      uint16_t *to = packed + row_of(o, tap, taps, inputs, panel_width, 1);
      for (int64_t i = 0; i < inputs; i++)
        to[step_of(i, panel_width, 1)] = forge_half_of(*from++ * inverse);
    }
  }
}

enum { MOST_PANEL_WIDTH = 64 };

typedef struct {
  const float *weights;
  float *packed;
  int64_t outputs, inputs, rows, panel_width; /* inputs: of all taps. rows: of a packed panel */
} half_rounding;

/* A tile is a panel, whose weights are packed as floats. */
static void round_panel(const void *arguments, int64_t panel) {
  const half_rounding *a = arguments;
  const int64_t first = panel * a->panel_width;
  const int64_t columns = forge_smaller(a->panel_width, a->outputs - first);
  float scales[MOST_PANEL_WIDTH];
  for (int64_t c = 0; c < columns; c++)
    scales[c] = forge_half_scale(a->weights + (first + c) * a->inputs, a->inputs);
  float *at = a->packed + first * a->rows;
  for (int64_t row = 0; row < a->rows; row++, at += a->panel_width)
    for (int64_t c = 0; c < columns; c++)
      at[c] = forge_float_of_half(forge_half_of(at[c] / scales[c])) * scales[c];
}

void forge_pack_rounded_half(const float *weights, float *packed, int64_t outputs, int64_t taps,
                             int64_t inputs, int64_t panel_width, int32_t threads) {
  forge_pack_convolution(weights, packed, outputs, taps, inputs, panel_width, threads);
  const half_rounding arguments = {.weights = weights,
                                   .packed = packed,
                                   .outputs = outputs,
                                   .inputs = taps * inputs,
                                   .rows = taps * forge_blocks(inputs) * FORGE_LANES,
                                   .panel_width = panel_width};
  forge_deal(round_panel, &arguments, forge_quotient_up(outputs, panel_width),
             outputs * arguments.rows * (int64_t)sizeof(float), threads);
}

typedef struct {
  const float *weights;
  uint16_t *packed;
  int64_t outputs, taps, inputs, panel_width;
  int64_t padded; /* inputs, to whole blocks */
} pair_packing;

/* A tile is a tap of a panel. */
static void pack_pairs_tile(const void *arguments, int64_t tile) {
  const pair_packing *a = arguments;
  const int64_t first = tile / a->taps * a->panel_width, tap = tile % a->taps;
  const int64_t columns = forge_smaller(a->panel_width, a->outputs - first);
  const float *from = a->weights + (first * a->taps + tap) * a->inputs;
  uint16_t *to = a->packed + tile * a->padded * a->panel_width;
  for (int64_t input = 0; input < a->padded; input += 2, to += 2 * a->panel_width)
    for (int64_t column = 0; column < a->panel_width; column++)
      for (int64_t i = 0; i < 2; i++) {
        const bool filled = column < columns && input + i < a->inputs;
        to[2 * column + i] =
          filled ? forge_bfloat_of(from[column * a->taps * a->inputs + input + i]) : 0;
      }
}

static void pack_pairs(const float *weights, uint32_t *packed, int64_t outputs, int64_t taps,
                       int64_t inputs, int64_t block, int64_t panel_width, int32_t threads) {
  const pair_packing arguments = {.weights = weights,
                                  .packed = (uint16_t *)packed,
                                  .outputs = outputs,
                                  .taps = taps,
                                  .inputs = inputs,
                                  .panel_width = panel_width,
                                  .padded = forge_quotient_up(inputs, block) * block};
  const int64_t tiles = forge_quotient_up(outputs, panel_width) * taps;
  forge_deal(pack_pairs_tile, &arguments, tiles,
             tiles * arguments.padded * panel_width * (int64_t)sizeof(uint16_t), threads);
}

void forge_pack_bfloat(const float *weights, uint32_t *packed, int64_t outputs, int64_t taps,
                       int64_t inputs, int64_t panel_width) {
  pack_pairs(weights, packed, outputs, taps, inputs, FORGE_LANES, panel_width, 1);
}

void forge_pack_wide_bfloat(const float *weights, uint32_t *packed, int64_t outputs, int64_t taps,
                            int64_t inputs, int64_t panel_width, int32_t threads) {
  pack_pairs(weights, packed, outputs, taps, inputs, FORGE_TILE_CHANNELS, panel_width, threads);
}

void forge_pack_byte(const float *weights, uint32_t *packed, float *scales, int32_t *totals,
                     int64_t outputs, int64_t taps, int64_t inputs, int64_t panel_width) {
  int8_t *bytes = (int8_t *)packed;
  memset(bytes, 0, (size_t)padded_count(outputs, taps, inputs, panel_width));
  for (int64_t o = 0; o < outputs; o++) {
    const float *from = weights + o * taps * inputs;
    scales[o] = forge_byte_weight_scale(from, taps * inputs);
    totals[o] = 0;
    const float most = forge_largest_weight(from, taps * inputs);
    if (!(scales[o] == scales[o] && most > 0)) continue;
    const double inverse = 127 / (double)most;
    for (int64_t tap = 0; tap < taps; tap++) {
      int8_t *to = bytes + row_of(o, tap, taps, inputs, panel_width, 4);
      for (int64_t i = 0; i < inputs; i++) {
        const int8_t q = (int8_t)nearbyint(*from++ * inverse); /* -127 ... 127 */
        to[step_of(i, panel_width, 4)] = q;
        totals[o] += q;
      }
    }
  }
}
