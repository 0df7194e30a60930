/* Powers of two that even out the rows and columns of weights, for Strassen's algorithm: see
 * unevenness.c. */
#include <math.h>
#include <stdlib.h>

#include "packing.h"

#pragma STDC FP_CONTRACT OFF

/* The most halvings of a scale. Neither a scale nor its inverse may be denormal. */
enum { MOST_HALVINGS = 100 };

/* The inputs of a tile, whose sums stay in the first-level cache, and its outputs. */
enum { TILE_INPUTS = 8 * FORGE_LANES, TILE_OUTPUTS = 16 };

/* Returns a power of two near norm / largest, at most 1; 0 for 0. */
static float scale_of(double norm, double largest) {
  if (!(norm > 0) || !isfinite(norm) || !isfinite(largest)) return norm == 0 ? 0 : 1;
  const double halvings = round(log2(largest / norm));
  return (float)ldexp(1, -(int)(halvings > MOST_HALVINGS ? MOST_HALVINGS : halvings));
}

/* Computes scales and their inverses from sums of squares. */
static void scales_of(const double *squares, int64_t count, float *scales, double *inverses) {
  double largest = 0;
  for (int64_t i = 0; i < count; i++)
    if (squares[i] > largest) largest = squares[i];
  for (int64_t i = 0; i < count; i++) {
    scales[i] = scale_of(sqrt(squares[i]), sqrt(largest));
    inverses[i] = forge_inverse_scale(scales[i]);
  }
}

typedef struct {
  const float *weights;
  int64_t outputs, inputs;
  const double *factors; /* of the outputs or of the inputs over which the squares are added */
  double *squares;
} square_sums;

/* Adds the squares of the weights of a chunk of inputs, times the factors of their outputs. */
FORGE_INLINE void sum_inputs(const void *arguments, int64_t tile) {
  const square_sums *a = arguments;
  const int64_t first = tile * TILE_INPUTS;
  const int64_t count = forge_smaller(TILE_INPUTS, a->inputs - first);
  const int64_t vectors = count / FORGE_LANES;
  d16 sums[TILE_INPUTS / FORGE_LANES] = {0};
  double rest[FORGE_LANES] = {0};
  for (int64_t o = 0; o < a->outputs; o++) {
    const float *row = a->weights + o * a->inputs + first;
    const double factor = a->factors[o];
    for (int64_t v = 0; v < vectors; v++) {
      const d16 weight = FORGE_DOUBLES_AT(row + v * FORGE_LANES) * factor;
      sums[v] += weight * weight;
    }
    for (int64_t i = vectors * FORGE_LANES; i < count; i++) {
      const double weight = row[i] * factor;
      rest[i % FORGE_LANES] += weight * weight;
    }
  }
  memcpy(a->squares + first, sums, (size_t)(vectors * FORGE_LANES) * sizeof(double));
  for (int64_t i = vectors * FORGE_LANES; i < count; i++)
    a->squares[first + i] = rest[i % FORGE_LANES];
}

/* Adds the squares of the weights of some outputs, times the factors of their inputs. */
FORGE_INLINE void sum_outputs(const void *arguments, int64_t tile) {
  const square_sums *a = arguments;
  const int64_t end = forge_smaller((tile + 1) * TILE_OUTPUTS, a->outputs);
  for (int64_t o = tile * TILE_OUTPUTS; o < end; o++) {
    const float *row = a->weights + o * a->inputs;
    d16 sums = {0};
    double rest = 0;
    int64_t i = 0;
    for (; i + FORGE_LANES <= a->inputs; i += FORGE_LANES) {
      const d16 weight = FORGE_DOUBLES_AT(row + i) * *(const d16_in_memory *)(a->factors + i);
      sums += weight * weight;
    }
    for (; i < a->inputs; i++) {
      const double weight = row[i] * a->factors[i];
      rest += weight * weight;
    }
    a->squares[o] = forge_sum_of_lanes(&sums) + rest;
  }
}

FORGE_PACKING(sum_inputs)
FORGE_PACKING(sum_outputs)

void forge_balance(const float *weights, int64_t outputs, int64_t inputs, float *input_scales,
                   float *output_scales, int32_t threads) {
  /* Each side makes the other slightly uneven again. Two rounds are within a factor of 2. */
  enum { ROUNDS = 2 };
  const int64_t bytes = outputs * inputs * (int64_t)sizeof(float);
  double *memory = malloc((size_t)(2 * (inputs + outputs)) * sizeof(double));
  for (int64_t i = 0; i < inputs; i++) input_scales[i] = 1;
  for (int64_t o = 0; o < outputs; o++) output_scales[o] = 1;
  if (!memory) return;
  double *of_inputs = memory, *of_outputs = of_inputs + inputs;
  double *input_factors = of_outputs + outputs, *output_factors = input_factors + inputs;
  for (int64_t o = 0; o < outputs; o++) output_factors[o] = 1;
  const square_sums columns = {weights, outputs, inputs, output_factors, of_inputs};
  const square_sums rows = {weights, outputs, inputs, input_factors, of_outputs};
  for (int round = 0; round < ROUNDS; round++) {
    forge_deal(best_sum_inputs(), &columns, forge_quotient_up(inputs, TILE_INPUTS), bytes, threads);
    scales_of(of_inputs, inputs, input_scales, input_factors);
    forge_deal(best_sum_outputs(), &rows, forge_quotient_up(outputs, TILE_OUTPUTS), bytes, threads);
    scales_of(of_outputs, outputs, output_scales, output_factors);
  }
  free(memory);
}
