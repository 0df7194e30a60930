/* Convolution of bytes by AMX: products of tiles of 16 pixels by 64 channels and 64 channels by 16
 * outputs.
 *
 * Images and packed weights are tiles as they lie: a pixel of a block is a row of 64 bytes, and 16
 * quads of a panel are 16 rows, `width * 4` bytes apart, of 16 outputs by four channels. Padded
 * channels count with weights of zero.
 *
 * A piece is up to 32 pixels by a panel, computed as pairs of tiles: 2 of pixels by 2 of outputs.
 * Its sums go through memory. Those of the piece before become bytes between the products, which
 * run in a unit of their own. */

/* Sums of a piece, [pixels][64], that are still to be stored. */
typedef struct {
  int32_t sums[2][FORGE_PIECE_PIXELS][FORGE_BYTE_LANES] __attribute__((aligned(64)));
  int64_t current; /* the half that the products write */
  int64_t x, done, pixels;
} piece_sums;

/* Stores the sums of `count` further pixels of the piece before. */
FORGE_INLINE void finish_pixels(const quad_row *row, piece_sums *piece, int64_t count,
                                const int vectors) {
  const int64_t end = forge_smaller(piece->done + count, piece->pixels);
  for (; piece->done < end; piece->done++) {
    const int32_t *from = piece->sums[1 - piece->current][piece->done];
    const int64_t x = piece->x + piece->done;
    v16i sum[4];
#pragma clang loop unroll(full)
    for (int v = 0; v < vectors; v++)
      sum[v] = wrapping_sum(load_integers(from + v * FORGE_LANES),
                            load_integers(row->biases + v * FORGE_LANES));
    if (!row->plain) {
      finish_sums(row, sum, x, 1, 0, vectors);
      continue;
    }
    v16 f[4];
#pragma clang loop unroll(full)
    for (int v = 0; v < vectors; v++)
      f[v] = floats_of(sum[v]) * load(row->scales + v * FORGE_LANES);
    uint8_t *out = row->out + x * FORGE_BYTE_LANES;
    if (row->out_skip != 0) out += x / row->out_width * row->out_skip;
    store_bytes(out, f, vectors, row->end);
  }
}

/* What a piece does between its products. */
typedef struct {
  int64_t pixels; /* of the piece before, per step */
  const int8_t *next;
  int64_t lines; /* to be fetched, per step */
} tile_share;

/* Computes the sums of 1 or 2 tiles of pixels, `second` pixels apart, and 1 or 2 vectors of
 * outputs from `vector` on. */
FORGE_INLINE void tile_pair(const quad_row *row, piece_sums *piece, int64_t x, int64_t second,
                            int64_t vector, tile_share *share, const int tiles, const int columns,
                            const int vectors) {
  const int64_t blocks = row->whole_blocks + (row->rest > 0);
  const int64_t quad = vectors * FORGE_BYTE_LANES;
  const int8_t *weights = row->weights + vector * FORGE_BYTE_LANES;
  _tile_zero(0);
  if (columns > 1) _tile_zero(1);
  if (tiles > 1) _tile_zero(2);
  if (tiles > 1 && columns > 1) _tile_zero(3);
  for (int64_t ky = 0; ky < row->kernel_height; ky++)
    for (int64_t kx = 0; kx < row->kernel_width; kx++) {
      const uint8_t *at = row->in + x * row->pixel + ky * row->tap_row + kx * row->tap_column;
      for (int64_t block = 0; block < blocks; block++) {
        _tile_loadd(6, weights, (size_t)quad);
        _tile_loadd(4, at, (size_t)row->pixel);
        _tile_dpbusd(0, 4, 6);
        if (columns > 1) {
          _tile_loadd(7, weights + FORGE_BYTE_LANES, (size_t)quad);
          _tile_dpbusd(1, 4, 7);
        }
        if (tiles > 1) {
          _tile_loadd(5, at + second * row->pixel, (size_t)row->pixel);
          _tile_dpbusd(2, 5, 6);
          if (columns > 1) _tile_dpbusd(3, 5, 7);
        }
        weights += FORGE_BLOCK_QUADS * quad;
        at += row->in_block;
        fetch_bytes(share->next, share->lines);
        share->next += share->lines * FORGE_BYTE_LANES;
        finish_pixels(row, piece, share->pixels, vectors);
      }
    }
  int32_t *to = &piece->sums[piece->current][0][vector * FORGE_LANES];
  int32_t *after = &piece->sums[piece->current][second][vector * FORGE_LANES];
  const size_t stride = FORGE_BYTE_LANES * sizeof(int32_t);
  _tile_stored(0, to, stride);
  if (columns > 1) _tile_stored(1, to + FORGE_LANES, stride);
  if (tiles > 1) _tile_stored(2, after, stride);
  if (tiles > 1 && columns > 1) _tile_stored(3, after + FORGE_LANES, stride);
}

/* Computes a piece of 1 or 2 tiles of `pixels` pixels from x on, the second `second` further. */
FORGE_INLINE void tile_piece(const quad_row *row, piece_sums *piece, int64_t x, int64_t pixels,
                             int64_t second, tile_share *share, const int tiles,
                             const int vectors) {
#pragma clang loop unroll(full)
  for (int vector = 0; vector < vectors; vector += 2) {
    if (vector + 1 < vectors)
      tile_pair(row, piece, x, second, vector, share, tiles, 2, vectors);
    else
      tile_pair(row, piece, x, second, vector, share, tiles, 1, vectors);
  }
  finish_pixels(row, piece, FORGE_PIECE_PIXELS, vectors); /* what is left */
  piece->current = 1 - piece->current;
  piece->x = x;
  piece->done = 0;
  piece->pixels = tiles > 1 ? second + pixels : pixels;
}

/* Computes pixels first ..< last of a row by tiles of equal size. The last of them begins earlier
 * and computes some pixels again, to the same bits. */
FORGE_INLINE void convolve_row_by_tiles(const quad_row *row, int64_t first, int64_t last,
                                        const int8_t *next, int64_t lines, const int vectors) {
  const int64_t width = last - first, count = forge_quotient_up(width, FORGE_TILE_PIXELS);
  const int64_t pixels = forge_quotient_up(width, count), pieces = forge_quotient_up(count, 2);
  const int64_t steps = row->kernel_height * row->kernel_width *
    (row->whole_blocks + (row->rest > 0)) * forge_quotient_up(vectors, 2);
  tile_share share = {
    .pixels = forge_quotient_up(2 * pixels, steps),
    .next = next ? next : row->weights,
    .lines = next && pieces > 1 ? forge_quotient_up(lines, pieces * steps) : 0,
  };
  piece_sums piece;
  piece.current = piece.x = piece.done = piece.pixels = 0;
  shape_tiles(pixels, pixels);
  for (int64_t tile = 0; tile < count; tile += 2) {
    const int64_t x = first + tile * pixels;
    if (tile + 1 < count)
      tile_piece(row, &piece, x, pixels, forge_smaller(pixels, last - pixels - x), &share, 2,
                 vectors);
    else
      tile_piece(row, &piece, last - pixels, pixels, 0, &share, 1, vectors);
  }
  finish_pixels(row, &piece, FORGE_PIECE_PIXELS, vectors);
  _tile_release();
}

/* A row of few pixels is faster by quads. */
enum { FORGE_FEWEST_TILE_PIXELS = 6 };

static void convolve_by_tiles(quad_row *row, int64_t first, int64_t last, const int8_t *next,
                              int64_t lines) {
  if (last - first < FORGE_FEWEST_TILE_PIXELS || row->a->pixel_bytes != FORGE_BYTE_LANES) {
    convolve_bytes(row, first, last, next, lines);
    return;
  }
  switch (row->width / FORGE_LANES) {
    case 1: convolve_row_by_tiles(row, first, last, next, lines, 1); break;
    case 2: convolve_row_by_tiles(row, first, last, next, lines, 2); break;
    case 3: convolve_row_by_tiles(row, first, last, next, lines, 3); break;
    default: convolve_row_by_tiles(row, first, last, next, lines, 4); break;
  }
}

FORGE_KERNEL(quantized_convolution) {
  convolve_byte_image(arguments, frame, first, last, convolve_by_tiles);
}
