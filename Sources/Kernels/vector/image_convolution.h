/* Convolution of whole images, in floats or words, by the rows of convolution.h. */

/* Returns the fields of a row that all rows of a convolution share. A block of a pixel has `words`
 * words. */
static convolution_row row_of(const forge_convolution_arguments *a, const int64_t words) {
  return (convolution_row){
    .tap_row = a->dilation_y * a->in.row_stride,
    .tap_column = a->dilation_x * words,
    .pixel = a->stride_x * words,
    .in_block = a->in.block_stride,
    .out_block = a->out.block_stride,
    .residual_block = a->epilogue.residual.block_stride,
    .kernel_height = a->kernel_height,
    .kernel_width = a->kernel_width,
    .whole_blocks = a->in.channels / FORGE_LANES,
    .rest = a->in.channels % FORGE_LANES,
    .panel_width = a->panel_width,
    .end = finish_of(&a->epilogue.activation),
  };
}

/* Moves a row to a panel and a row of the image. */
FORGE_INLINE void move_row(convolution_row *row, const forge_convolution_arguments *a,
                           const forge_frame *frame, int64_t panel, int64_t y,
                           const int64_t words) {
  const forge_epilogue *e = &a->epilogue;
  const int64_t column = panel * a->panel_width, block = column / FORGE_LANES;
  row->in = forge_row(&a->in, frame, 0, y * a->stride_y - a->pad_top) - a->pad_left * words;
  row->bias = a->bias + column;
  row->out = forge_row(&a->out, frame, block, y);
  row->residual = e->has_residual ? forge_row(&e->residual, frame, block, y) : NULL;
  row->channels = a->out.channels - column;
}

/* Computes tiles first ..< last of a convolution. tables, words, groups: as convolve_row_of's. */
FORGE_INLINE void convolve_image(const forge_convolution_arguments *a, const forge_frame *frame,
                                 int64_t first, int64_t last, convolution_row row,
                                 const convolution_tiles *tables, const int64_t words,
                                 const int64_t groups) {
  const int64_t panel_floats = (int64_t)a->kernel_height * a->kernel_width *
    forge_blocks(a->in.channels) * words * a->panel_width;
  const bool flat = tables && a->flat;
  const int64_t width = flat ? (int64_t)a->out.width * a->out.height : a->out.width;
  const int64_t segments = forge_larger(a->segments, 1);
  const int64_t parts = (flat ? 1 : a->out.height) * segments;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t panel = tile / parts, part = tile % parts, segment = part % segments;
    move_row(&row, a, frame, panel, part / segments, words);
    row.weights = a->weights + panel * panel_floats;
    if (words == FORGE_QUAD_WORDS) {
      row.scales = a->scales + panel * a->panel_width;
      row.totals = a->totals + panel * a->panel_width;
    }
    row.half = !tables && ends_in_half(a->panel_width, row.channels);
    if (!tables && parts == 1 && a->out.width == 1) {
      const int64_t panels = forge_smaller(last - tile, FORGE_PIXEL_PANELS);
      const int64_t bytes = panel_floats * (int64_t)sizeof(float);
      float_pixels[panels - 1][a->panel_width / FORGE_LANES - 1](&row, (const char *)row.weights,
                                                                 bytes, NULL);
      tile += panels - 1;
      continue;
    }
    /* Each part of the image prefetches its share of the next panel, or of the next step. */
    const bool more = row.channels > a->panel_width;
    const float *next = more ? row.weights + panel_floats : a->next;
    const int64_t lines = (more ? panel_floats : a->next_floats) / FORGE_LANES;
    const int64_t begin = lines * part / parts, end = lines * (part + 1) / parts;
    const float *share = next ? next + begin * FORGE_LANES : NULL;
    const int64_t from = width * segment / segments, to = width * (segment + 1) / segments;
    if (tables)
      convolve_row_of(&row, from, to, share, end - begin, tables, words, groups);
    else
      convolve_row(&row, from, to, share, (end - begin) * FORGE_LANES);
  }
}

FORGE_KERNEL(convolution) {
  convolve_image(arguments, frame, first, last, row_of(arguments, FORGE_LANES), NULL, FORGE_LANES,
                 4);
}
