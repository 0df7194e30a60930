/* Pointwise convolutions by Strassen's algorithm, one number at a time: see ../vector/strassen.h. */
#include "../strassen.h"

#pragma STDC FP_CONTRACT OFF

/* The left side of a product of the one above, or the image. */
typedef struct left_side {
  const struct left_side *above; /* NULL: the image */
  int64_t product;
  forge_strassen_side image; /* of a product: rows and blocks only */
} left_side;

static left_side left_of(const left_side *above, int64_t product) {
  const forge_strassen_side *side = &above->image;
  const bool is_sum = product != 0 && product != 2 && product != 6;
  return (left_side){
    above,
    product,
    {.blocks = side->blocks / 2,
     .rows = forge_strassen_rows(side, product),
     .scales = is_sum || !side->scales ? NULL : forge_strassen_scales(side, product != 0, 0),
     .scales_block = 2 * side->scales_block}};
}

static float number(const left_side *side, int64_t row, int64_t block, int64_t lane);

/* One number as it is added to others. */
static float scaled(const left_side *side, int64_t row, int64_t block, int64_t lane) {
  const forge_strassen_side *s = &side->image;
  return number(side, row, block, lane) * (s->scales ? s->scales[block * s->scales_block + lane] : 1);
}

/* One number; zero past the last row. */
static float number(const left_side *side, int64_t row, int64_t block, int64_t lane) {
  if (row >= side->image.rows) return 0;
  const left_side *above = side->above;
  if (!above) return side->image.at[block * side->image.block + row * FORGE_LANES + lane];
  const int64_t below = row + forge_upper_half(above->image.rows);
  switch (side->product) {
    case 0: return number(above, row, 2 * block, lane);
    case 2: return number(above, row, 2 * block + 1, lane);
    case 6: return number(above, below, 2 * block + 1, lane);
  }
  const float a11 = scaled(above, row, 2 * block, lane);
  const float a12 = scaled(above, row, 2 * block + 1, lane);
  const float a21 = scaled(above, below, 2 * block, lane);
  const float a22 = scaled(above, below, 2 * block + 1, lane);
  const float s1 = a21 + a22, s2 = s1 - a11;
  switch (side->product) {
    case 1: return s2;
    case 3: return a11 - a21;
    case 4: return s1;
    default: return a12 - s2;
  }
}

/* A row and column of left B, by as many levels as are still to come, B being the packed weights of a
 * product or the first of those of 7 or 49. `column` is a lane of a block of all parts. */
static float product(const forge_strassen_arguments *a, int32_t levels, const left_side *left,
                     const float *weights, int64_t row, int64_t column) {
  if (row >= left->image.rows) return 0;
  float sum = 0;
  if (levels == 0) {
    for (int64_t c = 0; c < left->image.blocks * FORGE_LANES; c++)
      sum += number(left, row, c / FORGE_LANES, c % FORGE_LANES) *
             weights[c * a->panel_width + column];
    return sum;
  }
  const int64_t upper = forge_upper_half(left->image.rows), block = column / FORGE_LANES;
  const bool lower = row >= upper, odd = block % 2 == 1;
  /* Which of the seven each quarter of the result is the sum of. */
  static const int8_t sums_of[2][2][5] = {{{0, 2, -1}, {0, 1, 4, 5, -1}},
                                          {{0, 1, 3, 6, -1}, {0, 1, 3, 4, -1}}};
  const int64_t product_floats = forge_strassen_products(levels - 1) *
                                 (a->in.channels >> a->levels) * a->panel_width;
  for (const int8_t *i = sums_of[lower][odd]; *i >= 0; i++) {
    const left_side side = left_of(left, *i);
    sum += product(a, levels - 1, &side, weights + *i * product_floats, lower ? row - upper : row,
                   block / 2 * FORGE_LANES + column % FORGE_LANES);
  }
  return sum;
}

/* A channel of a pixel of the image. */
static void store(const forge_strassen_arguments *a, const forge_frame *frame, int64_t pixel,
                  int64_t channel, float sum) {
  const forge_epilogue *e = &a->epilogue;
  const int64_t block = channel / FORGE_LANES, lane = channel % FORGE_LANES;
  const int64_t y = pixel / a->out.width, x = pixel % a->out.width;
  if (a->output_scales) sum *= a->output_scales[channel];
  sum += a->bias[channel];
  if (e->has_residual) sum += forge_row(&e->residual, frame, block, y)[x * FORGE_LANES + lane];
  forge_row(&a->out, frame, block, y)[x * FORGE_LANES + lane] =
    forge_activate_scalar(sum, e->activation);
}

void forge_strassen_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                           int64_t last) {
  const forge_strassen_arguments *a = arguments;
  const int64_t columns = (int64_t)a->panel_width << a->levels, panels = forge_strassen_panels(a);
  const int64_t panel_floats = forge_strassen_products(a->levels) *
                               (a->in.channels >> a->levels) * a->panel_width;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t segment = tile / panels, panel = tile % panels;
    const left_side image = {NULL, 0, forge_strassen_image(a, frame, segment)};
    for (int64_t column = 0; column < columns; column++) {
      const int64_t channel = panel * columns + column;
      if (channel >= a->out.channels) continue;
      for (int64_t row = 0; row < image.image.rows; row++)
        store(a, frame, forge_strassen_first(a, segment) + row, channel,
              product(a, a->levels, &image, a->weights + panel * panel_floats, row, column));
    }
  }
}
