/* Convolution of words (pairs of bf16, quads of int8): the micro-kernel of convolution.h with words
 * in place of input channels.
 *
 * A convolution_row counts its input in words, its whole_blocks in groups of FORGE_GROUP words. Its
 * further fields are
 *   scales, totals           of the output channels
 *   scale, zero              of the input's bytes
 *   out_width                pixels of a row of the image
 *   out_skip, residual_skip  with `flat`, floats between the end of a row and the next row */

/* The words between two prefetches. */
enum { FORGE_GROUP = 4 };

/* Stores the sums of pixels x ..< x + rows. */
FORGE_INLINE void finish_words(const convolution_row *row, sums sum, int64_t x, const int rows,
                               const int vectors) {
  const v16 low = splat(row->end.low), high = splat(row->end.high);
  /* The place of each pixel. A tile may pass the end of a row. */
  int64_t out[FORGE_MOST_ROWS], residual[FORGE_MOST_ROWS];
  int64_t y = x / row->out_width, column = x % row->out_width;
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    out[r] = (x + r) * FORGE_LANES + y * row->out_skip;
    residual[r] = (x + r) * FORGE_LANES + y * row->residual_skip;
    const bool last = ++column == row->out_width;
    y += last;
    column = last ? 0 : column;
  }
#pragma clang loop unroll(full)
  for (int v = 0; v < vectors; v++) {
    /* The last panel may reach past the last block. Nothing is stored there. */
    if (v * FORGE_LANES >= row->channels) break;
    const v16i mask = first_lanes(row->channels - v * FORGE_LANES);
    if (row->residual) {
#pragma clang loop unroll(full)
      for (int r = 0; r < rows; r++)
        sum[r][v] += load(row->residual + v * row->residual_block + residual[r]);
    }
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++)
      store(row->out + v * row->out_block + out[r], keep(mask, clamp(sum[r][v], low, high)));
  }
  if (row->end.further) {
    for (int v = 0; v < vectors && v * FORGE_LANES < row->channels; v++)
      for (int r = 0; r < rows; r++) {
        float *at = row->out + v * row->out_block + out[r];
        activate(at, at, 1, row->channels - v * FORGE_LANES, row->end.further);
      }
  }
}

typedef v16 (*word_begin)(const convolution_row *row, int64_t vector);
typedef v16 (*word_end)(const convolution_row *row, int64_t vector, v16 sum);

/* Pixels x ..< x + rows: see convolve_tile. All but the first two arguments are constants. */
FORGE_INLINE void word_tile(const convolution_row *row, int64_t x, const int rows,
                            const int vectors, const bool adjacent, const int words,
                            const word_begin begin, const sum_product add, const word_end end) {
  const int64_t pixel = adjacent ? words : row->pixel;
  const int panel_width = vectors * FORGE_LANES;
  const float *weights = row->weights, *next = row->next;
  const int64_t next_lines = row->next_lines;
  sums sum;
#pragma clang loop unroll(full)
  for (int v = 0; v < vectors; v++) {
    const v16 first = begin(row, v);
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++) sum[r][v] = first;
  }
  for (int64_t ky = 0; ky < row->kernel_height; ky++) {
    for (int64_t kx = 0; kx < row->kernel_width; kx++) {
      const float *at = row->in + x * pixel + ky * row->tap_row + kx * row->tap_column;
      for (int64_t group = 0; group < row->whole_blocks; group++) {
        fetch(next, next_lines);
        next += next_lines * FORGE_LANES;
        /* Unrolled, the compiler would load several words ahead and spill sums. */
#pragma clang loop unroll(disable)
        for (int word = 0; word < FORGE_GROUP; word++, at++, weights += panel_width)
          add_numbers(sum, at, pixel, weights, rows, vectors, add);
        /* From the last group of a block to the next block. */
        if (words == FORGE_GROUP || group % 2) at += row->in_block - words;
      }
      /* Words of padded lanes alone add nothing. */
#pragma clang loop unroll(disable)
      for (int64_t word = 0; word < row->rest; word++)
        add_numbers(sum, at + word, pixel, weights + word * panel_width, rows, vectors, add);
      if (row->rest > 0) weights += words * panel_width;
    }
  }
#pragma clang loop unroll(full)
  for (int v = 0; v < vectors; v++)
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++) sum[r][v] = end(row, v, sum[r][v]);
  finish_words(row, sum, x, rows, vectors);
}

/* Defines the tiles of a precision, whose functions are <name>_begin, <name>_add and <name>_end. */
#define FORGE_WORD_TILES(name, words)                                                        \
  FORGE_INLINE void name##_tile(const convolution_row *row, int64_t x, int64_t vector,       \
                                const int rows, const int vectors, const bool adjacent) {    \
    (void)vector;                                                                            \
    word_tile(row, x, rows, vectors, adjacent, words, name##_begin, name##_add, name##_end); \
  }                                                                                          \
  FORGE_TILE_TABLE(name)

/* words: of 16 channels; tiles: by number of vectors, from 1. */
static void convolve_words(const forge_reduced_convolution_arguments *a, const forge_frame *frame,
                           int64_t first, int64_t last, const int64_t words,
                           const convolution_tiles *tiles) {
  const forge_epilogue *e = &a->epilogue;
  const int64_t inputs = a->in.channels, vectors = a->panel_width / FORGE_LANES;
  const int64_t per_word = FORGE_LANES / words;
  const int64_t panel_words =
    (int64_t)a->kernel_height * a->kernel_width * forge_blocks(inputs) * words * a->panel_width;
  const int64_t width = a->flat ? (int64_t)a->out.width * a->out.height : a->out.width;
  convolution_row row = {
    FORGE_ROW_OF(a, words),
    .whole_blocks = inputs / FORGE_LANES * (words / FORGE_GROUP),
    .rest = (inputs % FORGE_LANES + per_word - 1) / per_word,
    .out_width = a->out.width,
    .out_skip = a->out.row_stride - (int64_t)a->out.width * FORGE_LANES,
    .residual_skip = e->residual.row_stride - (int64_t)a->out.width * FORGE_LANES,
  };
  if (words == FORGE_QUAD_WORDS) {
    const int32_t *range = forge_range_of(&a->range, frame);
    memcpy(&row.scale, range, sizeof row.scale);
    row.zero = (uint32_t)range[1];
  }
  const int64_t segments = forge_larger(a->segments, 1), rows = a->flat ? 1 : a->out.height;
  const int64_t parts = rows * segments;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t panel = tile / parts, part = tile % parts;
    const int64_t y = part / segments, segment = part % segments;
    const int64_t block = panel * vectors, column = panel * a->panel_width;
    row.in = forge_row(&a->in, frame, 0, y * a->stride_y - a->pad_top) - a->pad_left * words;
    row.weights = (const float *)a->weights + panel * panel_words;
    row.bias = a->bias + column;
    if (words == FORGE_QUAD_WORDS) {
      row.scales = a->scales + column;
      row.totals = a->totals + column;
    }
    row.out = forge_row(&a->out, frame, block, y);
    row.residual = e->has_residual ? forge_row(&e->residual, frame, block, y) : NULL;
    row.channels = a->out.channels - column;
    /* Each part of the image prefetches its share of the next panel, or of the next step. */
    const bool more = row.channels > a->panel_width;
    const float *next = more ? row.weights + panel_words : a->next;
    const int64_t lines = (more ? panel_words : a->next_floats) / FORGE_LANES;
    const int64_t begin = lines * part / parts, end = lines * (part + 1) / parts;
    convolve_row_of(&row, width * segment / segments, width * (segment + 1) / segments,
                    next ? next + begin * FORGE_LANES : NULL, end - begin, tiles, words, 1);
  }
}
