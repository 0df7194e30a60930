/* Winograd's convolutions by their matrices, one number at a time: see ../winograd.h. */
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

typedef double matrix[FORGE_MOST_POINTS][FORGE_MOST_POINTS];

/* B^T: [alpha][alpha]. Row i: the coefficients of the product of x - p over the points but i. */
static void input_matrix(int32_t alpha, matrix b) {
  memset(b, 0, sizeof(matrix));
  if (alpha == 1) {
    b[0][0] = 1;
    return;
  }
  double points[FORGE_MOST_POINTS];
  forge_winograd_points(alpha, points);
  for (int32_t i = 0; i < alpha; i++) {
    int32_t degree = 0;
    b[i][0] = 1;
    for (int32_t j = 0; j < alpha - 1; j++) {
      if (j == i) continue;
      degree++;
      for (int32_t k = degree; k >= 0; k--)
        b[i][k] = (k > 0 ? b[i][k - 1] : 0) - points[j] * b[i][k];
    }
  }
}

/* A^T: [n][alpha]. */
static void output_matrix(int32_t n, int32_t alpha, matrix a) {
  memset(a, 0, sizeof(matrix));
  if (alpha == 1) {
    a[0][0] = 1;
    return;
  }
  double points[FORGE_MOST_POINTS];
  forge_winograd_points(alpha, points);
  for (int32_t j = 0; j < alpha - 1; j++) {
    double power = 1;
    for (int32_t i = 0; i < n; i++, power *= points[j]) a[i][j] = power;
  }
  a[n - 1][alpha - 1] = 1;
}

/* out = left m right^T, where m is [columns of left][columns of right]. */
static void transform(matrix left, int32_t rows, int32_t inner_y, matrix right, int32_t columns,
                      int32_t inner_x, const matrix m, matrix out) {
  for (int32_t i = 0; i < rows; i++) {
    for (int32_t j = 0; j < columns; j++) {
      out[i][j] = 0;
      for (int32_t y = 0; y < inner_y; y++)
        for (int32_t x = 0; x < inner_x; x++) out[i][j] += left[i][y] * m[y][x] * right[j][x];
    }
  }
}

/* One channel of one phase of one tile: its points to `to`, `point` floats apart. */
static void tile_in(const forge_winograd_arguments *a, const forge_frame *frame, int64_t channel,
                    int64_t phase, int64_t tile, const forge_winograd_layout *layout, float *to) {
  const int32_t alpha_y = forge_winograd_alpha(a->tile_height, a->kernel_height, a->stride);
  const int32_t alpha_x = forge_winograd_alpha(a->tile_width, a->kernel_width, a->stride);
  const int64_t stride = a->stride == 2 ? 2 : 1;
  const int64_t top = tile / layout->columns * a->tile_height * stride - a->pad_top + phase / 2;
  const int64_t left = tile % layout->columns * a->tile_width * stride - a->pad_left + phase % 2;
  matrix b_y, b_x, patch, made;
  input_matrix(alpha_y, b_y);
  input_matrix(alpha_x, b_x);
  for (int64_t y = 0; y < alpha_y; y++) {
    for (int64_t x = 0; x < alpha_x; x++) {
      const int64_t row = top + y * stride, column = left + x * stride;
      const bool inside = row >= 0 && row < a->in.height && column >= 0 && column < a->in.width &&
                          channel < a->in.channels;
      patch[y][x] = inside ? forge_row(&a->in, frame, channel / FORGE_LANES,
                                       row)[column * FORGE_LANES + channel % FORGE_LANES]
                           : 0;
    }
  }
  transform(b_y, alpha_y, alpha_y, b_x, alpha_x, alpha_x, patch, made);
  for (int32_t y = 0; y < alpha_y; y++)
    for (int32_t x = 0; x < alpha_x; x++)
      to[(y * alpha_x + x) * layout->transformed_point] = (float)made[y][x];
}

/* The sum over the input channels, and phases, of one point of one tile. */
static float product(const forge_winograd_arguments *a, const forge_winograd_layout *layout,
                     const float *transformed, int64_t tile, int64_t y, int64_t x, int64_t output) {
  const int64_t blocks = forge_blocks(a->in.channels), padded = blocks * FORGE_LANES;
  const int32_t alpha_y = forge_winograd_alpha(a->tile_height, a->kernel_height, a->stride);
  const int32_t alpha_x = forge_winograd_alpha(a->tile_width, a->kernel_width, a->stride);
  const int64_t units = forge_winograd_units(a->tile_height, a->kernel_height, a->tile_width,
                                             a->kernel_width, a->stride);
  int64_t unit = 0;
  for (int64_t point = 0; point < y * alpha_x + x; point++)
    for (int64_t phase = 0; phase < layout->phases; phase++)
      unit += forge_winograd_uses(phase, point / alpha_x, alpha_y, point % alpha_x, alpha_x);
  float sum = 0;
  for (int64_t phase = 0; phase < layout->phases; phase++) {
    if (!forge_winograd_uses(phase, y, alpha_y, x, alpha_x)) continue;
    const float *weights =
      a->weights + (output / a->panel_width * units + unit) * padded * a->panel_width +
      output % a->panel_width;
    const float *from = transformed + (y * alpha_x + x) * layout->transformed_point +
                        (phase * blocks * layout->chunk + tile) * FORGE_LANES;
    for (int64_t c = 0; c < a->in.channels; c++)
      sum += from[c / FORGE_LANES * layout->chunk * FORGE_LANES + c % FORGE_LANES] *
             weights[c * a->panel_width];
    unit++;
  }
  return sum;
}

/* One channel of one tile of the output. `tile` counts within the chunk that starts at `start`. */
static void tile_out(const forge_winograd_arguments *a, const forge_frame *frame, int64_t output,
                     int64_t start, int64_t tile, const forge_winograd_layout *layout,
                     const float *transformed) {
  const forge_epilogue *e = &a->epilogue;
  const int32_t alpha_y = forge_winograd_alpha(a->tile_height, a->kernel_height, a->stride);
  const int32_t alpha_x = forge_winograd_alpha(a->tile_width, a->kernel_width, a->stride);
  const int64_t top = (start + tile) / layout->columns * a->tile_height;
  const int64_t left = (start + tile) % layout->columns * a->tile_width;
  const int64_t block = output / FORGE_LANES, lane = output % FORGE_LANES;
  matrix a_y, a_x, products, sums;
  output_matrix(a->tile_height, alpha_y, a_y);
  output_matrix(a->tile_width, alpha_x, a_x);
  for (int32_t y = 0; y < alpha_y; y++)
    for (int32_t x = 0; x < alpha_x; x++)
      products[y][x] = output < a->out.channels
                         ? product(a, layout, transformed, tile, y, x, output)
                         : 0;
  transform(a_y, a->tile_height, alpha_y, a_x, a->tile_width, alpha_x, products, sums);
  const int32_t step = a->pooled ? 2 : 1;
  for (int32_t y = 0; y < a->tile_height; y += step) {
    for (int32_t x = 0; x < a->tile_width; x += step) {
      const int64_t out_y = (top + y) / step, out_x = (left + x) / step;
      if (out_y >= a->out.height || out_x >= a->out.width) continue;
      float value = -INFINITY;
      for (int32_t dy = 0; dy < step && top + y + dy < a->height; dy++) {
        for (int32_t dx = 0; dx < step && left + x + dx < a->width; dx++) {
          const float sum = (float)sums[y + dy][x + dx] + (output < a->out.channels ? a->bias[output] : 0);
          value = sum > value || sum != sum ? sum : value;
        }
      }
      if (e->has_residual)
        value += forge_row(&e->residual, frame, block, out_y)[out_x * FORGE_LANES + lane];
      forge_row(&a->out, frame, block, out_y)[out_x * FORGE_LANES + lane] =
        output < a->out.channels ? forge_activate_scalar(value, e->activation) : 0;
    }
  }
}

/* `block` counts the blocks of all phases. */
static void chunk_in(const forge_winograd_arguments *a, const forge_frame *frame, int64_t start,
                     int64_t block, const forge_winograd_layout *layout, float *transformed) {
  const int64_t count = forge_smaller(layout->chunk, layout->tiles - start);
  const int64_t blocks = forge_blocks(a->in.channels);
  for (int64_t tile = 0; tile < count; tile++)
    for (int64_t lane = 0; lane < FORGE_LANES; lane++)
      tile_in(a, frame, block % blocks * FORGE_LANES + lane, block / blocks, start + tile, layout,
              transformed + (block * layout->chunk + tile) * FORGE_LANES + lane);
}

static void chunk_out(const forge_winograd_arguments *a, const forge_frame *frame, int64_t start,
                      int64_t panel, const forge_winograd_layout *layout,
                      const float *transformed) {
  const int64_t count = forge_smaller(layout->chunk, layout->tiles - start);
  const int64_t end = forge_smaller((panel + 1) * a->panel_width,
                                    forge_blocks(a->out.channels) * FORGE_LANES);
  for (int64_t output = panel * a->panel_width; output < end; output++)
    for (int64_t tile = 0; tile < count; tile++)
      tile_out(a, frame, output, start, tile, layout, transformed);
}

void forge_winograd_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                           int64_t last) {
  const forge_winograd_arguments *a = arguments;
  const forge_winograd_layout layout = forge_winograd_layout_of(a);
  const int64_t panels = (a->out.channels + a->panel_width - 1) / a->panel_width;
  float *transformed =
    forge_origin(&a->transformed, frame) + frame->worker * a->transformed_worker;
  for (int64_t chunk = first; chunk < last; chunk++) {
    for (int64_t block = 0; block < layout.phases * forge_blocks(a->in.channels); block++)
      chunk_in(a, frame, chunk * layout.chunk, block, &layout, transformed);
    for (int64_t panel = 0; panel < panels; panel++)
      chunk_out(a, frame, chunk * layout.chunk, panel, &layout, transformed);
  }
}

void forge_winograd_input_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                                 int64_t last) {
  const forge_winograd_arguments *a = arguments;
  const forge_winograd_layout layout = forge_winograd_layout_of(a);
  const int64_t blocks = layout.phases * forge_blocks(a->in.channels);
  for (int64_t tile = first; tile < last; tile++)
    chunk_in(a, frame, tile / blocks * layout.chunk, tile % blocks, &layout,
             forge_origin(&a->transformed, frame) + tile / blocks * layout.transformed_floats);
}

void forge_winograd_output_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                                  int64_t last) {
  const forge_winograd_arguments *a = arguments;
  const forge_winograd_layout layout = forge_winograd_layout_of(a);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t panel = tile / layout.chunks, chunk = tile % layout.chunks;
    chunk_out(a, frame, chunk * layout.chunk, panel, &layout,
              forge_origin(&a->transformed, frame) + chunk * layout.transformed_floats);
  }
}
