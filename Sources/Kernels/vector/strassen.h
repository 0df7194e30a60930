/* Pointwise convolutions by Strassen's algorithm in Winograd's form: seven products of matrices of
 * half the sides instead of eight (S. Winograd, 1971; 15 additions). The micro-kernel computes each
 * product, or, with two levels, seven products of a quarter of the sides.
 *
 * The pixels (rows of A, upper half A1., lower half A2.), the input channels and the output
 * channels are halved. With
 *     S1 = A21 + A22   S2 = S1 - A11   S3 = A11 - A21   S4 = A12 - S2
 *     T1 = B12 - B11   T2 = B22 - T1   T3 = B22 - B12   T4 = T2 - B21
 * and scratch R it computes
 *     R11 = A11 B11       R12 = R11 + S2 T2   C11 = R11 + A12 B21
 *     R21 = R12 + S3 T3   R22 = S1 T1         R12 += R22
 *     C22 = R22 + R21     C12 = R12 + S4 B22  C21 = R21 - A22 T4
 * Packing computes the T. Each thread computes the S that it reads, unless many threads read the
 * same: then a step of its own computes them. If the number of pixels is odd, the lower half has
 * one less, as if its last row were zero.
 *
 * Rounding errors of a sum are relative to its largest number, so small numbers would lose
 * precision. Rows, and uneven inputs and outputs, are therefore scaled by powers of two before they
 * are added (G. Ballard and others, "Improving the numerical stability of fast matrix
 * multiplication", 2016): rows and inputs by even_rows, outputs by packing. Results are scaled back
 * where they are stored. A row with a NaN or an infinity is zero here and computed directly.
 *
 * The halves of channels are the even and the odd blocks, so that threads with ranges of channels
 * find most of their input in their own caches.
 *
 * An image is cut into segments of pixels, each a matrix whose R stays in the second-level cache
 * and whose S, of both levels, stay in the third-level one. Threads can share segments. Their
 * number depends on the image alone. */
#include "../strassen.h"

/* ---- the sums S ---- */

/* Computes blocks first ..< last of S of a left side: float [4][blocks / 2][upper half of its
 * rows][16]. */
static void strassen_sum(const forge_strassen_side *side, float *sums, int64_t first,
                         int64_t last) {
  const int64_t upper = forge_upper_half(side->rows), lower = side->rows - upper;
  const int64_t one = side->blocks / 2 * upper * FORGE_LANES;
  float *out = sums + first * upper * FORGE_LANES;
  for (int64_t block = first; block < last; block++) {
    const float *from11 = forge_strassen_quarter(side, false, false, block);
    const float *from12 = forge_strassen_quarter(side, false, true, block);
    const float *from21 = forge_strassen_quarter(side, true, false, block);
    const float *from22 = forge_strassen_quarter(side, true, true, block);
    for (int64_t row = 0; row < upper; row++, out += FORGE_LANES) {
      const int64_t at = row * FORGE_LANES;
      const v16 a11 = load(from11 + at), a12 = load(from12 + at);
      const v16 a21 = row < lower ? load(from21 + at) : splat(0);
      const v16 a22 = row < lower ? load(from22 + at) : splat(0);
      const v16 s1 = a21 + a22, s2 = s1 - a11;
      store(out, s1);
      store(out + one, s2);
      store(out + 2 * one, a11 - a21);
      store(out + 3 * one, a12 - s2);
    }
  }
}

/* Returns the left side of a product, in the order of packed weights: A11, S2, A12, S3, S1, S4,
 * A22. */
static forge_strassen_side strassen_left(const forge_strassen_side *side, const float *sums,
                                         int64_t product) {
  static const int8_t sum_of[7] = {-1, 1, -1, 2, 0, 3, -1};
  const int64_t block = forge_upper_half(side->rows) * FORGE_LANES;
  const bool is_sum = sum_of[product] >= 0, is_odd = product != 0;
  return (forge_strassen_side){.at = is_sum ? sums + sum_of[product] * (side->blocks / 2) * block
                                            : forge_strassen_quarter(side, product == 6, is_odd, 0),
                               .block = is_sum ? block : 2 * side->block,
                               .blocks = side->blocks / 2,
                               .rows = forge_strassen_rows(side, product)};
}

/* Computes the S of a segment, which all of its panels read, of groups first ..< last of 2 or 4
 * blocks. Those of the second level follow while their group is in the first-level cache. */
static void strassen_sums_of(const forge_strassen_arguments *a, const forge_strassen_side *image,
                             float *sums, int64_t first, int64_t last) {
  float *further = sums + forge_strassen_layout_of(a).further_sums;
  const int64_t floats = forge_strassen_further_floats(a->in.channels, image->rows);
  if (a->levels == 1) {
    strassen_sum(image, sums, first, last);
    return;
  }
  for (int64_t group = first; group < last; group++) {
    strassen_sum(image, sums, 2 * group, 2 * group + 2);
    for (int64_t product = 0; product < 7; product++) {
      const forge_strassen_side side = strassen_left(image, sums, product);
      strassen_sum(&side, further + product * floats, group, group + 1);
    }
  }
}

/* Whether the rows of the image are even as they are. Scaled inputs are not. */
static bool strassen_is_even(const forge_strassen_arguments *a, const forge_frame *frame) {
  return !a->input_scales && forge_rows_are_even(&a->factors, frame, forge_rows_of(&a->in));
}

/* Tiles: segment * groups + group. */
FORGE_KERNEL(strassen_sums) {
  const forge_strassen_arguments *a = arguments;
  const int64_t groups = forge_strassen_groups(a);
  const int64_t floats = forge_strassen_layout_of(a).sums_floats;
  float *sums = forge_origin(&a->sums, frame);
  const bool is_even = strassen_is_even(a, frame);
  while (first < last) {
    const int64_t segment = first / groups;
    const int64_t end = forge_smaller(last, (segment + 1) * groups);
    const forge_strassen_side image = forge_strassen_image(a, frame, segment, is_even);
    strassen_sums_of(a, &image, sums + segment * floats, first - segment * groups,
                     end - segment * groups);
    first = end;
  }
}

/* ---- the products ---- */

/* A product, or a part of it: [odd columns or not][...][vectors][rows][16]. */
typedef struct {
  float *at;     /* NULL: nothing */
  int64_t block; /* from one vector of output channels to the next */
  int64_t half;  /* from the even columns to the odd ones */
} strassen_product;

/* Returns a quarter of a product whose upper half has `upper` rows: the lower half if `row`, the
 * odd columns if `column`. */
FORGE_INLINE strassen_product part(strassen_product whole, int64_t upper, int64_t row,
                                   int64_t column) {
  if (!whole.at) return whole;
  return (strassen_product){whole.at + column * whole.half + row * upper * FORGE_LANES, whole.block,
                            whole.half / 2};
}

/* Computes the products of a panel in the order of their packed weights. */
typedef struct {
  convolution_row row;
  int64_t vectors;        /* of the panel */
  int64_t product_floats; /* weights of one product */
  int64_t remaining;      /* products still to come */
  const float *next;      /* weights to fetch during the last one */
  int64_t next_floats;
  const float *further_sums; /* S of all products of the first level */
  int64_t further_floats;    /* from those of one product to the next */
  strassen_product further;
} strassen_multiplier;

/* Computes to = start + left B + add, where start and add may be absent. B is the next of the
 * packed weights. */
static void multiply(strassen_multiplier *m, const forge_strassen_side *left,
                     strassen_product start, strassen_product add, strassen_product to) {
  const bool is_last = --m->remaining == 0;
  m->row.in = left->at;
  m->row.in_block = left->block;
  m->row.start = start.at;
  m->row.start_block = start.block;
  m->row.residual = add.at;
  m->row.residual_block = add.block;
  m->row.out = to.at;
  m->row.out_block = to.block;
  convolve_row(&m->row, 0, left->rows, is_last ? m->next : m->row.weights + m->product_floats,
               is_last ? m->next_floats : m->product_floats);
  m->row.weights += m->product_floats;
}

/* Computes r12 += r22 and c22 = r21 + r22 + add for `halves` times the vectors of the panel. */
static void strassen_between(const strassen_multiplier *m, strassen_product r12,
                             strassen_product r21, strassen_product r22, strassen_product add,
                             strassen_product c22, int64_t rows, int64_t halves) {
  for (int64_t half = 0; half < halves; half++) {
    for (int64_t v = 0; v < m->vectors; v++) {
      float *to12 = r12.at + half * r12.half + v * r12.block;
      float *to22 = c22.at + half * c22.half + v * c22.block;
      const float *from21 = r21.at + half * r21.half + v * r21.block;
      const float *from22 = r22.at + half * r22.half + v * r22.block;
      const float *added = add.at ? add.at + half * add.half + v * add.block : NULL;
      for (int64_t at = 0; at < rows * FORGE_LANES; at += FORGE_LANES) {
        const v16 shared = load(from22 + at);
        v16 sum = shared + load(from21 + at);
        if (added) sum += load(added + at);
        store(to12 + at, load(to12 + at) + shared);
        store(to22 + at, sum);
      }
    }
  }
}

/* Computes c = left B + add by `levels` levels, where B is the next 7 or 49 of the packed weights.
 * r may be c if nothing is added. add may be c. */
static void strassen_multiply(strassen_multiplier *m, int32_t levels,
                              const forge_strassen_side *left, const float *sums,
                              strassen_product add, strassen_product r, strassen_product c) {
  const int64_t upper = forge_upper_half(left->rows);
  const strassen_product none = {NULL, 0, 0};
  const strassen_product r11 = part(r, upper, 0, 0), r12 = part(r, upper, 0, 1);
  const strassen_product r21 = part(r, upper, 1, 0), r22 = part(r, upper, 1, 1);
  const struct {
    strassen_product start, add, to;
  } products[7] = {
    {none, none, r11},                                   /* A11 B11 */
    {r11, none, r12},                                    /* S2 T2 */
    {r11, part(add, upper, 0, 0), part(c, upper, 0, 0)}, /* A12 B21 */
    {r12, none, r21},                                    /* S3 T3 */
    {none, none, r22},                                   /* S1 T1 */
    {r12, part(add, upper, 0, 1), part(c, upper, 0, 1)}, /* S4 B22 */
    {r21, part(add, upper, 1, 0), part(c, upper, 1, 0)}, /* A22 (-T4) */
  };
  for (int64_t i = 0; i < 7; i++) {
    const forge_strassen_side side = strassen_left(left, sums, i);
    if (levels == 1) {
      multiply(m, &side, products[i].start, products[i].add, products[i].to);
    } else {
      /* The first level adds nothing but the start of its products. */
      strassen_multiply(m, levels - 1, &side, m->further_sums + i * m->further_floats,
                        products[i].start, m->further, products[i].to);
    }
    if (i == 4)
      strassen_between(m, r12, r21, r22, part(add, upper, 1, 1), part(c, upper, 1, 1),
                       left->rows - upper, levels);
  }
}

/* ---- rows that are not finite ---- */

/* Returns 16 weights of an input and a quarter, or a quarter of a quarter, of the matrix. `packed`:
 * those of the first product. B12 is T1 + B11, which has its sign and its zeros. */
FORGE_INLINE v16 strassen_weights(const float *packed, int64_t product_floats, int32_t levels,
                                  int64_t in, int64_t out) {
  static const int8_t terms[2][2][2] = {{{0, -1}, {4, 0}}, {{2, -1}, {5, -1}}};
  v16 sum = splat(0);
  for (int i = 0; i < 2; i++) {
    const int8_t product = terms[in % 2][out % 2][i];
    if (product < 0) continue;
    if (levels == 1)
      sum += load(packed + product * product_floats);
    else
      sum +=
        strassen_weights(packed + 7 * product * product_floats, product_floats, 1, in / 2, out / 2);
  }
  return sum;
}

/* Returns 16 outputs of a pixel, the sums of all inputs. `packed`: the weights of the first product
 * for these outputs. */
static void strassen_direct(const forge_strassen_arguments *a, const float *pixel,
                            const float *packed, int64_t product_floats, int64_t part, float *to) {
  const int64_t parts = (int64_t)1 << a->levels, blocks = a->in.channels / FORGE_LANES;
  v16 sum = splat(0);
  for (int64_t block = 0; block < blocks; block++) {
    for (int64_t lane = 0; lane < FORGE_LANES; lane++) {
      float x = pixel[block * a->uneven.block_stride + lane];
      if (a->input_scales) x *= a->input_scales[block * FORGE_LANES + lane];
      const float *weights = packed + (block / parts * FORGE_LANES + lane) * a->panel_width;
      sum = multiply_add(
        splat(x), strassen_weights(weights, product_floats, a->levels, block % parts, part), sum);
    }
  }
  store(to, sum);
}

/* ---- results ---- */

/* Stores activation(sum + bias + residual) for `count` pixels of a block from pixel `first` on. */
FORGE_INLINE void strassen_store(const forge_strassen_arguments *a, const forge_frame *frame,
                                 const finish *end, int64_t block, int64_t first, int64_t count,
                                 const float *from, const bool is_even) {
  const forge_epilogue *e = &a->epilogue;
  const v16 low = splat(end->low), high = splat(end->high);
  const v16 bias = load(a->bias + block * FORGE_LANES);
  const v16 scale = a->output_scales ? load(a->output_scales + block * FORGE_LANES) : splat(1);
  const float *factors = forge_origin(&a->factors, frame) + first;
  for (int64_t y = first / a->out.width, x = first % a->out.width; count > 0; y++, x = 0) {
    const int64_t run = forge_smaller(count, a->out.width - x);
    float *out = forge_row(&a->out, frame, block, y) + x * FORGE_LANES;
    const float *residual =
      e->has_residual ? forge_row(&e->residual, frame, block, y) + x * FORGE_LANES : NULL;
    for (int64_t i = 0; i < run; i++) {
      v16 value = load(from + i * FORGE_LANES) * scale;
      if (!is_even) value *= splat(fabsf(factors[i]));
      value += bias;
      if (residual) value += load(residual + i * FORGE_LANES);
      store(out + i * FORGE_LANES, clamp(value, low, high));
    }
    if (end->further) activate(out, out, run, FORGE_LANES, end->further);
    from += run * FORGE_LANES;
    factors += run;
    count -= run;
  }
}

/* Computes one panel of one segment from its sums: columns of all parts of the output channels. */
static void strassen_panel(const forge_strassen_arguments *a, const forge_frame *frame,
                           int64_t segment, int64_t panel, const float *sums, float *scratch,
                           const finish *end, bool is_even) {
  const forge_strassen_side image = forge_strassen_image(a, frame, segment, is_even);
  const forge_strassen_layout layout = forge_strassen_layout_of(a);
  const int64_t vectors = a->panel_width / FORGE_LANES, parts = (int64_t)1 << a->levels;
  const int64_t in_blocks = image.blocks / parts;
  const int64_t out_blocks = a->out.channels / FORGE_LANES / parts;
  const int64_t last_block = forge_smaller((panel + 1) * vectors, out_blocks);
  const int64_t products = forge_strassen_products(a->levels);
  const int64_t product_floats = in_blocks * FORGE_LANES * a->panel_width;
  const float *weights = a->weights + panel * products * product_floats;
  /* Prefetched: the next panel, the first one again for the next segment, or the next step. */
  const bool more_panels = last_block < out_blocks, more = more_panels || segment + 1 < a->segments;
  const int64_t vector = forge_strassen_vector(image.rows);
  const int64_t further = forge_strassen_vector(forge_upper_half(image.rows));
  const strassen_product whole = {scratch + layout.products, vector, parts / 2 * vectors * vector};
  strassen_multiplier m = {
    .row = {.weights = weights,
            .pixel = FORGE_LANES,
            .kernel_height = 1,
            .kernel_width = 1,
            .whole_blocks = in_blocks,
            .panel_width = a->panel_width,
            .channels = a->panel_width,
            .plain = true},
    .vectors = vectors,
    .product_floats = product_floats,
    .remaining = products,
    .next = more_panels ? weights + products * product_floats
      : more            ? a->weights
                        : a->next,
    .next_floats = more ? product_floats : a->next_floats,
    .further_sums = sums + layout.further_sums,
    .further_floats = forge_strassen_further_floats(a->in.channels, image.rows),
    .further = {scratch + layout.further_products, further, vectors * further},
  };
  strassen_multiply(&m, a->levels, &image, sums, (strassen_product){NULL, 0, 0}, whole, whole);
  const int64_t pixel = forge_strassen_first(a, segment);
  const float *factors = forge_origin(&a->factors, frame) + pixel;
  const float *uneven = forge_origin(&a->uneven, frame) + pixel * FORGE_LANES;
  for (int64_t i = 0; i < parts; i++) {
    strassen_product from = part(whole, 0, 0, i % 2);
    if (a->levels == 2) from = part(from, 0, 0, i / 2);
    for (int64_t v = 0; v < last_block - panel * vectors; v++, from.at += vector) {
      const int64_t block = (panel * vectors + v) * parts + i;
      if (is_even) {
        strassen_store(a, frame, end, block, pixel, image.rows, from.at, true);
        continue;
      }
      for (int64_t row = 0; row < image.rows; row++)
        if (factors[row] == FORGE_NOT_FINITE)
          strassen_direct(a, uneven + row * FORGE_LANES, weights + v * FORGE_LANES, product_floats,
                          i, from.at + row * FORGE_LANES);
      strassen_store(a, frame, end, block, pixel, image.rows, from.at, false);
    }
  }
}

/* Tiles: segment * panels + panel. Unless the threads share sums, each computes those of its
 * segments. */
FORGE_KERNEL(strassen) {
  const forge_strassen_arguments *a = arguments;
  const finish end = finish_of(&a->epilogue.activation);
  const int64_t panels = forge_strassen_panels(a), groups = forge_strassen_groups(a);
  const int64_t sums_floats = forge_strassen_layout_of(a).sums_floats;
  const bool is_even = strassen_is_even(a, frame);
  float *scratch = forge_origin(&a->scratch, frame) + frame->worker * a->scratch_worker;
  if (a->shares_sums) {
    const float *sums = forge_origin(&a->sums, frame);
    for (int64_t tile = first; tile < last; tile++)
      strassen_panel(a, frame, tile / panels, tile % panels, sums + tile / panels * sums_floats,
                     scratch, &end, is_even);
    return;
  }
  /* The segment whose sums the scratch holds, from an earlier call of this worker for this step. */
  int64_t made = -1;
  if (frame->calls > 0) memcpy(&made, scratch, sizeof made);
  float *sums = scratch + FORGE_LANES;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t segment = tile / panels;
    if (segment != made) {
      const forge_strassen_side image = forge_strassen_image(a, frame, segment, is_even);
      strassen_sums_of(a, &image, sums, 0, groups);
      made = segment;
    }
    strassen_panel(a, frame, segment, tile % panels, sums, scratch, &end, is_even);
  }
  memcpy(scratch, &made, sizeof made);
}
