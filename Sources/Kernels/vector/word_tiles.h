/* The tiles of a convolution of words. Included by bfloat_convolution.h and byte_convolution.h,
 * which define
 *   FORGE_WORDS       the words of 16 channels
 *   FORGE_WORD(name)  the precision's own name
 * and the functions begin, add and end of a vector of sums. It gives the table `tiles`. */

/* Adds one word of all pixels. */
FORGE_INLINE void FORGE_WORD(add_word)(sums sum, const float *at, int64_t pixel,
                                       const float *weights, const int rows, const int vectors) {
  v16 w[FORGE_TILE_VECTORS];
#pragma clang loop unroll(full)
  for (int v = 0; v < vectors; v++) w[v] = load(weights + v * FORGE_LANES);
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const v16 x = splat(at[r * pixel]);
#pragma clang loop unroll(full)
    for (int v = 0; v < vectors; v++) sum[r][v] = FORGE_WORD(add)(sum[r][v], x, w[v]);
  }
}

/* Pixels x ..< x + rows; see convolve_tile in convolution.h. */
FORGE_INLINE void FORGE_WORD(tile)(const word_row *row, int64_t x, const int rows,
                                   const int vectors, const bool adjacent) {
  const int64_t pixel = adjacent ? FORGE_WORDS : row->pixel;
  const int panel_width = vectors * FORGE_LANES;
  const float *weights = row->weights, *next = row->next;
  const int64_t next_lines = row->next_lines;
  sums sum;
#pragma clang loop unroll(full)
  for (int v = 0; v < vectors; v++) {
    const v16 begin = FORGE_WORD(begin)(row, v);
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++) sum[r][v] = begin;
  }
  for (int64_t ky = 0; ky < row->kernel_height; ky++) {
    for (int64_t kx = 0; kx < row->kernel_width; kx++) {
      const float *at = row->in + x * pixel + ky * row->tap_row + kx * row->tap_column;
      for (int64_t group = 0; group < row->groups; group++) {
        fetch(next, next_lines);
        next += next_lines * FORGE_LANES;
        /* Not unrolled: the compiler would load several words ahead, and spill sums for it (5 by 4:
         * 40 % slower). */
#pragma clang loop unroll(disable)
        for (int word = 0; word < FORGE_GROUP; word++, at++, weights += panel_width)
          FORGE_WORD(add_word)(sum, at, pixel, weights, rows, vectors);
        /* From the last group of a block to the next block. */
        if (FORGE_WORDS == FORGE_GROUP || group % 2) at += row->in_block - FORGE_WORDS;
      }
      /* The padded lanes add nothing: words of them alone are passed over. */
#pragma clang loop unroll(disable)
      for (int64_t word = 0; word < row->rest; word++)
        FORGE_WORD(add_word)(sum, at + word, pixel, weights + word * panel_width, rows, vectors);
      if (row->rest > 0) weights += FORGE_WORDS * panel_width;
    }
  }
#pragma clang loop unroll(full)
  for (int v = 0; v < vectors; v++)
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++) sum[r][v] = FORGE_WORD(end)(row, v, sum[r][v]);
  finish_words(row, sum, x, rows, vectors);
}

#define FORGE_WORD_TILE(rows, vectors)                                                  \
  static void FORGE_WORD(adjacent_##rows##x##vectors)(const word_row *row, int64_t x) { \
    FORGE_WORD(tile)(row, x, rows, vectors, true);                                      \
  }                                                                                     \
  static void FORGE_WORD(strided_##rows##x##vectors)(const word_row *row, int64_t x) {  \
    FORGE_WORD(tile)(row, x, rows, vectors, false);                                     \
  }
#define FORGE_WORD_ADJACENT(rows, vectors) FORGE_WORD(adjacent_##rows##x##vectors),
#define FORGE_WORD_STRIDED(rows, vectors) FORGE_WORD(strided_##rows##x##vectors),

FORGE_UP_TO(FORGE_TILE_ROWS_1, FORGE_WORD_TILE, 1)
FORGE_UP_TO(FORGE_TILE_ROWS_2, FORGE_WORD_TILE, 2)
FORGE_UP_TO(FORGE_TILE_ROWS_3, FORGE_WORD_TILE, 3)
FORGE_UP_TO(FORGE_TILE_ROWS_4, FORGE_WORD_TILE, 4)

#define FORGE_WORD_TILES(rows, vectors)                        \
  {                                                            \
    rows, {FORGE_UP_TO(rows, FORGE_WORD_ADJACENT, vectors)}, { \
      FORGE_UP_TO(rows, FORGE_WORD_STRIDED, vectors)           \
    }                                                          \
  }

static const word_tiles FORGE_WORD(tiles)[FORGE_TILE_VECTORS] = {
  FORGE_WORD_TILES(FORGE_TILE_ROWS_1, 1),
  FORGE_WORD_TILES(FORGE_TILE_ROWS_2, 2),
  FORGE_WORD_TILES(FORGE_TILE_ROWS_3, 3),
  FORGE_WORD_TILES(FORGE_TILE_ROWS_4, 4),
};

#undef FORGE_WORD_TILE
#undef FORGE_WORD_ADJACENT
#undef FORGE_WORD_STRIDED
#undef FORGE_WORD_TILES
