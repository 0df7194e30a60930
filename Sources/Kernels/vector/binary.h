/* Operations on two tensors, with broadcasting. */

/* Returns 1 in the lanes of a mask, else 0. */
FORGE_INLINE v16 truth(v16i mask) { return keep(mask, splat(1)); }

/* Returns a op b. `operation` is a constant. */
FORGE_INLINE v16 combine(v16 a, v16 b, int32_t operation) {
  switch (operation) {
    case FORGE_ADD: return a + b;
    case FORGE_SUBTRACT: return a - b;
    case FORGE_MULTIPLY: return a * b;
    case FORGE_MAXIMUM: return choose((a > b) | (a != a), a, b);
    case FORGE_MINIMUM: return choose((a < b) | (a != a), a, b);
    case FORGE_DIVIDE: return a / b;
    case FORGE_EQUAL: return truth(a == b);
    case FORGE_NOT_EQUAL: return truth(a != b);
    case FORGE_LESS: return truth(a < b);
    case FORGE_LESS_OR_EQUAL: return truth(a <= b);
    case FORGE_GREATER: return truth(a > b);
    case FORGE_GREATER_OR_EQUAL: return truth(a >= b);
    case FORGE_AND: return truth((a != 0) & (b != 0));
    case FORGE_OR: return truth((a != 0) | (b != 0));
    case FORGE_XOR: return truth((a != 0) ^ (b != 0));
    default: return choose(a < 0, a * b, a); /* FORGE_PRELU */
  }
}

/* Expands BODY for each operation with vectors as a constant. */
#define FORGE_FOR_OPERATION(operation, BODY)                          \
  switch (operation) {                                                \
    case FORGE_ADD: BODY(FORGE_ADD); break;                           \
    case FORGE_SUBTRACT: BODY(FORGE_SUBTRACT); break;                 \
    case FORGE_MULTIPLY: BODY(FORGE_MULTIPLY); break;                 \
    case FORGE_MAXIMUM: BODY(FORGE_MAXIMUM); break;                   \
    case FORGE_MINIMUM: BODY(FORGE_MINIMUM); break;                   \
    case FORGE_PRELU: BODY(FORGE_PRELU); break;                       \
    case FORGE_DIVIDE: BODY(FORGE_DIVIDE); break;                     \
    case FORGE_EQUAL: BODY(FORGE_EQUAL); break;                       \
    case FORGE_NOT_EQUAL: BODY(FORGE_NOT_EQUAL); break;               \
    case FORGE_LESS: BODY(FORGE_LESS); break;                         \
    case FORGE_LESS_OR_EQUAL: BODY(FORGE_LESS_OR_EQUAL); break;       \
    case FORGE_GREATER: BODY(FORGE_GREATER); break;                   \
    case FORGE_GREATER_OR_EQUAL: BODY(FORGE_GREATER_OR_EQUAL); break; \
    case FORGE_AND: BODY(FORGE_AND); break;                           \
    case FORGE_OR: BODY(FORGE_OR); break;                             \
    case FORGE_XOR: BODY(FORGE_XOR); break;                           \
    default: break;                                                   \
  }

/* ---- blocked ---- */

/* A row of one block of an operand. */
typedef struct {
  const float *at; /* pixel 0: float [16], of which only the first counts where `spread` */
  int64_t step;    /* floats to the next pixel: 16, or 0 where the operand has one column */
  bool spread;     /* the operand has one channel, which stands for all */
} operand;

static operand operand_of(const forge_view *view, const forge_frame *frame, int64_t block,
                          int64_t y) {
  const bool spread = view->channels == 1;
  return (operand){forge_row(view, frame, spread ? 0 : block, view->height == 1 ? 0 : y),
                   view->width == 1 ? 0 : FORGE_LANES, spread};
}

FORGE_INLINE v16 pixel_of(const operand *operand, int64_t x, bool spread) {
  const float *at = operand->at + x * operand->step;
  return spread ? splat(*at) : load(at);
}

FORGE_INLINE void combine_row(const operand *a, const operand *b, bool spread_a, bool spread_b,
                              float *out, int64_t width, int32_t operation, v16i mask, v16 low,
                              v16 high) {
  for (int64_t x = 0; x < width; x++) {
    const v16 value = combine(pixel_of(a, x, spread_a), pixel_of(b, x, spread_b), operation);
    store(out + x * FORGE_LANES, keep(mask, clamp(value, low, high)));
  }
}

FORGE_KERNEL(binary) {
  const forge_binary_arguments *args = arguments;
  const finish end = finish_of(&args->activation);
  const v16 low = splat(end.low), high = splat(end.high);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / args->out.height, y = tile % args->out.height;
    const int64_t lanes = forge_lanes(args->out.channels, block), width = args->out.width;
    const v16i mask = first_lanes(lanes);
    const operand a = operand_of(&args->a, frame, block, y);
    const operand b = operand_of(&args->b, frame, block, y);
    float *out = forge_row(&args->out, frame, block, y);
#define FORGE_ROW(operation)                                                  \
  if (a.spread && b.spread)                                                   \
    combine_row(&a, &b, true, true, out, width, operation, mask, low, high);  \
  else if (a.spread)                                                          \
    combine_row(&a, &b, true, false, out, width, operation, mask, low, high); \
  else if (b.spread)                                                          \
    combine_row(&a, &b, false, true, out, width, operation, mask, low, high); \
  else                                                                        \
    combine_row(&a, &b, false, false, out, width, operation, mask, low, high)
    FORGE_FOR_OPERATION(args->operation, FORGE_ROW)
#undef FORGE_ROW
    if (end.further) activate(out, out, width, lanes, end.further);
  }
}

/* ---- plain ---- */

/* Loads numbers i ..< i + count, at most 16, of a row whose numbers are `step` floats apart. */
FORGE_INLINE v16 numbers_of(const float *row, int64_t step, int64_t i, int64_t count) {
  if (step == 0) return splat(*row);
  if (step == 1 && count == FORGE_LANES) return load(row + i);
  float lanes[FORGE_LANES];
  gather(lanes, row + i * step, step, count, 0);
  return load(lanes);
}

/* out: float [count]. */
FORGE_INLINE void combine_plain_row(const float *a, int64_t a_step, const float *b, int64_t b_step,
                                    float *out, int64_t count, int32_t operation) {
  for (int64_t i = 0; i < count; i += FORGE_LANES) {
    const int64_t some = forge_smaller(FORGE_LANES, count - i);
    const v16 value =
      combine(numbers_of(a, a_step, i, some), numbers_of(b, b_step, i, some), operation);
    if (some == FORGE_LANES)
      store(out + i, value);
    else
      store_first(out + i, some, value);
  }
}

FORGE_KERNEL(binary_plain) {
  const forge_binary_plain_arguments *args = arguments;
  forge_walk walk;
  if (!forge_walk_begin_binary(&walk, args, first, last)) return;
  do {
    const float *a = forge_start(&args->a, frame) + walk.offsets[0];
    const float *b = forge_start(&args->b, frame) + walk.offsets[1];
    float *out = forge_start(&args->out, frame) + walk.offsets[2];
#define FORGE_ROW(operation) \
  combine_plain_row(a, walk.steps[0], b, walk.steps[1], out, walk.count, operation)
    FORGE_FOR_OPERATION(args->operation, FORGE_ROW)
#undef FORGE_ROW
    if (args->activation.kind != FORGE_LINEAR)
      activate_plain(out, out, walk.count, &args->activation);
  } while (forge_walk_next(&walk));
}
