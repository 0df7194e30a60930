/* How evenly weights are spread over the channels that Strassen's algorithm adds.
 *
 * The algorithm adds an input channel to those in the same lane of the other blocks of its group of
 * 2 << levels blocks, and an output channel likewise. A rounding error is therefore relative to the
 * largest products of the group. Let E(o, b), the energy, be the sum of the squares of the weights
 * from the 16 inputs of block b to output o, and G the sum of E over all blocks and outputs of a
 * group. The mean square of the error of output o grows with the sum of G over the groups of
 * blocks, that of the output with the sum of E(o, b).
 *
 * The scales of the inputs are unknown during packing. If they are alike, the ratio of the two sums
 * is `channel`; where the algorithm scales the inputs, it is the worse of two ratios, for inputs
 * that are alike before they are scaled and for inputs that are alike after it. A single large
 * weight makes one scale large, and an input of the same size as the others would then hide
 * them. Whatever the scale of each block, the ratio is at most the largest ratio of their terms:
 * `block`. Within a block, inputs with small weights are often large, because earlier layers made
 * them so. With scales that make up for the norms R of the weights of each input, the error grows
 * with the sum of R times the sum of 1 / R over the inputs of a group: `input`. */
#include <math.h>
#include <stdlib.h>

#include "packing.h"

#pragma STDC FP_CONTRACT OFF

/* The most outputs that are added, and the most tiles, each of which has memory of its own. */
enum { MOST_PARTS = 4, MOST_TILES = 16 };

typedef struct {
  const float *weights;
  int64_t outputs, inputs, parts, blocks;
  const float *input_scales, *output_scales; /* or NULL */
  const double *inverses, *squares;          /* of the scales of the inputs; 1 without scales */
  const bool *unused;                        /* whether no weight reads a block of inputs */
  int64_t tiles;
  double *memory; /* of all tiles */
} unevenness_arguments;

/* What a tile writes. */
typedef struct {
  double *channel, *block; /* the worst ratios */
  double *of_inputs;       /* the squares of all weights of an input */
  double *column;          /* those of the outputs that are added */
  double *energy;          /* E of the blocks of the outputs that are added */
} unevenness_sums;

static int64_t memory_of_a_tile(int64_t inputs, int64_t parts) {
  return 2 + 2 * inputs + parts * (inputs / FORGE_LANES);
}

static unevenness_sums sums_of(const unevenness_arguments *a, int64_t tile) {
  double *memory = a->memory + tile * memory_of_a_tile(a->inputs, a->parts);
  return (unevenness_sums){memory, memory + 1, memory + 2, memory + 2 + a->inputs,
                           memory + 2 + 2 * a->inputs};
}

/* Computes E of the blocks of one output, and adds the squares of its scaled weights to those of
 * each input. Returns the sum of their products with the squares of the scales, which is that of
 * inputs alike before. */
FORGE_INLINE double add_output(const unevenness_arguments *a, int64_t output, double factor,
                               double *energy, const unevenness_sums *sums) {
  const float *weights = a->weights + output * a->inputs;
  d16 own = {0};
  for (int64_t block = 0; block < a->blocks; block++) {
    const int64_t i = block * FORGE_LANES;
    const d16 weight =
      FORGE_DOUBLES_AT(weights + i) * factor * *(const d16_in_memory *)(a->inverses + i);
    const d16 square = weight * weight;
    *(d16_in_memory *)(sums->of_inputs + i) += square;
    *(d16_in_memory *)(sums->column + i) += square;
    own += *(const d16_in_memory *)(a->squares + i) * square;
    energy[block] = forge_sum_of_lanes(&square);
  }
  return forge_sum_of_lanes(&own);
}

/* Returns the sum, over the groups of inputs that are added, of their squares times those of the
 * weights in the column, for inputs that are alike before they are scaled. */
FORGE_INLINE double mixed_squares(const unevenness_arguments *a, const unevenness_sums *sums) {
  const int64_t group_inputs = a->parts * FORGE_LANES;
  d16 all = {0};
  for (int64_t first = 0; first < a->inputs; first += group_inputs) {
    d16 of_inputs = {0}, of_weights = {0};
    for (int64_t i = first; i < first + group_inputs; i += FORGE_LANES) {
      of_inputs += *(const d16_in_memory *)(a->squares + i);
      of_weights += *(const d16_in_memory *)(sums->column + i);
    }
    all += of_inputs * of_weights;
  }
  return forge_sum_of_lanes(&all);
}

/* Returns the larger, or NaN if one is NaN. */
FORGE_INLINE double worse(double ratio, double known) {
  return isnan(known) || ratio <= known ? known : ratio;
}

/* An output whose scale is 0 is exactly its bias. */
FORGE_INLINE bool is_bias(const unevenness_arguments *a, int64_t output) {
  return a->output_scales && a->output_scales[output] == 0;
}

/* Measures the outputs from `first` on that are added, one of each part. */
FORGE_INLINE void measure_outputs(const unevenness_arguments *a, int64_t first,
                                  const unevenness_sums *sums) {
  const int64_t parts = a->parts;
  double alike[MOST_PARTS] = {0}, each[MOST_PARTS] = {0}, all = 0;
  memset(sums->column, 0, (size_t)a->inputs * sizeof(double));
  for (int64_t part = 0; part < parts; part++) {
    const int64_t o = first + part * FORGE_LANES;
    const double factor = a->output_scales ? forge_inverse_scale(a->output_scales[o]) : 1;
    alike[part] = add_output(a, o, factor, sums->energy + part * a->blocks, sums);
  }
  for (int64_t group = 0; group < a->blocks; group += parts) {
    double sum = 0, least = INFINITY;
    for (int64_t part = 0; part < parts; part++) {
      const bool counts = !is_bias(a, first + part * FORGE_LANES);
      for (int64_t block = group; block < group + parts; block++) {
        const double own = sums->energy[part * a->blocks + block];
        sum += own;
        if (!counts) continue;
        each[part] += own;
        if (!a->unused[block] && own < least) least = own;
      }
    }
    all += sum;
    /* Without a finite energy the sum is not finite either. */
    if (sum != 0 && (least < INFINITY || !isfinite(sum)))
      *sums->block = worse(sum / ((double)(parts * parts) * least), *sums->block);
  }
  if (all == 0) return;
  const double mixed = mixed_squares(a, sums);
  for (int64_t part = 0; part < parts; part++) {
    if (is_bias(a, first + part * FORGE_LANES)) continue;
    *sums->channel = worse(all / ((double)parts * each[part]), *sums->channel);
    *sums->channel = worse(mixed / ((double)(parts * parts) * alike[part]), *sums->channel);
  }
}

/* A tile is some of the groups of blocks of outputs that are added. */
FORGE_INLINE void measure_tile(const void *arguments, int64_t tile) {
  const unevenness_arguments *a = arguments;
  const unevenness_sums sums = sums_of(a, tile);
  const int64_t groups = a->outputs / FORGE_LANES / a->parts;
  *sums.channel = *sums.block = 1;
  memset(sums.of_inputs, 0, (size_t)a->inputs * sizeof(double));
  for (int64_t group = groups * tile / a->tiles; group < groups * (tile + 1) / a->tiles; group++)
    for (int64_t lane = 0; lane < FORGE_LANES; lane++)
      measure_outputs(a, group * a->parts * FORGE_LANES + lane, &sums);
}

FORGE_PACKING(measure_tile)

/* Returns the ratio of `input` over all groups of inputs that are added. */
static double unevenness_of_inputs(const unevenness_arguments *a, const double *of_inputs) {
  const int64_t group_inputs = a->parts * FORGE_LANES;
  double all = 0, count = 0;
  for (int64_t first = 0; first < a->inputs; first += group_inputs) {
    for (int64_t lane = 0; lane < FORGE_LANES; lane++) {
      double sum = 0, inverses = 0, members = 0;
      for (int64_t i = first + lane; i < first + group_inputs; i += FORGE_LANES) {
        /* An input whose scale is 0 is added to no other. */
        if (a->input_scales && a->input_scales[i] == 0) continue;
        sum += of_inputs[i];
        inverses += 1 / of_inputs[i];
        members++;
      }
      all += sum * inverses / (double)a->parts;
      count += members;
    }
  }
  return count == 0 ? 1 : all / count;
}

/* Fills in what is known of the inputs. */
static void describe_inputs(const unevenness_arguments *a, double *inverses, double *squares,
                            bool *unused) {
  for (int64_t block = 0; block < a->blocks; block++) unused[block] = a->input_scales != NULL;
  for (int64_t i = 0; i < a->blocks * FORGE_LANES; i++) {
    const double scale = a->input_scales ? a->input_scales[i] : 1;
    inverses[i] = forge_inverse_scale((float)scale);
    squares[i] = scale * scale;
    if (scale != 0) unused[i / FORGE_LANES] = false;
  }
}

forge_unevenness forge_strassen_unevenness(const float *weights, int64_t outputs, int64_t inputs,
                                           int32_t levels, const float *input_scales,
                                           const float *output_scales, int32_t threads) {
  const int64_t parts = (int64_t)1 << levels, blocks = inputs / FORGE_LANES;
  const int64_t tiles = forge_smaller(MOST_TILES, outputs / FORGE_LANES / parts);
  const int64_t doubles = 2 * inputs + tiles * memory_of_a_tile(inputs, parts);
  double *memory = malloc((size_t)doubles * sizeof(double) + (size_t)blocks);
  if (!memory) return (forge_unevenness){INFINITY, INFINITY, INFINITY};
  const unevenness_arguments a = {.weights = weights,
                                  .outputs = outputs,
                                  .inputs = inputs,
                                  .parts = parts,
                                  .blocks = blocks,
                                  .input_scales = input_scales,
                                  .output_scales = output_scales,
                                  .inverses = memory,
                                  .squares = memory + inputs,
                                  .unused = (bool *)(memory + doubles),
                                  .tiles = tiles,
                                  .memory = memory + 2 * inputs};
  describe_inputs(&a, memory, memory + inputs, (bool *)(memory + doubles));
  forge_deal(best_measure_tile(), &a, tiles, outputs * inputs * (int64_t)sizeof(float), threads);
  forge_unevenness worst = {1, 1, 1};
  double *of_inputs = sums_of(&a, 0).of_inputs;
  for (int64_t tile = 0; tile < tiles; tile++) {
    const unevenness_sums sums = sums_of(&a, tile);
    worst.channel = worse(*sums.channel, worst.channel);
    worst.block = worse(*sums.block, worst.block);
    if (tile > 0)
      for (int64_t i = 0; i < inputs; i++) of_inputs[i] += sums.of_inputs[i];
  }
  if (tiles > 0) worst.input = unevenness_of_inputs(&a, of_inputs);
  free(memory);
  return (forge_unevenness){sqrt(worst.channel), sqrt(worst.block), sqrt(worst.input)};
}
