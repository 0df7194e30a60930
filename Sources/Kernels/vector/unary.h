/* Functions of each element of a plain tensor. Those that have no vector form
 * here are computed one number at a time. */

/* Returns f(x). `function` is a constant. */
FORGE_INLINE v16 unary_of(v16 x, int32_t function, v16 a, v16 b) {
  const v16 one = splat(1), zero = splat(0);
  switch (function) {
    case FORGE_UNARY_ABSOLUTE: return magnitude(x);
    case FORGE_UNARY_NEGATE: return (v16)((v16i)x ^ INT32_MIN);
    case FORGE_UNARY_SIGN: return choose(x > 0, one, choose(x < 0, -one, x));
    case FORGE_UNARY_RECIPROCAL: return one / x;
    case FORGE_UNARY_SQUARE_ROOT: return __builtin_elementwise_sqrt(x);
    case FORGE_UNARY_RECIPROCAL_SQUARE_ROOT: return one / __builtin_elementwise_sqrt(x);
    case FORGE_UNARY_SQUARE: return x * x;
    case FORGE_UNARY_EXPONENTIAL: return exp_of(x);
    case FORGE_UNARY_FLOOR: return __builtin_elementwise_floor(x);
    case FORGE_UNARY_CEILING: return __builtin_elementwise_ceil(x);
    case FORGE_UNARY_TRUNCATE: return __builtin_elementwise_trunc(x);
    case FORGE_UNARY_ERROR_FUNCTION: return error_function_of(x);
    case FORGE_UNARY_LOGICAL_NOT: return keep(x == 0, one);
    case FORGE_UNARY_IS_NONZERO: return keep(x != 0, one);
    case FORGE_UNARY_IS_NAN: return keep(x != x, one);
    case FORGE_UNARY_THRESHOLDED_RELU: return choose(x <= a, zero, x);
    case FORGE_UNARY_SCALED_ELU: return choose(x > 0, b * x, b * (a * exp_minus_1_of_negative(x)));
    case FORGE_UNARY_SWISH: return x * sigmoid_of(a * x);
    case FORGE_UNARY_SCALED_TANH: return a * tanh_of(b * x);
    default: return a * softplus_of(b * x); /* FORGE_UNARY_PARAMETRIC_SOFTPLUS */
  }
}

#define FORGE_UNARY_LOOP(function)                                                         \
  case function:                                                                           \
    for (int64_t i = from; i < to; i += FORGE_LANES) {                                     \
      const int64_t some = to - i;                                                         \
      if (some >= FORGE_LANES)                                                             \
        store(out + i, unary_of(load(in + i), function, a, b));                            \
      else                                                                                 \
        store_first(out + i, some, unary_of(load_first(in + i, some, 0), function, a, b)); \
    }                                                                                      \
    break;

FORGE_KERNEL(unary_plain) {
  const forge_unary_plain_arguments *k = arguments;
  const float *in = forge_start(&k->in, frame);
  float *out = forge_start(&k->out, frame);
  const v16 a = splat(k->a), b = splat(k->b);
  const int64_t from = first * FORGE_PLAIN_TILE;
  const int64_t to = forge_smaller(last * FORGE_PLAIN_TILE, k->count);
  switch (k->function) {
    FORGE_UNARY_LOOP(FORGE_UNARY_ABSOLUTE)
    FORGE_UNARY_LOOP(FORGE_UNARY_NEGATE)
    FORGE_UNARY_LOOP(FORGE_UNARY_SIGN)
    FORGE_UNARY_LOOP(FORGE_UNARY_RECIPROCAL)
    FORGE_UNARY_LOOP(FORGE_UNARY_SQUARE_ROOT)
    FORGE_UNARY_LOOP(FORGE_UNARY_RECIPROCAL_SQUARE_ROOT)
    FORGE_UNARY_LOOP(FORGE_UNARY_SQUARE)
    FORGE_UNARY_LOOP(FORGE_UNARY_EXPONENTIAL)
    FORGE_UNARY_LOOP(FORGE_UNARY_FLOOR)
    FORGE_UNARY_LOOP(FORGE_UNARY_CEILING)
    FORGE_UNARY_LOOP(FORGE_UNARY_TRUNCATE)
    FORGE_UNARY_LOOP(FORGE_UNARY_ERROR_FUNCTION)
    FORGE_UNARY_LOOP(FORGE_UNARY_LOGICAL_NOT)
    FORGE_UNARY_LOOP(FORGE_UNARY_IS_NONZERO)
    FORGE_UNARY_LOOP(FORGE_UNARY_IS_NAN)
    FORGE_UNARY_LOOP(FORGE_UNARY_THRESHOLDED_RELU)
    FORGE_UNARY_LOOP(FORGE_UNARY_SCALED_ELU)
    FORGE_UNARY_LOOP(FORGE_UNARY_SWISH)
    FORGE_UNARY_LOOP(FORGE_UNARY_SCALED_TANH)
    FORGE_UNARY_LOOP(FORGE_UNARY_PARAMETRIC_SOFTPLUS)
    default: forge_unary_plain_scalar(arguments, frame, first, last);
  }
}
#undef FORGE_UNARY_LOOP
