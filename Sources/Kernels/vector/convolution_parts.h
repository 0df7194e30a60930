/* Rows of a pointwise convolution in parts of the input channels.
 *
 * Each tile of pixels reads the weights of the whole panel. If they do not fit in the second-level
 * cache beside the input, a part of them is multiplied by several tiles of pixels before the next
 * part is read. A buffer holds the sums in between, so the additions are those of one pass, in the
 * same order. */

#ifdef FORGE_PART_BLOCKS

/* The most pixels whose sums the buffer holds. */
#define FORGE_PART_PIXELS (16 * FORGE_TILE_ROWS_1)

/* Returns the number of parts of at most FORGE_PART_BLOCKS blocks of input channels. */
FORGE_INLINE int64_t parts_of(const convolution_row *row) {
  const bool is_pointwise = row->kernel_height == 1 && row->kernel_width == 1;
  return is_pointwise && !row->half ? forge_quotient_up(row->whole_blocks, FORGE_PART_BLOCKS) : 1;
}

static void convolve_row_in_parts(const convolution_row *row, int64_t first, int64_t last,
                                  const float *next, int64_t lines, int64_t parts) {
  float sums[4 * FORGE_PART_PIXELS * FORGE_LANES]; /* [vectors][pixels][16] */
  const int64_t sums_block = FORGE_PART_PIXELS * FORGE_LANES;
  const int64_t groups = forge_quotient_up(last - first, FORGE_PART_PIXELS);
  for (int64_t group = 0; group < groups; group++) {
    const int64_t x = first + (last - first) * group / groups;
    const int64_t end = first + (last - first) * (group + 1) / groups;
    for (int64_t i = 0; i < parts; i++) {
      const int64_t block = row->whole_blocks * i / parts;
      const bool is_last = i == parts - 1;
      convolution_row part = *row; /* whose pixel 0 is x */
      part.in = row->in + block * row->in_block + x * row->pixel;
      part.out = row->out + x * FORGE_LANES;
      if (row->residual) part.residual = row->residual + x * FORGE_LANES;
      if (row->start) part.start = row->start + x * FORGE_LANES;
      part.weights = row->weights + block * FORGE_LANES * row->panel_width;
      part.whole_blocks = row->whole_blocks * (i + 1) / parts - block;
      if (i > 0) {
        part.start = sums;
        part.start_block = sums_block;
      }
      if (!is_last) {
        part.rest = 0;
        part.bias = NULL;
        part.residual = NULL;
        part.plain = true;
        part.out = sums;
        part.out_block = sums_block;
      }
      const int64_t call = group * parts + i, calls = groups * parts;
      const int64_t line = lines * call / calls;
      convolve_row_of(&part, 0, end - x, next ? next + line * FORGE_LANES : NULL,
                      lines * (call + 1) / calls - line, NULL, FORGE_LANES, 4);
    }
  }
}

#endif

/* Computes pixels first ..< last of a row, and fetches `next_floats` weights from `next` on. */
static void convolve_row(convolution_row *row, int64_t first, int64_t last, const float *next,
                         int64_t next_floats) {
  const int64_t lines = forge_quotient_up(next_floats, FORGE_LANES);
#ifdef FORGE_PART_BLOCKS
  const int64_t parts = parts_of(row);
  if (parts > 1) {
    convolve_row_in_parts(row, first, last, next, lines, parts);
    return;
  }
#endif
  convolve_row_of(row, first, last, next, lines, NULL, FORGE_LANES, 4);
}
