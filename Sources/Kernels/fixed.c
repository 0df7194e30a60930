/* Packs 24-bit weights: whole multiples of the output's largest weight over 2^23 - 2, about as
 * exact as floats in three quarters of the bytes. Layout: see words.h. */
#include "words.h"

#pragma STDC FP_CONTRACT OFF

typedef struct {
  forge_fixed_weights from;
  void *packed;
  int64_t panel_width; /* of floats; words have panels of FORGE_FIXED_PANEL_WIDTH */
} fixed_packing;

/* The root mean square of a weight's error, in units of its output. */
#define FORGE_FIXED_ERROR 0.3

/* The inputs of a tile: whole cache lines of every output's weights. */
#define INPUTS_OF_A_TILE 256

/* An output's largest weight, a power of two that half of its nonzero weights reach, and whether
 * its weights differ. */
typedef struct {
  float most, median;
  bool differ;
} weight_sizes;

/* Counts exponents. `most` is not finite if a weight is not. */
static weight_sizes sizes_of(const float *weights, int64_t count) {
  int64_t with_exponent[256] = {0}, zeros = 0;
  uint32_t most = 0, different = 0;
  for (int64_t i = 0; i < count; i++) {
    const uint32_t bits = forge_bits_of(weights[i]) & 0x7fffffff;
    most = bits > most ? bits : most;
    different |= forge_bits_of(weights[i]) ^ forge_bits_of(weights[0]);
    zeros += bits == 0;
    with_exponent[bits >> 23]++;
  }
  with_exponent[0] -= zeros;
  int exponent = 0;
  for (int64_t below = 0; exponent < 255; exponent++) {
    below += with_exponent[exponent];
    if (2 * below > count - zeros) break;
  }
  return (weight_sizes){forge_float_of(most), exponent > 0 ? ldexpf(1, exponent - 127) : 0,
                        different != 0 || count == 1};
}

/* Rounds a number below 2^31. */
static inline int32_t rounded(double x) {
  x += 6755399441055744.0; /* 1.5 * 2^52: the integer is left in the low bits */
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (int32_t)bits;
}

/* Converts sixteen outputs of one input to words with these lowest bytes. inverse: 1 / (256 *
 * scale). */
static void words_of_outputs(const float *weights, const double *inverse, const int32_t *lowest,
                             int32_t *words) {
  for (int i = 0; i < FORGE_LANES; i++) {
    const int32_t q = rounded((double)weights[i] * inverse[i] - lowest[i] * (1.0 / 256));
    words[i] = (int32_t)((uint32_t)q << 8) | lowest[i];
  }
}

void forge_pack_group(const float vectors[4][FORGE_LANES], const double *const inverse[4],
                      int32_t *packed) {
  static const int32_t none[FORGE_LANES];
  int32_t last[FORGE_LANES];
  words_of_outputs(vectors[3], inverse[3], none, last);
  for (int word = 0; word < 3; word++) {
    int32_t lowest[FORGE_LANES];
    for (int i = 0; i < FORGE_LANES; i++) lowest[i] = last[i] >> (24 - 8 * word) & 255;
    words_of_outputs(vectors[word], inverse[word], lowest, packed + word * FORGE_LANES);
  }
}

/* Returns the least power of two that is not below a positive number. */
static double power_from(double x) {
  int exponent;
  const double fraction = frexp(x, &exponent);
  return ldexp(fraction > 0.5 ? 1 : 0.5, exponent);
}

/* Sets the scale of an output, which is a tile: NaN if its weights cannot be exact enough. */
static void scale_output(const void *arguments, int64_t output) {
  const forge_fixed_weights *a = arguments;
  const int64_t count = a->taps * a->inputs;
  const weight_sizes sizes = sizes_of(a->weights + output * count, count);
  /* The words are 256 times the 24-bit weights. Rounding the scale may give the largest weight
   * one more unit. */
  double unit = (double)sizes.most / 8388606.0;
  if (a->powers && unit > 0) unit = power_from(unit);
  const float scale = (float)(unit / 256);
  /* Denormal scales would have few bits. Outputs of one repeated weight are equal in floats and
   * would differ in words, which take their last bits from neighbors. */
  const bool fits = sizes.differ && FORGE_FIXED_ERROR * unit <= a->accuracy * sizes.median &&
    scale >= 0x1p-126f && sizes.most <= 0x1p126f;
  a->scales[output] = fits || sizes.most == 0 ? scale : NAN;
}

/* Checks that the weights of each input of a tile are exact enough over all outputs together. An
 * input with small weights may be large. */
static void check_inputs(const void *arguments, int64_t tile) {
  const forge_fixed_weights *a = arguments;
  const int64_t count = a->taps * a->inputs, first = tile * INPUTS_OF_A_TILE;
  const int64_t inputs = forge_smaller(INPUTS_OF_A_TILE, count - first);
  float squares[INPUTS_OF_A_TILE] = {0};
  for (int64_t o = 0; o < a->outputs; o++) {
    const float *row = a->weights + o * count + first;
    for (int64_t i = 0; i < inputs; i++) squares[i] += row[i] * row[i];
  }
  a->refusals[tile] = false;
  for (int64_t i = 0; i < inputs; i++)
    if (!(a->squares <= a->accuracy * a->accuracy * squares[i])) a->refusals[tile] = true;
}

bool forge_fixed_scales(forge_fixed_weights *a, int32_t threads) {
  const int64_t bytes = a->outputs * a->taps * a->inputs * (int64_t)sizeof *a->weights;
  forge_deal(scale_output, a, a->outputs, bytes, threads);
  a->squares = 0;
  for (int64_t o = 0; o < a->outputs; o++) {
    if (a->scales[o] != a->scales[o]) return false;
    const double error = FORGE_FIXED_ERROR * 256 * (double)a->scales[o];
    a->squares += error * error;
  }
  const int64_t tiles = forge_quotient_up(a->taps * a->inputs, INPUTS_OF_A_TILE);
  forge_deal(check_inputs, a, tiles, bytes, threads);
  for (int64_t tile = 0; tile < tiles; tile++)
    if (a->refusals[tile]) return false;
  return true;
}

/* The words of 16 inputs of a panel, and the vectors of one. */
enum {
  WORDS_OF_A_GROUP = FORGE_FIXED_GROUP_BYTES / 4,
  WORDS_OF_A_BLOCK = FORGE_LANES * WORDS_OF_A_GROUP,
  VECTORS = FORGE_FIXED_PANEL_WIDTH / FORGE_LANES
};

/* Packs the inputs of a block of a tap of a panel, which may be behind the last output. */
static void pack_block(const forge_fixed_weights *a, int64_t panel, int64_t tap, int64_t block,
                       int32_t *words) {
  const int64_t first = panel * FORGE_FIXED_PANEL_WIDTH, count = a->taps * a->inputs;
  const int64_t columns = forge_smaller(FORGE_FIXED_PANEL_WIDTH, a->outputs - first);
  const int64_t lanes = forge_lanes(a->inputs, block);
  double inverse[FORGE_FIXED_PANEL_WIDTH] = {0};
  float rows[FORGE_LANES][VECTORS][FORGE_LANES] = {{{0}}};
  for (int64_t c = 0; c < columns; c++) {
    const float scale = a->scales[first + c];
    inverse[c] = scale > 0 ? 1 / (256 * (double)scale) : 0;
    const float *at = a->weights + (first + c) * count + tap * a->inputs + block * FORGE_LANES;
    for (int64_t i = 0; i < lanes; i++) rows[i][c / FORGE_LANES][c % FORGE_LANES] = at[i];
  }
  const double *inverses[VECTORS];
  for (int64_t v = 0; v < VECTORS; v++) inverses[v] = inverse + v * FORGE_LANES;
  for (int64_t i = 0; i < FORGE_LANES; i++)
    forge_pack_group(rows[i], inverses, words + i * WORDS_OF_A_GROUP);
}

/* A tile is a panel. */
static void pack_fixed_tile(const void *arguments, int64_t panel) {
  const fixed_packing *packing = arguments;
  const forge_fixed_weights *a = &packing->from;
  const int64_t blocks = forge_blocks(a->inputs);
  int32_t *to = (int32_t *)packing->packed + panel * a->taps * blocks * WORDS_OF_A_BLOCK;
  for (int64_t tap = 0; tap < a->taps; tap++)
    for (int64_t block = 0; block < blocks; block++, to += WORDS_OF_A_BLOCK)
      pack_block(a, panel, tap, block, to);
}

/* A tile has the outputs of a panel of words, which are in one or more panels of floats. */
static void pack_rounded_tile(const void *arguments, int64_t panel) {
  const fixed_packing *packing = arguments;
  const forge_fixed_weights *a = &packing->from;
  const int64_t blocks = forge_blocks(a->inputs), width = packing->panel_width;
  const int64_t vectors = forge_quotient_up(a->outputs, width) * width / FORGE_LANES;
  const int64_t first = panel * VECTORS, last = forge_smaller(first + VECTORS, vectors);
  for (int64_t tap = 0; tap < a->taps; tap++) {
    for (int64_t block = 0; block < blocks; block++) {
      int32_t words[WORDS_OF_A_BLOCK];
      pack_block(a, panel, tap, block, words);
      for (int64_t vector = first; vector < last; vector++) {
        const int64_t column = vector * FORGE_LANES;
        float *to = (float *)packing->packed + column % width +
          ((column / width * a->taps + tap) * blocks + block) * FORGE_LANES * width;
        for (int64_t channel = 0; channel < FORGE_LANES; channel++)
          for (int64_t lane = 0; lane < FORGE_LANES; lane++)
            to[channel * width + lane] = a->scales[column + lane] *
              forge_of_fixed((const char *)words, channel, (vector - first) * FORGE_LANES + lane);
      }
    }
  }
}

/* Sets scales and packs tiles. columns: the outputs, rounded up. bytes: of a packed weight. */
static int32_t pack_fixed(fixed_packing *packing, int64_t columns, forge_deal_work pack,
                          int64_t bytes, int32_t threads) {
  forge_fixed_weights *from = &packing->from;
  /* The packed form is written later. Until then it holds a byte per tile of inputs. */
  from->refusals = packing->packed;
  if (!forge_fixed_scales(from, threads)) return false;
  for (int64_t o = from->outputs; o < columns; o++) from->scales[o] = 0;
  const int64_t weights = columns * from->taps * forge_blocks(from->inputs) * FORGE_LANES;
  forge_deal(pack, packing, columns / FORGE_FIXED_PANEL_WIDTH, weights * bytes, threads);
  return true;
}

int32_t forge_pack_fixed(const float *weights, void *packed, float *scales, int64_t outputs,
                         int64_t taps, int64_t inputs, double accuracy, int32_t powers,
                         int32_t threads) {
  fixed_packing packing = {
    .from = {weights, scales, outputs, taps, inputs, accuracy, .powers = powers != 0},
    .packed = packed};
  const int64_t columns =
    forge_quotient_up(outputs, FORGE_FIXED_PANEL_WIDTH) * FORGE_FIXED_PANEL_WIDTH;
  return pack_fixed(&packing, columns, pack_fixed_tile, 3, threads);
}

int32_t forge_pack_rounded(const float *weights, float *packed, float *scales, int64_t outputs,
                           int64_t taps, int64_t inputs, int64_t panel_width, double accuracy,
                           int32_t threads) {
  fixed_packing packing = {
    .from = {weights, scales, outputs, taps, inputs, accuracy, .powers = true},
    .packed = packed,
    .panel_width = panel_width};
  const int64_t columns = forge_rounded_scales(outputs, panel_width);
  return pack_fixed(&packing, columns, pack_rounded_tile, sizeof(float), threads);
}

int64_t forge_rounded_scales(int64_t outputs, int64_t panel_width) {
  const int64_t columns = forge_quotient_up(outputs, panel_width) * panel_width;
  return forge_quotient_up(columns, FORGE_FIXED_PANEL_WIDTH) * FORGE_FIXED_PANEL_WIDTH;
}
