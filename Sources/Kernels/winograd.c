/* Winograd's convolutions on all levels: the parts of an image, and packing. */
#include "packing.h"

#pragma STDC FP_CONTRACT OFF

forge_winograd_layout forge_winograd_layout_of(const forge_winograd_arguments *a) {
  forge_winograd_layout layout;
  layout.columns = forge_quotient_up(a->width, a->tile_width);
  layout.tiles = layout.columns * forge_quotient_up(a->height, a->tile_height);
  layout.chunk = forge_larger(1, forge_smaller(a->chunk, layout.tiles));
  layout.chunks = forge_quotient_up(layout.tiles, layout.chunk);
  layout.points = (int64_t)forge_winograd_alpha(a->tile_height, a->kernel_height, a->stride) *
    forge_winograd_alpha(a->tile_width, a->kernel_width, a->stride);
  layout.phases = a->stride == 2 ? 4 : 1;
  /* An odd number of cache lines between points: see vector/winograd.h. */
  const int64_t vectors = a->panel_width / FORGE_LANES;
  layout.transformed_point =
    (layout.phases * forge_blocks(a->in.channels) * layout.chunk | 1) * FORGE_LANES;
  layout.products_point = (vectors * layout.chunk | 1) * FORGE_LANES;
  layout.transformed_floats = layout.points * layout.transformed_point;
  layout.products_floats = layout.points * layout.products_point;
  return layout;
}

int32_t forge_has_winograd(int32_t tile_height, int32_t kernel_height, int32_t tile_width,
                           int32_t kernel_width, int32_t stride, int32_t pooled) {
  if (stride == 2)
    return !pooled && kernel_height == 3 && kernel_width == 3 && tile_height == tile_width &&
      (tile_height == 3 || tile_height == 4);
  if (tile_height == 5 && tile_width == 4)
    return !pooled && kernel_height == 3 && kernel_width == 3;
  if (tile_height == tile_width && kernel_height == kernel_width) {
    const int32_t n = tile_height;
    if (kernel_height == 3) return n == 2 || n == 4 || n == 6 || ((n == 3 || n == 5) && !pooled);
    return kernel_height == 5 && (n == 2 || n == 4);
  }
  if (pooled || (tile_height == 1) == (tile_width == 1) ||
      (tile_height == 1) != (kernel_height == 1) || (tile_width == 1) != (kernel_width == 1))
    return false;
  const int32_t n = tile_height * tile_width, r = kernel_height * kernel_width;
  return (r == 3 || r == 7) && (n == 2 || n == 4 || n == 6);
}

/* ---- weights ---- */

/* Writes the matrix G, [alpha][r], which is 1 if r is 1. */
static void filter_matrix(int32_t n, int32_t r, double g[FORGE_MOST_POINTS][FORGE_MOST_POINTS]) {
  const int32_t alpha = n + r - 1;
  if (r == 1) {
    g[0][0] = 1;
    return;
  }
  const forge_winograd_axis *axis = &forge_winograd_axes[alpha];
  double points[FORGE_MOST_POINTS] = {0}; /* all but infinity */
  for (int32_t k = 0; k < axis->pairs; k++) {
    points[1 + 2 * k] = axis->point[k];
    points[2 + 2 * k] = -axis->point[k];
  }
  if (alpha == 5) points[3] = 2;
  const int32_t finite = forge_winograd_has_infinity(alpha) ? alpha - 1 : alpha;
  for (int32_t i = 0; i < finite; i++) {
    double scale = 1, power = 1;
    for (int32_t j = 0; j < finite; j++)
      if (j != i) scale *= points[i] - points[j];
    for (int32_t k = 0; k < r; k++, power *= points[i]) g[i][k] = power / scale;
  }
  for (int32_t k = 0; k < r && finite < alpha; k++) g[alpha - 1][k] = k == r - 1;
}

int64_t forge_winograd_units(int32_t tile_height, int32_t kernel_height, int32_t tile_width,
                             int32_t kernel_width, int32_t stride) {
  const int64_t alpha_y = forge_winograd_alpha(tile_height, kernel_height, stride);
  const int64_t alpha_x = forge_winograd_alpha(tile_width, kernel_width, stride);
  return stride == 2 ? (2 * alpha_y - 1) * (2 * alpha_x - 1) : alpha_y * alpha_x;
}

typedef struct {
  const float *weights;
  float *packed;
  int64_t outputs, inputs, panel_width, units;
  int32_t kernel_height, kernel_width, phases, taps_y, taps_x, alpha_y, alpha_x;
  double g_y[FORGE_MOST_POINTS][FORGE_MOST_POINTS], g_x[FORGE_MOST_POINTS][FORGE_MOST_POINTS];
} winograd_packing;

/* Applies G along y to the taps of one phase: [point of y][tap along x]. With stride 2 a phase has
 * every other tap along each axis; taps past the end are zero. */
FORGE_INLINE void half_transform(const winograd_packing *a, const d16 *tap, int32_t phase,
                                 d16 half[FORGE_MOST_POINTS][FORGE_MOST_POINTS]) {
  const int32_t stride = a->phases == 4 ? 2 : 1;
  for (int32_t i = 0; i < a->alpha_y; i++) {
    for (int32_t kx = 0; kx < a->taps_x; kx++) {
      const int32_t column = kx * stride + phase % 2;
      d16 sum = {0};
      for (int32_t ky = 0; ky < a->taps_y && column < a->kernel_width; ky++) {
        const int32_t row = ky * stride + phase / 2;
        if (row < a->kernel_height) sum += a->g_y[i][ky] * tap[row * a->kernel_width + column];
      }
      half[i][kx] = sum;
    }
  }
}

/* Packs all units of 16 outputs and one input. `packed` points to the first. */
FORGE_INLINE void pack_winograd_input(const winograd_packing *a, int64_t output, int64_t input,
                                      float *packed, int64_t unit_floats) {
  const int64_t taps = (int64_t)a->kernel_height * a->kernel_width;
  const int64_t points = (int64_t)a->alpha_y * a->alpha_x;
  const int64_t count = forge_smaller(FORGE_LANES, a->outputs - output);
  const float *weights = a->weights + output * taps * a->inputs + input;
  d16 gathered[FORGE_MOST_POINTS * FORGE_MOST_POINTS];
  for (int64_t tap = 0; tap < taps; tap++) {
    double lanes[FORGE_LANES] = {0};
    for (int64_t i = 0; i < count; i++) lanes[i] = weights[(i * taps + tap) * a->inputs];
    memcpy(&gathered[tap], lanes, sizeof lanes);
  }
  d16 half[4][FORGE_MOST_POINTS][FORGE_MOST_POINTS];
  for (int32_t phase = 0; phase < a->phases; phase++)
    half_transform(a, gathered, phase, half[phase]);
  for (int64_t point = 0; point < points; point++) {
    const int64_t y = point / a->alpha_x, x = point % a->alpha_x;
    for (int32_t phase = 0; phase < a->phases; phase++) {
      if (!forge_winograd_uses(phase, y, a->alpha_y, x, a->alpha_x)) continue;
      d16 sum = {0};
      for (int32_t kx = 0; kx < a->taps_x; kx++) sum += a->g_x[x][kx] * half[phase][y][kx];
      *(f16 *)packed = __builtin_convertvector(sum, f16);
      packed += unit_floats;
    }
  }
}

/* A tile is a block of 16 inputs of one panel. */
FORGE_INLINE void pack_winograd_tile(const void *arguments, int64_t tile) {
  const winograd_packing *a = arguments;
  const int64_t blocks = forge_blocks(a->inputs), width = a->panel_width;
  const int64_t panel = tile / blocks, start = tile % blocks * FORGE_LANES;
  const int64_t unit_floats = blocks * FORGE_LANES * width;
  float *packed = a->packed + panel * a->units * unit_floats + start * width;
  const int64_t count = forge_smaller(FORGE_LANES, a->inputs - start);
  const int64_t columns = forge_smaller(width, a->outputs - panel * width);
  const int64_t filled = forge_blocks(columns) * FORGE_LANES;
  if (count < FORGE_LANES || filled < width)
    for (int64_t unit = 0; unit < a->units; unit++)
      memset(packed + unit * unit_floats, 0, (size_t)(FORGE_LANES * width) * sizeof(float));
  for (int64_t column = 0; column < filled; column += FORGE_LANES)
    for (int64_t input = 0; input < count; input++)
      pack_winograd_input(a, panel * width + column, start + input, packed + input * width + column,
                          unit_floats);
}

FORGE_PACKING(pack_winograd_tile)

void forge_pack_winograd(const float *weights, float *packed, int64_t outputs, int64_t inputs,
                         int32_t tile_height, int32_t kernel_height, int32_t tile_width,
                         int32_t kernel_width, int32_t stride, int64_t panel_width,
                         int32_t threads) {
  winograd_packing arguments = {
    .weights = weights,
    .packed = packed,
    .outputs = outputs,
    .inputs = inputs,
    .panel_width = panel_width,
    .units = forge_winograd_units(tile_height, kernel_height, tile_width, kernel_width, stride),
    .kernel_height = kernel_height,
    .kernel_width = kernel_width,
    .phases = stride == 2 ? 4 : 1,
    .taps_y = forge_winograd_taps(kernel_height, stride),
    .taps_x = forge_winograd_taps(kernel_width, stride),
    .alpha_y = forge_winograd_alpha(tile_height, kernel_height, stride),
    .alpha_x = forge_winograd_alpha(tile_width, kernel_width, stride)};
  filter_matrix(tile_height, arguments.taps_y, arguments.g_y);
  filter_matrix(tile_width, arguments.taps_x, arguments.g_x);
  const int64_t tiles = forge_quotient_up(outputs, panel_width) * forge_blocks(inputs);
  forge_deal(best_pack_winograd_tile(), &arguments, tiles,
             tiles * FORGE_LANES * arguments.units * panel_width * (int64_t)sizeof(float), threads);
}
