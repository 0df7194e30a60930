/* Convolution of words (pairs of bf16, quads of int8): convolution.h's micro-kernel with words in
 * place of input channels. What the precisions share; word_tiles.h, included by each, has the
 * tiles. */

/* One row of output of one panel, as its tiles see it. Distances in words and floats. With `flat`
 * it is all pixels of the image, which has gaps between its rows. */
typedef struct {
  const float *in;      /* the first pixel of the row's first window */
  const float *weights; /* [ky][kx][words][panel_width] */
  const float *bias, *scales;
  const int32_t *totals;
  float scale; /* of the input's bytes */
  uint32_t zero;
  float *out;            /* pixel 0 of the panel's first block */
  const float *residual; /* likewise, or NULL */
  int64_t tap_row, tap_column, pixel, in_block, out_block, residual_block;
  int64_t out_width;               /* pixels of a row of the image */
  int64_t out_skip, residual_skip; /* with `flat`, from the end of a row to the next one's begin */
  int64_t kernel_height, kernel_width;
  int64_t groups, rest; /* input words: groups of FORGE_GROUP, and those of the partial block */
  int64_t channels;     /* output channels from the panel's first on; more than it holds, maybe */
  int64_t panel_width;
  finish end;
  const float *next;  /* weights to fetch meanwhile: see fetch in convolution.h */
  int64_t next_lines; /* lines of them per group */
} word_row;

/* Words that are gone through at once. */
enum { FORGE_GROUP = 4 };

typedef void (*word_tile)(const word_row *row, int64_t x);

/* Functions for 1 ... most_rows pixels of one number of vectors. */
typedef struct {
  int64_t most_rows;
  word_tile adjacent[FORGE_MOST_ROWS], strided[FORGE_MOST_ROWS];
} word_tiles;

/* Stores the sums of pixels x ..< x + rows. */
FORGE_INLINE void finish_words(const word_row *row, sums sum, int64_t x, const int rows,
                               const int vectors) {
  const v16 low = splat(row->end.low), high = splat(row->end.high);
  /* Where each pixel lies: a tile may go over the end of a row. */
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
    /* The last panel may reach past the last block: nothing is stored there. */
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

/* Cuts pixels first ..< last into tiles of nearly equal size; fetches `next` meanwhile. */
static void convolve_word_row(word_row *row, int64_t first, int64_t last, const word_tiles *tiles,
                              const int64_t words, const float *next, int64_t lines) {
  const int64_t width = last - first;
  const word_tile *functions = row->pixel == words ? tiles->adjacent : tiles->strided;
  const int64_t count = (width + tiles->most_rows - 1) / tiles->most_rows;
  const int64_t groups = count * row->kernel_height * row->kernel_width * row->groups;
  /* A single tile takes its weights as fast as they come: nothing can be fetched beside them. */
  row->next_lines =
    next && groups > 0 && count > 1 ? forge_smaller((lines + groups - 1) / groups, 8) : 0;
  for (int64_t tile = 0, x = first; tile < count; tile++) {
    const int64_t end = first + width * (tile + 1) / count;
    row->next = next ? next + lines * tile / count * FORGE_LANES : NULL;
    functions[end - x - 1](row, x);
    x = end;
  }
}

/* words: of 16 channels; tiles: by number of vectors, from 1. */
static void convolve_words(const forge_reduced_convolution_arguments *a, const forge_frame *frame,
                           int64_t first, int64_t last, const int64_t words,
                           const word_tiles *tiles) {
  const forge_epilogue *e = &a->epilogue;
  const int64_t inputs = a->in.channels, vectors = a->panel_width / FORGE_LANES;
  const int64_t per_word = FORGE_LANES / words;
  const int64_t panel_words =
    (int64_t)a->kernel_height * a->kernel_width * forge_blocks(inputs) * words * a->panel_width;
  const int64_t width = a->flat ? (int64_t)a->out.width * a->out.height : a->out.width;
  word_row row = {
    .tap_row = a->dilation_y * a->in.row_stride,
    .tap_column = a->dilation_x * words,
    .pixel = a->stride_x * words,
    .in_block = a->in.block_stride,
    .out_block = a->out.block_stride,
    .residual_block = e->residual.block_stride,
    .out_width = a->out.width,
    .out_skip = a->out.row_stride - (int64_t)a->out.width * FORGE_LANES,
    .residual_skip = e->residual.row_stride - (int64_t)a->out.width * FORGE_LANES,
    .kernel_height = a->kernel_height,
    .kernel_width = a->kernel_width,
    .groups = inputs / FORGE_LANES * (words / FORGE_GROUP),
    .rest = (inputs % FORGE_LANES + per_word - 1) / per_word,
    .panel_width = a->panel_width,
    .end = finish_of(&e->activation),
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
    /* Each part of the image fetches its share of the panel after this one, or of the next step's.
     */
    const bool more = row.channels > a->panel_width;
    const float *next = more ? row.weights + panel_words : a->next;
    const int64_t lines = (more ? panel_words : a->next_floats) / FORGE_LANES;
    const int64_t begin = lines * part / parts, end = lines * (part + 1) / parts;
    convolve_word_row(&row, width * segment / segments, width * (segment + 1) / segments,
                      &tiles[vectors - 1], words, next ? next + begin * FORGE_LANES : NULL,
                      end - begin);
  }
}
