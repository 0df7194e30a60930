/* Packs weights of floats for direct and grouped convolutions. */
#include "grouped.h"
#include "internal.h"

#pragma STDC FP_CONTRACT OFF

/* The inputs of a tile: a whole number of pages even for the narrowest panels. */
#define INPUTS_OF_A_TILE (4 * FORGE_LANES)

typedef struct {
  const float *weights;
  float *packed;
  int64_t outputs, taps, inputs, panel_width;
  int64_t chunks; /* of inputs, per tap */
} convolution_packing;

/* A tile is a chunk of the inputs of one tap of one panel. */
static void pack_convolution_tile(const void *arguments, int64_t tile) {
  const convolution_packing *a = arguments;
  const int64_t inputs = a->inputs, panel_width = a->panel_width;
  const int64_t padded = forge_blocks(inputs) * FORGE_LANES;
  const int64_t chunk = tile % a->chunks, tap = tile / a->chunks % a->taps;
  const int64_t panel = tile / a->chunks / a->taps;
  const int64_t first = panel * panel_width;
  const int64_t columns = forge_smaller(panel_width, a->outputs - first);
  const float *from = a->weights + (first * a->taps + tap) * inputs;
  float *to = a->packed + (panel * a->taps + tap) * padded * panel_width;
  const int64_t start = chunk * INPUTS_OF_A_TILE;
  const int64_t end = forge_smaller(start + INPUTS_OF_A_TILE, padded);
  /* Sixteen inputs at a time: written lines stay in the first-level cache until complete. */
  for (int64_t block = start; block < end; block += FORGE_LANES) {
    const int64_t count = forge_smaller(FORGE_LANES, inputs - block);
    for (int64_t column = 0; column < columns; column++) {
      const float *row = from + column * a->taps * inputs + block;
      for (int64_t i = 0; i < count; i++) to[(block + i) * panel_width + column] = row[i];
    }
    for (int64_t i = 0; i < count; i++)
      for (int64_t column = columns; column < panel_width; column++)
        to[(block + i) * panel_width + column] = 0;
    memset(to + (block + count) * panel_width, 0,
           (size_t)((FORGE_LANES - count) * panel_width) * sizeof(float));
  }
}

void forge_pack_convolution(const float *weights, float *packed, int64_t outputs, int64_t taps,
                            int64_t inputs, int64_t panel_width, int32_t threads) {
  const int64_t padded = forge_blocks(inputs) * FORGE_LANES;
  const convolution_packing arguments = {.weights = weights,
                                         .packed = packed,
                                         .outputs = outputs,
                                         .taps = taps,
                                         .inputs = inputs,
                                         .panel_width = panel_width,
                                         .chunks = forge_quotient_up(padded, INPUTS_OF_A_TILE)};
  const int64_t rows = forge_quotient_up(outputs, panel_width) * taps;
  forge_deal(pack_convolution_tile, &arguments, rows * arguments.chunks,
             rows * padded * panel_width * (int64_t)sizeof(float), threads);
}

int64_t forge_grouped_convolution_floats(int64_t groups, int64_t outputs, int64_t kernel_height,
                                         int64_t kernel_width, int64_t inputs) {
  const int64_t pieces =
    forge_grouped_piece(forge_blocks(outputs) - 1, groups - 1, inputs, outputs / groups) + 1;
  return pieces * kernel_height * kernel_width * inputs * FORGE_LANES;
}

void forge_pack_grouped_convolution(const float *weights, float *packed, int64_t groups,
                                    int64_t outputs, int64_t kernel_height, int64_t kernel_width,
                                    int64_t inputs) {
  const int64_t each = outputs / groups;
  const int64_t piece = kernel_height * kernel_width * inputs * FORGE_LANES;
  memset(
    packed, 0,
    (size_t)forge_grouped_convolution_floats(groups, outputs, kernel_height, kernel_width, inputs) *
      sizeof(float));
  for (int64_t o = 0; o < outputs; o++) {
    float *to = packed + o % FORGE_LANES +
      forge_grouped_piece(o / FORGE_LANES, o / each, inputs, each) * piece;
    for (int64_t ky = 0; ky < kernel_height; ky++)
      for (int64_t kx = 0; kx < kernel_width; kx++)
        for (int64_t c = 0; c < inputs; c++)
          to[((ky * inputs + c) * kernel_width + kx) * FORGE_LANES] = *weights++;
  }
}

int32_t forge_has_denormals(const float *values, int64_t count) {
  /* Few enough numbers between two tests for a loop of vectors, and few enough to end early. */
  enum { PIECE = 4096 };
  for (int64_t first = 0; first < count; first += PIECE) {
    const int64_t last = forge_smaller(first + PIECE, count);
    uint32_t found = 0;
    for (int64_t i = first; i < last; i++) {
      uint32_t bits;
      memcpy(&bits, values + i, sizeof bits);
      const int32_t magnitude = (int32_t)(bits & 0x7fffffff);
      found |= (magnitude != 0) & (magnitude < 0x00800000);
    }
    if (found) return 1;
  }
  return 0;
}
