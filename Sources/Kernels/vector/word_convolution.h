/* Convolution of words (pairs of bf16, quads of int8): the micro-kernel of convolution.h with words
 * in place of input channels.
 *
 * A convolution_row counts its input in words, its whole_blocks in groups of FORGE_GROUP words. Its
 * further fields are
 *   scales, totals           of the output channels
 *   ranges, range_step       conversions of the input's bytes, and from one pixel's to the next:
 *                            0 if the image has one
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

typedef v16 (*word_begin)(const convolution_row *row, int64_t vector, int64_t x);
typedef v16 (*word_end)(const convolution_row *row, int64_t vector, int64_t x, v16 sum);

/* Pixels x ..< x + rows: see convolve_tile. All but the first two arguments are constants. */
FORGE_INLINE void word_tile(const convolution_row *row, int64_t x, const int rows,
                            const int vectors, const window_kind windows, const int words,
                            const word_begin begin, const sum_product add, const word_end end) {
  const int64_t pixel = windows == FORGE_STRIDED ? row->pixel : words;
  const int64_t kernel_height = windows == FORGE_POINTWISE ? 1 : row->kernel_height;
  const int64_t kernel_width = windows == FORGE_POINTWISE ? 1 : row->kernel_width;
  const int panel_width = vectors * FORGE_LANES;
  const float *weights = row->weights, *next = row->next;
  const int64_t next_lines = row->next_lines;
  sums sum;
#pragma clang loop unroll(full)
  for (int v = 0; v < vectors; v++) {
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++) sum[r][v] = begin(row, v, x + r);
  }
  for (int64_t ky = 0; ky < kernel_height; ky++) {
    for (int64_t kx = 0; kx < kernel_width; kx++) {
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
    for (int r = 0; r < rows; r++) sum[r][v] = end(row, v, x + r, sum[r][v]);
  finish_words(row, sum, x, rows, vectors);
}

/* Defines the tiles of a precision, whose functions are <name>_begin, <name>_add and <name>_end. */
#define FORGE_WORD_TILES(name, words)                                                           \
  FORGE_INLINE void name##_tile(const convolution_row *row, int64_t x, int64_t vector,          \
                                const int rows, const int vectors, const window_kind windows) { \
    (void)vector;                                                                               \
    word_tile(row, x, rows, vectors, windows, words, name##_begin, name##_add, name##_end);     \
  }                                                                                             \
  FORGE_TILE_TABLE(name)

/* words: of 16 channels; tiles: by number of vectors, from 1. */
static void convolve_words(const forge_convolution_arguments *a, const forge_frame *frame,
                           int64_t first, int64_t last, const int64_t words,
                           const convolution_tiles *tiles) {
  convolution_row row = row_of(a, words);
  row.whole_blocks *= words / FORGE_GROUP;
  row.rest = forge_quotient_up(row.rest, FORGE_LANES / words);
  row.out_width = a->out.width;
  row.out_skip = a->out.row_stride - (int64_t)a->out.width * FORGE_LANES;
  row.residual_skip = a->epilogue.residual.row_stride - (int64_t)a->out.width * FORGE_LANES;
  if (words == FORGE_QUAD_WORDS) {
    row.ranges = forge_range_of(&a->range, frame);
    row.range_step = a->flat;
  }
  convolve_image(a, frame, first, last, row, tiles, words, 1);
}
