/* What Winograd's convolutions share on every level: how an image is cut up, and the weights. */
#include "internal.h"

#pragma STDC FP_CONTRACT OFF

static int64_t rounded_up_quotient(int64_t a, int64_t b) { return (a + b - 1) / b; }

forge_winograd_layout forge_winograd_layout_of(const forge_winograd_arguments *a) {
  forge_winograd_layout layout;
  layout.columns = rounded_up_quotient(a->width, a->tile_width);
  layout.tiles = layout.columns * rounded_up_quotient(a->height, a->tile_height);
  layout.chunk = forge_larger(1, forge_smaller(a->chunk, layout.tiles));
  layout.chunks = rounded_up_quotient(layout.tiles, layout.chunk);
  layout.points = (int64_t)(a->tile_height + a->kernel_height - 1) *
                  (a->tile_width + a->kernel_width - 1);
  /* An odd number of cache lines between points: see vector/winograd.h. */
  const int64_t vectors = a->panel_width / FORGE_LANES;
  layout.transformed_point = (forge_blocks(a->in.channels) * layout.chunk | 1) * FORGE_LANES;
  layout.products_point = (vectors * layout.chunk | 1) * FORGE_LANES;
  layout.transformed_floats = layout.points * layout.transformed_point;
  layout.products_floats = layout.points * layout.products_point;
  return layout;
}

int32_t forge_has_winograd(int32_t tile_height, int32_t kernel_height, int32_t tile_width,
                           int32_t kernel_width, int32_t pooled) {
  if (tile_height == tile_width && kernel_height == kernel_width) {
    const int32_t n = tile_height;
    if (kernel_height == 3) return n == 2 || n == 4 || n == 6 || (n == 3 && !pooled);
    return kernel_height == 5 && (n == 2 || n == 4);
  }
  if (pooled || (tile_height == 1) == (tile_width == 1)) return false;
  if ((tile_height == 1) != (kernel_height == 1) || (tile_width == 1) != (kernel_width == 1))
    return false;
  const int32_t n = tile_height * tile_width, r = kernel_height * kernel_width;
  return (r == 7 && (n == 2 || n == 4)) || (r == 3 && (n == 2 || n == 4 || n == 6));
}

/* ---- weights ---- */

void forge_winograd_points(int32_t alpha, double *points) {
  const forge_winograd_axis *axis = &forge_winograd_axes[alpha];
  points[0] = 0;
  for (int32_t k = 0; k < axis->pairs; k++) {
    points[1 + 2 * k] = axis->point[k];
    points[2 + 2 * k] = -axis->point[k];
  }
  if (alpha == 5) points[3] = 2;
}

/* The matrix G: [alpha][r]. For r = 1 it is 1. */
static void filter_matrix(int32_t n, int32_t r, double g[FORGE_MOST_POINTS][FORGE_MOST_POINTS]) {
  const int32_t alpha = n + r - 1;
  if (r == 1) {
    g[0][0] = 1;
    return;
  }
  double points[FORGE_MOST_POINTS];
  forge_winograd_points(alpha, points);
  for (int32_t i = 0; i < alpha - 1; i++) {
    double scale = 1, power = 1;
    for (int32_t j = 0; j < alpha - 1; j++)
      if (j != i) scale *= points[i] - points[j];
    for (int32_t k = 0; k < r; k++, power *= points[i]) g[i][k] = power / scale;
  }
  for (int32_t k = 0; k < r; k++) g[alpha - 1][k] = k == r - 1;
}

/* Sixteen outputs of one input channel at a time. */
typedef double d16 __attribute__((vector_size(128)));
typedef float f16 __attribute__((vector_size(64), aligned(4), may_alias));

/* weights of 16 outputs (or `count`) and one input, tap by tap: [taps]. */
static void gather_taps(const float *weights, int64_t count, int64_t output_stride, int64_t taps,
                        int64_t tap_stride, d16 *gathered) {
  for (int64_t tap = 0; tap < taps; tap++) {
    double lanes[FORGE_LANES] = {0};
    for (int64_t i = 0; i < count; i++) lanes[i] = weights[i * output_stride + tap * tap_stride];
    memcpy(&gathered[tap], lanes, sizeof lanes);
  }
}

void forge_pack_winograd(const float *weights, float *packed, int64_t outputs, int64_t inputs,
                         int32_t tile_height, int32_t kernel_height, int32_t tile_width,
                         int32_t kernel_width, int64_t panel_width) {
  const int32_t alpha_y = tile_height + kernel_height - 1, alpha_x = tile_width + kernel_width - 1;
  const int64_t points = (int64_t)alpha_y * alpha_x, taps = (int64_t)kernel_height * kernel_width;
  const int64_t padded = forge_blocks(inputs) * FORGE_LANES;
  double g_y[FORGE_MOST_POINTS][FORGE_MOST_POINTS], g_x[FORGE_MOST_POINTS][FORGE_MOST_POINTS];
  filter_matrix(tile_height, kernel_height, g_y);
  filter_matrix(tile_width, kernel_width, g_x);
  memset(packed, 0,
         (size_t)(rounded_up_quotient(outputs, panel_width) * points * padded * panel_width) *
           sizeof(float));
  for (int64_t output = 0; output < outputs; output += FORGE_LANES) {
    float *panel = packed + output / panel_width * points * padded * panel_width +
                   output % panel_width;
    for (int64_t input = 0; input < inputs; input++) {
      d16 tap[FORGE_MOST_POINTS * FORGE_MOST_POINTS], half[FORGE_MOST_POINTS][FORGE_MOST_POINTS];
      gather_taps(weights + output * taps * inputs + input,
                  forge_smaller(FORGE_LANES, outputs - output), taps * inputs, taps, inputs, tap);
      for (int32_t i = 0; i < alpha_y; i++) {
        for (int32_t kx = 0; kx < kernel_width; kx++) {
          d16 sum = {0};
          for (int32_t ky = 0; ky < kernel_height; ky++)
            sum += g_y[i][ky] * tap[ky * kernel_width + kx];
          half[i][kx] = sum;
        }
      }
      for (int64_t point = 0; point < points; point++) {
        d16 sum = {0};
        for (int32_t kx = 0; kx < kernel_width; kx++)
          sum += g_x[point % alpha_x][kx] * half[point / alpha_x][kx];
        *(f16 *)(panel + (point * padded + input) * panel_width) =
          __builtin_convertvector(sum, f16);
      }
    }
  }
}
