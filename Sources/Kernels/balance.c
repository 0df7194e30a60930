/* How evenly weights are spread over the channels that Strassen's algorithm adds, and scales that
 * even them out.
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
 * weight makes one scale large, and an input that is no smaller than the others would then hide
 * them. Whatever the scale of each block, the ratio is at most the largest ratio of their terms:
 * `block`. Within a block, inputs with small weights are often large, because earlier layers made
 * them so. With scales that make up for the norms R of the weights of each input, the error grows
 * with the sum of R times the sum of 1 / R over the inputs of a group: `input`. */
#include <math.h>
#include <stdlib.h>

#include "internal.h"

#pragma STDC FP_CONTRACT OFF

/* The most halvings of a scale. Neither a scale nor its inverse may be denormal. */
enum { MOST_HALVINGS = 100 };

/* Returns a power of two near norm / largest, at most 1; 0 for 0. */
static float scale_of(double norm, double largest) {
  if (!(norm > 0) || !isfinite(norm) || !isfinite(largest)) return norm == 0 ? 0 : 1;
  const double halvings = round(log2(largest / norm));
  return (float)ldexp(1, -(int)(halvings > MOST_HALVINGS ? MOST_HALVINGS : halvings));
}

/* Computes scales from sums of squares. */
static void scales_of(const double *squares, int64_t count, float *scales) {
  double largest = 0;
  for (int64_t i = 0; i < count; i++)
    if (squares[i] > largest) largest = squares[i];
  for (int64_t i = 0; i < count; i++) scales[i] = scale_of(sqrt(squares[i]), sqrt(largest));
}

static double inverse(float scale) { return scale == 0 ? 0 : 1.0 / scale; }

/* The sums that are made side by side, so that a processor need not wait for one of them. */
enum { SUMS = 8 };

static double sum_of(const double *sums) {
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

/* Returns the sum of the squares of weights times factors. */
static double sum_of_squares(const float *weights, const double *factors, int64_t count) {
  double sums[SUMS] = {0};
  int64_t i = 0;
  for (; i + SUMS <= count; i += SUMS) {
    for (int64_t lane = 0; lane < SUMS; lane++) {
      const double weight = weights[i + lane] * factors[i + lane];
      sums[lane] += weight * weight;
    }
  }
  for (; i < count; i++) {
    const double weight = weights[i] * factors[i];
    sums[i % SUMS] += weight * weight;
  }
  return sum_of(sums);
}

void forge_balance(const float *weights, int64_t outputs, int64_t inputs, float *input_scales,
                   float *output_scales) {
  /* Each side makes the other slightly uneven again. Two rounds are within a factor of 2. */
  enum { ROUNDS = 2 };
  double *of_inputs = malloc((size_t)inputs * sizeof(double));
  double *of_outputs = malloc((size_t)outputs * sizeof(double));
  for (int64_t i = 0; i < inputs; i++) input_scales[i] = 1;
  for (int64_t o = 0; o < outputs; o++) output_scales[o] = 1;
  for (int round = 0; of_inputs && of_outputs && round < ROUNDS; round++) {
    for (int64_t i = 0; i < inputs; i++) of_inputs[i] = 0;
    for (int64_t o = 0; o < outputs; o++) {
      const double factor = inverse(output_scales[o]);
      for (int64_t i = 0; i < inputs; i++) {
        const double weight = weights[o * inputs + i] * factor;
        of_inputs[i] += weight * weight;
      }
    }
    scales_of(of_inputs, inputs, input_scales);
    for (int64_t i = 0; i < inputs; i++) of_inputs[i] = inverse(input_scales[i]);
    for (int64_t o = 0; o < outputs; o++)
      of_outputs[o] = sum_of_squares(weights + o * inputs, of_inputs, inputs);
    scales_of(of_outputs, outputs, output_scales);
  }
  free(of_inputs);
  free(of_outputs);
}

/* What is known of each input, and sums over outputs. */
typedef struct {
  double *inverses, *squares; /* of the scales; 1 without scales */
  double *of_inputs;          /* the squares of all weights */
  double *column;             /* those of the outputs that are added */
} input_sums;

/* Computes E of the blocks of one output, and adds the squares of its scaled weights to those of
 * each input. Returns the sum of their products with the squares of the scales, which is that of
 * inputs alike before. */
static double add_output(const float *weights, int64_t inputs, double output_factor,
                         double *restrict energy, const input_sums *sums) {
  const double *restrict inverses = sums->inverses, *restrict scales = sums->squares;
  double *restrict of_inputs = sums->of_inputs, *restrict column = sums->column;
  double own[SUMS] = {0};
  for (int64_t block = 0; block < inputs / FORGE_LANES; block++) {
    double of_block[SUMS] = {0};
    for (int64_t first = block * FORGE_LANES; first < (block + 1) * FORGE_LANES; first += SUMS) {
      for (int64_t lane = 0; lane < SUMS; lane++) {
        const int64_t i = first + lane;
        const double weight = weights[i] * output_factor * inverses[i];
        const double square = weight * weight;
        of_block[lane] += square;
        of_inputs[i] += square;
        column[i] += square;
        own[lane] += scales[i] * square;
      }
    }
    energy[block] = sum_of(of_block);
  }
  return sum_of(own);
}

/* Returns the sum, over the groups of inputs that are added, of their squares times those of the
 * weights in the column, for inputs that are alike before they are scaled. */
static double mixed_squares(const input_sums *sums, int64_t inputs, int64_t parts) {
  const int64_t group_inputs = parts * FORGE_LANES;
  double all = 0;
  for (int64_t first = 0; first < inputs; first += group_inputs) {
    for (int64_t lane = 0; lane < FORGE_LANES; lane++) {
      double of_inputs = 0, of_weights = 0;
      for (int64_t i = first + lane; i < first + group_inputs; i += FORGE_LANES) {
        of_inputs += sums->squares[i];
        of_weights += sums->column[i];
      }
      all += of_inputs * of_weights;
    }
  }
  return all;
}

/* Whether no weight reads a block of inputs. */
static bool is_unused(const float *input_scales, int64_t block) {
  if (!input_scales) return false;
  for (int64_t lane = 0; lane < FORGE_LANES; lane++)
    if (input_scales[block * FORGE_LANES + lane] != 0) return false;
  return true;
}

/* Returns the larger, or NaN if one is NaN. */
static double worse(double ratio, double known) {
  return isnan(known) || ratio <= known ? known : ratio;
}

/* Returns the ratio of `input` over all groups of `parts` blocks. */
static double unevenness_of_inputs(const double *of_inputs, int64_t inputs,
                                   const float *input_scales, int64_t parts) {
  const int64_t group_inputs = parts * FORGE_LANES;
  double all = 0, count = 0;
  for (int64_t first = 0; first < inputs; first += group_inputs) {
    for (int64_t lane = 0; lane < FORGE_LANES; lane++) {
      double sum = 0, inverses = 0, members = 0;
      for (int64_t i = first + lane; i < first + group_inputs; i += FORGE_LANES) {
        /* An input whose scale is 0 is added to no other. */
        if (input_scales && input_scales[i] == 0) continue;
        sum += of_inputs[i];
        inverses += 1 / of_inputs[i];
        members++;
      }
      all += sum * inverses / (double)parts;
      count += members;
    }
  }
  return count == 0 ? 1 : all / count;
}

forge_unevenness forge_strassen_unevenness(const float *weights, int64_t outputs, int64_t inputs,
                                           int32_t levels, const float *input_scales,
                                           const float *output_scales) {
  const int64_t parts = (int64_t)1 << levels, blocks = inputs / FORGE_LANES;
  forge_unevenness worst = {1, 1, 1};
  double *energy = calloc((size_t)(parts * blocks + 4 * inputs), sizeof(double));
  if (!energy) return (forge_unevenness){INFINITY, INFINITY, INFINITY};
  double *of_each = energy + parts * blocks;
  const input_sums sums = {of_each, of_each + inputs, of_each + 2 * inputs, of_each + 3 * inputs};
  for (int64_t i = 0; i < inputs; i++) {
    const double scale = input_scales ? input_scales[i] : 1;
    sums.inverses[i] = input_scales ? inverse(input_scales[i]) : 1;
    sums.squares[i] = scale * scale;
  }
  for (int64_t group = 0; group < outputs / FORGE_LANES / parts; group++) {
    for (int64_t lane = 0; lane < FORGE_LANES; lane++) {
      double alike[4] = {0, 0, 0, 0};
      for (int64_t i = 0; i < inputs; i++) sums.column[i] = 0;
      for (int64_t part = 0; part < parts; part++) {
        const int64_t o = (group * parts + part) * FORGE_LANES + lane;
        const double factor = output_scales ? inverse(output_scales[o]) : 1;
        alike[part] =
          add_output(weights + o * inputs, inputs, factor, energy + part * blocks, &sums);
      }
      const double mixed = mixed_squares(&sums, inputs, parts);
      double all = 0, each[4] = {0, 0, 0, 0};
      for (int64_t first = 0; first < blocks; first += parts) {
        double sum = 0;
        for (int64_t part = 0; part < parts; part++)
          for (int64_t block = first; block < first + parts; block++)
            sum += energy[part * blocks + block];
        all += sum;
        for (int64_t part = 0; part < parts; part++) {
          const int64_t o = (group * parts + part) * FORGE_LANES + lane;
          /* An output whose scale is 0 is exactly its bias. */
          if (output_scales && output_scales[o] == 0) continue;
          for (int64_t block = first; block < first + parts; block++) {
            const double own = energy[part * blocks + block];
            each[part] += own;
            if (sum != 0 && !is_unused(input_scales, block))
              worst.block = worse(sum / ((double)(parts * parts) * own), worst.block);
          }
        }
      }
      for (int64_t part = 0; part < parts; part++) {
        const int64_t o = (group * parts + part) * FORGE_LANES + lane;
        if ((output_scales && output_scales[o] == 0) || all == 0) continue;
        worst.channel = worse(all / ((double)parts * each[part]), worst.channel);
        worst.channel = worse(mixed / ((double)(parts * parts) * alike[part]), worst.channel);
      }
    }
  }
  worst.input = unevenness_of_inputs(sums.of_inputs, inputs, input_scales, parts);
  free(energy);
  return (forge_unevenness){sqrt(worst.channel), sqrt(worst.block), sqrt(worst.input)};
}
