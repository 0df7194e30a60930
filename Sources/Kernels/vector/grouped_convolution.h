/* Convolution in groups that are not whole blocks: a vector holds 16 output channels of a pixel.
 *
 * Groups of many outputs are computed one after the other, each input broadcast to the vector.
 * Groups of few outputs share a vector: permutations of the blocks move input number k of each
 * group to the lanes of its outputs. If windows are three adjacent columns, such an input is used
 * for all taps of the window's row.
 *
 * A sum starts with the bias and adds ky, channel, kx in order, whatever the tile. */

/* How input number k of every group reaches its lanes. Later cases are more general. */
typedef enum {
  GROUPED_SPLAT,  /* one group: all lanes the same */
  GROUPED_HALVES, /* each half of the vector from the same half of one block */
  GROUPED_ONE,    /* from one block */
  GROUPED_TWO,    /* from two blocks */
  GROUPED_PICK    /* number by number */
} grouped_source;

/* Distances in floats from block 0, lane 0 of a pixel. */
typedef struct {
  grouped_source source;
  int64_t first, second;        /* of the blocks; of the number itself for GROUPED_SPLAT */
  v16i lanes;                   /* in the block, those of the second from 16 on */
  int64_t offsets[FORGE_LANES]; /* of each lane's number */
} grouped_step;

#define FORGE_PERMUTES_NONE 0
#define FORGE_PERMUTES_8 1
#define FORGE_PERMUTES_16 2

#if FORGE_PERMUTES == FORGE_PERMUTES_8
FORGE_INLINE __m256 permute_8(const float *p, v16i lanes, const int half) {
  const __m256i index = half
    ? (__m256i)__builtin_shufflevector(lanes, lanes, 8, 9, 10, 11, 12, 13, 14, 15)
    : (__m256i)__builtin_shufflevector(lanes, lanes, 0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_permutevar8x32_ps(_mm256_loadu_ps(p), index); /* looks at three bits of the index */
}

FORGE_INLINE v16 permute_halves(const float *low, const float *high, v16i lanes) {
  return __builtin_shufflevector(permute_8(low, lanes, 0), permute_8(high, lanes, 1), 0, 1, 2, 3, 4,
                                 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
#endif

/* Returns the vector of one pixel. `source` is a constant. */
FORGE_INLINE v16 grouped_input(const float *pixel, const grouped_step *step,
                               const grouped_source source) {
  switch (source) {
    case GROUPED_SPLAT: return splat(pixel[step->first]);
#if FORGE_PERMUTES == FORGE_PERMUTES_16
    case GROUPED_HALVES:
    case GROUPED_ONE:
      return (v16)_mm512_permutexvar_ps((__m512i)step->lanes, (__m512)load(pixel + step->first));
    case GROUPED_TWO:
      return (v16)_mm512_permutex2var_ps((__m512)load(pixel + step->first), (__m512i)step->lanes,
                                         (__m512)load(pixel + step->second));
#elif FORGE_PERMUTES == FORGE_PERMUTES_8
    case GROUPED_HALVES: {
      const float *at = pixel + step->first;
      return permute_halves(at, at + 8, step->lanes);
    }
    case GROUPED_ONE: {
      const float *at = pixel + step->first;
      return choose(step->lanes > 7, permute_halves(at + 8, at + 8, step->lanes),
                    permute_halves(at, at, step->lanes));
    }
#endif
    default: {
      const int64_t *o = step->offsets;
      return (v16){pixel[o[0]],  pixel[o[1]],  pixel[o[2]],  pixel[o[3]],
                   pixel[o[4]],  pixel[o[5]],  pixel[o[6]],  pixel[o[7]],
                   pixel[o[8]],  pixel[o[9]],  pixel[o[10]], pixel[o[11]],
                   pixel[o[12]], pixel[o[13]], pixel[o[14]], pixel[o[15]]};
    }
  }
}

/* Sets up input number k for lanes whose groups' inputs begin at the increasing channels[]. */
static void grouped_step_of(grouped_step *step, const int64_t *channels, int64_t k,
                            int64_t in_block) {
  int32_t lanes[FORGE_LANES];
  const int64_t first = (channels[0] + k) / FORGE_LANES;
  int64_t second = first;
  bool one = true, two = true, halves = true;
  for (int lane = 0; lane < FORGE_LANES; lane++) {
    const int64_t block = (channels[lane] + k) / FORGE_LANES,
                  at = (channels[lane] + k) % FORGE_LANES;
    step->offsets[lane] = block * in_block + at;
    if (second == first) second = block;
    one &= block == first;
    two &= block == first || block == second;
    halves &= at / 8 == lane / 8;
    lanes[lane] = (int32_t)(block == first ? at : at + FORGE_LANES);
  }
  step->first = first * in_block;
  step->second = second * in_block;
  memcpy(&step->lanes, lanes, sizeof lanes);
  step->source = one && halves ? GROUPED_HALVES
    : one                      ? GROUPED_ONE
    : two                      ? GROUPED_TWO
                               : GROUPED_PICK;
}

/* One row of output of one piece. Distances are in floats. */
typedef struct {
  const float *in;      /* block 0 of the first pixel of the row's first window: [16] */
  const float *weights; /* [ky][inputs][kx][16] */
  v16 bias;
  float *out;            /* [width][16] */
  const float *residual; /* likewise, or NULL */
  int64_t width;
  int64_t tap_row, tap_column; /* from one tap of the window to the next */
  int64_t pixel;               /* from one output pixel's window to the next */
  int64_t kernel_height, kernel_width;
  int64_t inputs;            /* of a group */
  const grouped_step *steps; /* [inputs] by lanes, else NULL */
  int64_t channel, in_block; /* else: the first input; from one block to the next */
  v16 low, high;
  v16i mask;    /* the lanes that hold channels */
  bool partial; /* only the lanes of `group` are written */
  v16i group;
} grouped_row;

/* Adds one input of every pixel of a tile for one row of its windows. The windows of adjacent
 * pixels are `stride` pixels apart, or any distance (0). at: the first tap of the first pixel. */
FORGE_INLINE void grouped_add(const grouped_row *row, v16 *sum, const float *at,
                              const float *weights, const grouped_step *step, const int pixels,
                              const int stride, const grouped_source source) {
  if (stride > 0) {
    v16 w[3];
#pragma clang loop unroll(full)
    for (int kx = 0; kx < 3; kx++) w[kx] = load(weights + kx * FORGE_LANES);
#pragma clang loop unroll(full)
    for (int column = 0; column < (pixels - 1) * stride + 3; column++) {
      const v16 in = grouped_input(at + column * FORGE_LANES, step, source);
#pragma clang loop unroll(full)
      for (int i = 0; i < pixels; i++) {
        const int kx = column - i * stride;
        if (kx >= 0 && kx < 3) sum[i] = multiply_add(in, w[kx], sum[i]);
      }
    }
  } else {
#pragma clang loop unroll(disable)
    for (int64_t kx = 0; kx < row->kernel_width; kx++) {
      const v16 w = load(weights + kx * FORGE_LANES);
      const float *tap = at + kx * row->tap_column;
#pragma clang loop unroll(full)
      for (int i = 0; i < pixels; i++)
        sum[i] = multiply_add(grouped_input(tap + i * row->pixel, step, source), w, sum[i]);
    }
  }
}

/* Computes pixels x ..< x + pixels. The last three arguments are constants. */
FORGE_INLINE void grouped_tile(const grouped_row *row, int64_t x, const int pixels,
                               const int stride, const bool by_lanes) {
  v16 sum[FORGE_GROUPED_PIXELS];
#pragma clang loop unroll(full)
  for (int i = 0; i < pixels; i++) sum[i] = row->bias;
  const float *weights = row->weights;
  for (int64_t ky = 0; ky < row->kernel_height; ky++) {
    const float *at = row->in + x * row->pixel + ky * row->tap_row;
    for (int64_t k = 0; k < row->inputs; k++) {
      if (by_lanes) {
        const grouped_step *step = row->steps + k;
#define FORGE_GROUPED_CASE(source) \
  case source: grouped_add(row, sum, at, weights, step, pixels, stride, source); break;
        switch (step->source) {
          /* clang-format off */
#if FORGE_PERMUTES == FORGE_PERMUTES_16
          case GROUPED_HALVES:
          FORGE_GROUPED_CASE(GROUPED_ONE)
          FORGE_GROUPED_CASE(GROUPED_TWO)
#elif FORGE_PERMUTES != FORGE_PERMUTES_NONE
          FORGE_GROUPED_CASE(GROUPED_HALVES)
          FORGE_GROUPED_CASE(GROUPED_ONE)
#endif
          /* clang-format on */
          default: grouped_add(row, sum, at, weights, step, pixels, stride, GROUPED_PICK); break;
        }
      } else {
        const int64_t c = row->channel + k;
        const grouped_step step = {.first = c / FORGE_LANES * row->in_block + c % FORGE_LANES};
        grouped_add(row, sum, at, weights, &step, pixels, stride, GROUPED_SPLAT);
      }
      weights += row->kernel_width * FORGE_LANES;
    }
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < pixels; i++) {
    const int64_t to = (x + i) * FORGE_LANES;
    v16 value = row->residual ? sum[i] + load(row->residual + to) : sum[i];
    value = clamp(value, row->low, row->high);
    if (row->partial) value = choose(row->group, value, load(row->out + to));
    store(row->out + to, keep(row->mask, value));
  }
}

FORGE_INLINE void grouped_pixels(const grouped_row *row, const int stride, const bool by_lanes) {
#define FORGE_GROUPED_TILE(x, pixels) grouped_tile(row, x, pixels, stride, by_lanes)
  FORGE_PIXEL_TILES(row->width, FORGE_GROUPED_PIXELS, FORGE_GROUPED_TILE);
}

typedef void (*grouped_function)(const grouped_row *row);

#define FORGE_GROUPED_FUNCTIONS(stride)                        \
  static void grouped_splat_##stride(const grouped_row *row) { \
    grouped_pixels(row, stride, false);                        \
  }                                                            \
  static void grouped_lanes_##stride(const grouped_row *row) { grouped_pixels(row, stride, true); }
FORGE_GROUPED_FUNCTIONS(0)
FORGE_GROUPED_FUNCTIONS(1)
FORGE_GROUPED_FUNCTIONS(2)

static grouped_function grouped_function_of(const forge_grouped_convolution_arguments *a,
                                            bool by_lanes) {
  const bool near = a->kernel_width == 3 && a->dilation_x == 1;
  if (near && a->stride_x == 1) return by_lanes ? grouped_lanes_1 : grouped_splat_1;
  if (near && a->stride_x == 2) return by_lanes ? grouped_lanes_2 : grouped_splat_2;
  return by_lanes ? grouped_lanes_0 : grouped_splat_0;
}

/* Sets up the inputs of a block whose groups share its vectors. */
static void grouped_steps_of(grouped_step *steps, const forge_grouped_convolution_arguments *a,
                             int64_t block, int64_t inputs, int64_t outputs) {
  int64_t channels[FORGE_LANES];
  for (int64_t lane = 0; lane < FORGE_LANES; lane++) {
    /* Lanes past the last output repeat the last one. Their results are dropped. */
    const int64_t o = forge_smaller(block * FORGE_LANES + lane, a->out.channels - 1);
    channels[lane] = o / outputs * inputs;
  }
  for (int64_t k = 0; k < inputs; k++) grouped_step_of(steps + k, channels, k, a->in.block_stride);
}

FORGE_KERNEL(grouped_convolution) {
  const forge_grouped_convolution_arguments *a = arguments;
  const forge_epilogue *e = &a->epilogue;
  const int64_t inputs = a->in.channels / a->groups, outputs = a->out.channels / a->groups;
  const int64_t piece = (int64_t)a->kernel_height * a->kernel_width * inputs * FORGE_LANES;
  const bool by_lanes = forge_grouped_by_lanes(inputs, outputs);
  const grouped_function compute = grouped_function_of(a, by_lanes);
  const finish end = finish_of(&e->activation);
  grouped_step steps[FORGE_MOST_INPUTS_BY_LANES];
  grouped_row row = {
    .width = a->out.width,
    .tap_row = a->dilation_y * a->in.row_stride,
    .tap_column = (int64_t)a->dilation_x * FORGE_LANES,
    .pixel = (int64_t)a->stride_x * FORGE_LANES,
    .kernel_height = a->kernel_height,
    .kernel_width = a->kernel_width,
    .inputs = inputs,
    .steps = steps,
    .in_block = a->in.block_stride,
    .low = splat(end.low),
    .high = splat(end.high),
  };
  int64_t ready = -1; /* the block that `steps` is for */
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const int64_t lanes = forge_lanes(a->out.channels, block);
    row.in = forge_row(&a->in, frame, 0, y * a->stride_y - a->pad_top) - a->pad_left * FORGE_LANES;
    row.bias = load(a->bias + block * FORGE_LANES);
    row.out = forge_row(&a->out, frame, block, y);
    row.residual = e->has_residual ? forge_row(&e->residual, frame, block, y) : NULL;
    row.mask = first_lanes(lanes);
    const int64_t first_group = block * FORGE_LANES / outputs;
    if (by_lanes) {
      if (block != ready) grouped_steps_of(steps, a, block, inputs, outputs);
      ready = block;
      row.weights = a->weights + block * piece;
      compute(&row);
    } else {
      const int64_t last_group = (block * FORGE_LANES + lanes - 1) / outputs;
      row.partial = first_group < last_group;
      for (int64_t group = first_group; group <= last_group; group++) {
        const int64_t from =
          group * outputs - block * FORGE_LANES; /* its first lane; maybe below 0 */
        row.group = first_lanes(from + outputs) & ~first_lanes(from);
        row.channel = group * inputs;
        row.weights = a->weights + forge_grouped_piece(block, group, inputs, outputs) * piece;
        compute(&row);
      }
    }
    if (end.further) activate(row.out, row.out, row.width, lanes, end.further);
  }
}
