/* What Strassen's pointwise convolutions share on every level: see vector/strassen.h. */
#include "internal.h"

#pragma STDC FP_CONTRACT OFF

/* B of one input channel and one output channel of a half, for both halves of both. */
typedef struct { double b11, b12, b21, b22; } quarters;

/* The seven right sides in the order of vector/strassen.h. */
static double right_side(int product, quarters b) {
  const double t1 = b.b12 - b.b11, t2 = b.b22 - t1;
  switch (product) {
    case 0: return b.b11;
    case 1: return t2;
    case 2: return b.b21;
    case 3: return b.b22 - b.b12;
    case 4: return t1;
    case 5: return b.b22;
    default: return b.b21 - t2;
  }
}

typedef struct {
  const float *weights; /* [outputs][inputs] */
  float *packed;
  int64_t outputs, inputs, panel_width;
} strassen_packing;

/* A tile is a block of 16 inputs, of each half, of one panel. */
static void pack_strassen_tile(const void *arguments, int64_t tile) {
  const strassen_packing *a = arguments;
  const int64_t rows = a->outputs / 2, columns = a->inputs / 2, width = a->panel_width;
  const int64_t blocks = forge_blocks(columns), product_floats = columns * width;
  const int64_t panel = tile / blocks, start = tile % blocks * FORGE_LANES;
  const int64_t count = forge_smaller(FORGE_LANES, columns - start);
  const int64_t filled = forge_smaller(width, rows - panel * width);
  float *packed = a->packed + panel * 7 * product_floats + start * width;
  if (filled < width)
    for (int product = 0; product < 7; product++)
      memset(packed + product * product_floats, 0, (size_t)(count * width) * sizeof(float));
  for (int64_t o = 0; o < filled; o++) {
    const float *upper = a->weights + (panel * width + o) * a->inputs + start;
    const float *lower = upper + rows * a->inputs;
    for (int64_t i = 0; i < count; i++) {
      const quarters b = {upper[i], lower[i], upper[i + columns], lower[i + columns]};
      for (int product = 0; product < 7; product++)
        packed[product * product_floats + i * width + o] = (float)right_side(product, b);
    }
  }
}

void forge_pack_strassen(const float *weights, float *packed, int64_t outputs, int64_t inputs,
                         int64_t panel_width, int32_t threads) {
  const strassen_packing arguments = {weights, packed, outputs, inputs, panel_width};
  const int64_t panels = (outputs / 2 + panel_width - 1) / panel_width;
  forge_deal(pack_strassen_tile, &arguments, panels * forge_blocks(inputs / 2),
             panels * 7 * (inputs / 2) * panel_width * (int64_t)sizeof(float), threads);
}

forge_strassen_segment forge_strassen_segment_of(const forge_strassen_arguments *a,
                                                 int64_t segment) {
  const int64_t pixels = (int64_t)a->in.height * a->in.width;
  const int64_t first = pixels * segment / a->segments;
  const int64_t count = pixels * (segment + 1) / a->segments - first;
  const int64_t largest = (pixels + a->segments - 1) / a->segments;
  const int64_t upper = (count + 1) / 2;
  return (forge_strassen_segment){
    .first = first,
    .upper = upper,
    .lower = count - upper,
    .sums = segment * 4 * (a->in.channels / 2) * ((largest + 1) / 2)};
}

int64_t forge_strassen_input_tiles(const forge_strassen_arguments *a) {
  return a->in.channels / FORGE_LANES / 2 * a->segments;
}

int64_t forge_strassen_output_tiles(const forge_strassen_arguments *a) {
  return (a->out.channels / 2 + a->panel_width - 1) / a->panel_width * a->segments;
}

/* Pixels of the upper half of the largest segment. */
static int64_t most_upper(const forge_strassen_arguments *a) {
  const int64_t pixels = (int64_t)a->in.height * a->in.width;
  return ((pixels + a->segments - 1) / a->segments + 1) / 2;
}

int64_t forge_strassen_sums_floats(const forge_strassen_arguments *a) {
  return a->segments * 4 * (a->in.channels / 2) * most_upper(a);
}

int64_t forge_strassen_products_floats(const forge_strassen_arguments *a) {
  return 4 * a->panel_width * most_upper(a);
}
