/* Activations on vectors. Special values: see scalar/activation.c. The relative error is that of
 * elementary.h, times 1 + |u| where exp is taken of a rounded u, the argument of the sigmoid of
 * gelu_tanh and of swish with a other than 1.
 *
 * Kernels clamp in registers, which also covers linear. `activate` applies any other activation to
 * the stored results while they are in the first-level cache. The code of long activations then
 * exists once, not in each tile of a convolution. */

/* The end of a kernel. */
typedef struct {
  float low, high;                 /* clamp's bounds, or -inf and inf */
  const forge_activation *further; /* to be applied by `activate` after, or NULL */
} finish;

static finish finish_of(const forge_activation *activation) {
  if (activation->kind == FORGE_CLAMP) return (finish){activation->a, activation->b, NULL};
  const bool linear = activation->kind == FORGE_LINEAR;
  return (finish){-INFINITY, INFINITY, linear ? NULL : activation};
}

/* Returns f(x). `kind` is a constant. */
FORGE_INLINE v16 activation_of(v16 x, int32_t kind, v16 a, v16 b) {
  switch (kind) {
    case FORGE_CLAMP: return clamp(x, a, b);
    case FORGE_LEAKY_RELU: return choose(x < 0, a * x, x);
    case FORGE_ELU: return choose(x < 0, a * exp_minus_1_of_negative(x), b * x);
    case FORGE_SIGMOID: return sigmoid_of(x);
    case FORGE_TANH: return tanh_of(x);
    case FORGE_HARD_SIGMOID: return clamp(multiply_add(a, x, b), splat(0), splat(1));
    case FORGE_HARD_SWISH: return x * clamp(multiply_add(a, x, b), splat(0), splat(1));
    case FORGE_SWISH: return x * sigmoid_of(a * x);
    case FORGE_MISH: return mish_of(x);
    case FORGE_GELU: return x * normal_of(x);
    case FORGE_GELU_TANH: { /* 1 + tanh(u) = 2 sigmoid(2 u); 2 sqrt(2/pi) = 1.5957... */
      const v16 cube = multiply_add(x * x * x, splat(0.044715f), x);
      return x * sigmoid_of(cube * 1.59576912f);
    }
    case FORGE_SOFTPLUS: return softplus_of(x);
    default: return x;
  }
}

/* Applies an activation to pixels of one block. in, out: float [pixels][16]; out may be in. Lanes
 * from `lanes` on become zero. */
#define FORGE_ACTIVATION_LOOP(kind)                                        \
  case kind:                                                               \
    for (int64_t i = 0; i < pixels; i++) {                                 \
      const v16 x = activation_of(load(in + i * FORGE_LANES), kind, a, b); \
      store(out + i * FORGE_LANES, keep(mask, x));                         \
    }                                                                      \
    break;

static void activate(const float *in, float *out, int64_t pixels, int64_t lanes,
                     const forge_activation *activation) {
  const v16 a = splat(activation->a), b = splat(activation->b);
  const v16i mask = first_lanes(lanes);
  switch (activation->kind) {
    FORGE_ACTIVATION_LOOP(FORGE_LINEAR)
    FORGE_ACTIVATION_LOOP(FORGE_CLAMP)
    FORGE_ACTIVATION_LOOP(FORGE_LEAKY_RELU)
    FORGE_ACTIVATION_LOOP(FORGE_ELU)
    FORGE_ACTIVATION_LOOP(FORGE_SIGMOID)
    FORGE_ACTIVATION_LOOP(FORGE_TANH)
    FORGE_ACTIVATION_LOOP(FORGE_HARD_SIGMOID)
    FORGE_ACTIVATION_LOOP(FORGE_HARD_SWISH)
    FORGE_ACTIVATION_LOOP(FORGE_SWISH)
    FORGE_ACTIVATION_LOOP(FORGE_MISH)
    FORGE_ACTIVATION_LOOP(FORGE_GELU)
    FORGE_ACTIVATION_LOOP(FORGE_GELU_TANH)
    FORGE_ACTIVATION_LOOP(FORGE_SOFTPLUS)
    default: break;
  }
}

/* The same for `count` contiguous floats. */
static void activate_plain(const float *in, float *out, int64_t count,
                           const forge_activation *activation) {
  const int64_t whole = count / FORGE_LANES, rest = count % FORGE_LANES;
  activate(in, out, whole, FORGE_LANES, activation);
  if (rest > 0) {
    float lanes[FORGE_LANES];
    store(lanes, load_first(in + whole * FORGE_LANES, rest, 0));
    activate(lanes, lanes, 1, FORGE_LANES, activation);
    store_first(out + whole * FORGE_LANES, rest, load(lanes));
  }
}

FORGE_KERNEL(activation) {
  const forge_activation_arguments *a = arguments;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    activate(forge_row(&a->in, frame, block, y), forge_row(&a->out, frame, block, y), a->out.width,
             forge_lanes(a->out.channels, block), &a->activation);
  }
}

FORGE_KERNEL(activation_plain) {
  const forge_activation_plain_arguments *a = arguments;
  const int64_t from = first * FORGE_PLAIN_TILE,
                to = forge_smaller(last * FORGE_PLAIN_TILE, a->count);
  if (from >= to) return;
  activate_plain(forge_start(&a->in, frame) + from, forge_start(&a->out, frame) + from, to - from,
                 &a->activation);
}

/* A scale and a bias per channel, and an activation. */
FORGE_KERNEL(affine) {
  const forge_affine_arguments *a = arguments;
  const finish end = finish_of(&a->activation);
  const v16 low = splat(end.low), high = splat(end.high);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const int64_t lanes = forge_lanes(a->out.channels, block);
    const v16i mask = first_lanes(lanes);
    const v16 scale = load(a->scale + block * FORGE_LANES);
    const v16 bias = load(a->bias + block * FORGE_LANES);
    const float *in = forge_row(&a->in, frame, block, y);
    float *out = forge_row(&a->out, frame, block, y);
    for (int64_t x = 0; x < a->out.width; x++) {
      /* Rounded twice, as by the two steps for plain tensors: parts of a stream may have those. */
      const v16 value = load(in + x * FORGE_LANES) * scale + bias;
      store(out + x * FORGE_LANES, keep(mask, clamp(value, low, high)));
    }
    if (end.further) activate(out, out, a->out.width, lanes, end.further);
  }
}
