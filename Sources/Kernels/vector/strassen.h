/* Pointwise convolutions by one level of Strassen's algorithm in Winograd's form: seven products of
 * matrices of half the sides in place of eight (S. Winograd, 1971; 15 additions).
 *
 * The pixels (rows of A: the upper half A1., the lower A2.), the input channels and the output channels are
 * halved. With
 *     S1 = A21 + A22   S2 = S1 - A11   S3 = A11 - A21   S4 = A12 - S2
 *     T1 = B12 - B11   T2 = B22 - T1   T3 = B22 - B12   T4 = T2 - B21
 * it computes, Q being scratch that stays in the second cache,
 *     Q11 = A11 B11    Q12 = Q11 + S2 T2    Q11 += A12 B21    Q21 = Q12 + S3 T3    Q22 = S1 T1
 *     Q12 += Q22       Q22 += Q21           Q12 += S4 B22     Q21 -= A22 T4
 * The T are made when weights are packed, the S once per image. Of an odd number of pixels the lower
 * half has one less, as if its last row were zero.
 *
 * An image is cut into segments of pixels, each a matrix of its own, whose S and Q stay in the second
 * cache and which threads can share out. How many there are is a matter of the image alone. */

typedef struct {
  const forge_strassen_arguments *a;
  const forge_frame *frame;
  int64_t first;              /* the segment's first pixel */
  int64_t upper, lower;       /* pixels of its halves */
  int64_t half_blocks;        /* blocks of half of the input channels */
  const float *in[2][2];      /* A: [upper or lower][first or second half of the channels] */
  float *sums;                /* S: float [4][half_blocks][upper][16] */
} strassen_call;

static strassen_call strassen_call_of(const forge_strassen_arguments *a, const forge_frame *frame,
                                      int64_t segment) {
  const forge_strassen_segment own = forge_strassen_segment_of(a, segment);
  strassen_call call = {.a = a,
                        .frame = frame,
                        .first = own.first,
                        .upper = own.upper,
                        .lower = own.lower,
                        .half_blocks = a->in.channels / FORGE_LANES / 2};
  for (int64_t half = 0; half < 2; half++) {
    call.in[0][half] =
      forge_row(&a->in, frame, half * call.half_blocks, 0) + own.first * FORGE_LANES;
    call.in[1][half] = call.in[0][half] + own.upper * FORGE_LANES;
  }
  call.sums = forge_origin(&a->sums, frame) + own.sums;
  return call;
}

/* The sums S. Tiles: block of half of the input channels * segments + segment. */
void FORGE_KERNEL(strassen_input)(const void *arguments, const forge_frame *frame, int64_t first,
                                  int64_t last) {
  const forge_strassen_arguments *a = arguments;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->segments;
    const strassen_call call = strassen_call_of(a, frame, tile % a->segments);
    const int64_t one = call.half_blocks * call.upper * FORGE_LANES;
    const int64_t offset = block * a->in.block_stride;
    float *to = call.sums + block * call.upper * FORGE_LANES;
    for (int64_t pixel = 0; pixel < call.upper; pixel++) {
      const int64_t at = offset + pixel * FORGE_LANES;
      const bool has_lower = pixel < call.lower;
      const v16 a11 = load(call.in[0][0] + at), a12 = load(call.in[0][1] + at);
      const v16 a21 = has_lower ? load(call.in[1][0] + at) : splat(0);
      const v16 a22 = has_lower ? load(call.in[1][1] + at) : splat(0);
      const v16 s1 = a21 + a22, s2 = s1 - a11;
      float *out = to + pixel * FORGE_LANES;
      store(out, s1);
      store(out + one, s2);
      store(out + 2 * one, a11 - a21);
      store(out + 3 * one, a12 - s2);
    }
  }
}

/* a += b */
static void add_to(float *a, const float *b, int64_t pixels) {
  for (int64_t i = 0; i < pixels; i++)
    store(a + i * FORGE_LANES, load(a + i * FORGE_LANES) + load(b + i * FORGE_LANES));
}

/* Stores `count` pixels from `first` of the image on of one block: activation(sum + bias + residual). */
static void strassen_store(const strassen_call *call, const finish *end, int64_t block,
                           int64_t first, int64_t count, const float *from) {
  const forge_strassen_arguments *a = call->a;
  const forge_epilogue *e = &a->epilogue;
  const v16 low = splat(end->low), high = splat(end->high);
  const v16 bias = load(a->bias + block * FORGE_LANES);
  int64_t y = first / a->out.width, x = first % a->out.width;
  while (count > 0) {
    const int64_t run = forge_smaller(count, a->out.width - x);
    float *out = forge_row(&a->out, call->frame, block, y) + x * FORGE_LANES;
    const float *residual =
      e->has_residual ? forge_row(&e->residual, call->frame, block, y) + x * FORGE_LANES : NULL;
    for (int64_t i = 0; i < run; i++) {
      v16 value = load(from + i * FORGE_LANES) + bias;
      if (residual) value += load(residual + i * FORGE_LANES);
      store(out + i * FORGE_LANES, clamp(value, low, high));
    }
    if (end->further) activate(out, out, run, FORGE_LANES, end->further);
    from += run * FORGE_LANES;
    count -= run;
    y++;
    x = 0;
  }
}

/* The products of one panel of one segment: columns of both halves of the output channels. */
static void strassen_panel(const strassen_call *call, int64_t panel, const finish *end) {
  static const float no_bias[4 * FORGE_LANES];
  const forge_strassen_arguments *a = call->a;
  const int64_t vectors = a->panel_width / FORGE_LANES, block = panel * vectors;
  const int64_t half_outputs = a->out.channels / FORGE_LANES / 2; /* blocks */
  const int64_t panels = (half_outputs + vectors - 1) / vectors;
  const int64_t blocks = forge_smaller(vectors, half_outputs - block);
  const int64_t product_floats = call->half_blocks * FORGE_LANES * a->panel_width;
  const int64_t block_floats = call->upper * FORGE_LANES;
  const int64_t quadrant = vectors * block_floats, one = call->half_blocks * block_floats;
  float *q11 = forge_origin(&a->products, call->frame) + call->frame->worker * a->products_worker;
  float *q12 = q11 + quadrant, *q21 = q12 + quadrant, *q22 = q21 + quadrant;
  const float *s1 = call->sums, *s2 = s1 + one, *s3 = s2 + one, *s4 = s3 + one;
  const int64_t near = block_floats, far = a->in.block_stride;
  /* In the order of their packed weights: A or S, its pixels, what is added, where the sum goes. */
  const struct {
    const float *in;
    int64_t in_block, pixels;
    const float *add;
    float *out;
  } products[7] = {
    {call->in[0][0], far, call->upper, NULL, q11}, /* A11 B11 */
    {s2, near, call->upper, q11, q12},             /* S2 T2 */
    {call->in[0][1], far, call->upper, q11, q11},  /* A12 B21 */
    {s3, near, call->upper, q12, q21},             /* S3 T3 */
    {s1, near, call->lower, NULL, q22},            /* S1 T1 */
    {s4, near, call->upper, q12, q12},             /* S4 B22 */
    {call->in[1][1], far, call->lower, q21, q21},  /* A22 (-T4) */
  };
  convolution_row row = {
    .weights = a->weights + panel * 7 * product_floats,
    .bias = no_bias,
    .pixel = FORGE_LANES,
    .out_block = block_floats,
    .residual_block = block_floats,
    .kernel_height = 1,
    .kernel_width = 1,
    .whole_blocks = call->half_blocks,
    .panel_width = a->panel_width,
    .channels = a->panel_width,
    .end = {-INFINITY, INFINITY, NULL},
  };
  for (int i = 0; i < 7; i++, row.weights += product_floats) {
    const bool is_last = i == 6 && panel + 1 == panels;
    row.in = products[i].in;
    row.in_block = products[i].in_block;
    row.out = products[i].out;
    row.residual = products[i].add;
    row.plain = products[i].add == NULL;
    convolve_row(&row, 0, products[i].pixels, is_last ? a->next : row.weights + product_floats,
                 is_last ? a->next_floats : product_floats);
    if (i != 4) continue;
    for (int64_t v = 0; v < blocks; v++) {
      add_to(q12 + v * block_floats, q22 + v * block_floats, call->lower);
      add_to(q22 + v * block_floats, q21 + v * block_floats, call->lower);
    }
  }
  const int64_t below = call->first + call->upper;
  for (int64_t v = 0; v < blocks; v++) {
    const int64_t left = block + v, right = left + half_outputs, from = v * block_floats;
    strassen_store(call, end, left, call->first, call->upper, q11 + from);
    strassen_store(call, end, right, call->first, call->upper, q12 + from);
    strassen_store(call, end, left, below, call->lower, q21 + from);
    strassen_store(call, end, right, below, call->lower, q22 + from);
  }
}

/* Tiles: panel of half of the output channels * segments + segment. */
void FORGE_KERNEL(strassen_output)(const void *arguments, const forge_frame *frame, int64_t first,
                                   int64_t last) {
  const forge_strassen_arguments *a = arguments;
  const finish end = finish_of(&a->epilogue.activation);
  for (int64_t tile = first; tile < last; tile++) {
    const strassen_call call = strassen_call_of(a, frame, tile % a->segments);
    strassen_panel(&call, tile / a->segments, &end);
  }
}
