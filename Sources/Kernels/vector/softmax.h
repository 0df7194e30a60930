/* Softmax and its logarithm. Special values: see scalar/softmax.c. */

/* A row of numbers in `pieces` of 16, `stride` floats apart. The last holds `rest` numbers. What
 * follows them is neither read nor written if `partial` (plain rows), else becomes zero (padded
 * lanes). in may be out. */
typedef struct {
  const float *in;
  float *out;
  int64_t pieces, in_stride, out_stride, rest;
} softmax_row;

FORGE_INLINE v16 softmax_piece(const softmax_row *row, int64_t i, bool partial) {
  const float *at = row->in + i * row->in_stride;
  if (i < row->pieces - 1) return load(at);
  if (partial) return load_first(at, row->rest, -INFINITY);
  return choose(first_lanes(row->rest), load(at), splat(-INFINITY));
}

FORGE_INLINE void softmax_store(const softmax_row *row, int64_t i, bool partial, v16 x) {
  float *at = row->out + i * row->out_stride;
  if (i < row->pieces - 1)
    store(at, x);
  else if (partial)
    store_first(at, row->rest, x);
  else
    store(at, keep(first_lanes(row->rest), x));
}

FORGE_INLINE void softmax(const softmax_row *row, bool logarithm, bool partial) {
  v16 largest = splat(-INFINITY);
  for (int64_t i = 0; i < row->pieces; i++)
    largest = larger(softmax_piece(row, i, partial), largest);
  largest = largest_of_lanes(largest);

  /* The lanes after the row are -inf. They add exp(-inf) = 0, or NaN if all is NaN anyway. */
  v16 sum = splat(0);
  for (int64_t i = 0; i < row->pieces; i++) {
    const v16 x = exp_of_negative(softmax_piece(row, i, partial) - largest);
    sum += x;
    if (!logarithm) softmax_store(row, i, partial, x);
  }
  sum = sum_of_lanes(sum);

  if (logarithm) {
    const v16 log_of_sum = log_of(sum);
    for (int64_t i = 0; i < row->pieces; i++)
      softmax_store(row, i, partial, softmax_piece(row, i, partial) - largest - log_of_sum);
  } else {
    softmax_row again = *row;
    again.in = row->out;
    again.in_stride = row->out_stride;
    for (int64_t i = 0; i < row->pieces; i++)
      softmax_store(row, i, partial, softmax_piece(&again, i, partial) / sum);
  }
}

FORGE_KERNEL(softmax) {
  const forge_softmax_arguments *a = arguments;
  const int64_t blocks = forge_blocks(a->out.channels);
  for (int64_t y = first; y < last; y++) {
    for (int64_t x = 0; x < a->out.width; x++) {
      const softmax_row row = {
        .in = forge_row(&a->in, frame, 0, y) + x * FORGE_LANES,
        .out = forge_row(&a->out, frame, 0, y) + x * FORGE_LANES,
        .pieces = blocks,
        .in_stride = a->in.block_stride,
        .out_stride = a->out.block_stride,
        .rest = forge_lanes(a->out.channels, blocks - 1),
      };
      softmax(&row, a->logarithm, false);
    }
  }
}

FORGE_KERNEL(softmax_plain) {
  const forge_softmax_plain_arguments *a = arguments;
  const int64_t pieces = (a->columns + FORGE_LANES - 1) / FORGE_LANES;
  for (int64_t row = first; row < last; row++) {
    const softmax_row all = {
      .in = forge_start(&a->in, frame) + row * a->columns,
      .out = forge_start(&a->out, frame) + row * a->columns,
      .pieces = pieces,
      .in_stride = FORGE_LANES,
      .out_stride = FORGE_LANES,
      .rest = a->columns - (pieces - 1) * FORGE_LANES,
    };
    softmax(&all, a->logarithm, true);
  }
}
