/* Attention. The scores of a tile have a lane per query, so that the softmax needs no sums across
 * lanes; the sums of values have a lane per channel. Keys are read where they are, and so are
 * values if a head has whole blocks of 16 channels; otherwise FORGE_ATTENTION_KEYS of them at a
 * time are copied to scratch. */
#include "../attention.h"

/* The rows and vectors of a tile, and how often the loop over its products is unrolled: a tile of
 * one vector has few products for each turn of the loop. */
#if FORGE_TILE_VECTORS > 1
#define FORGE_ATTENTION_VECTORS 2
#define FORGE_ATTENTION_ROWS 8
#define FORGE_ATTENTION_UNROLL 1
#else
#define FORGE_ATTENTION_VECTORS 1
#define FORGE_ATTENTION_ROWS (FORGE_TILE_ROWS_1 < 4 ? 2 : FORGE_TILE_ROWS_1)
#define FORGE_ATTENTION_UNROLL 4
#endif

/* Stores the scaled queries of a tile with a lane per query, 0 in the lanes after the last. */
FORGE_INLINE void attention_queries(const forge_attention_arguments *a,
                                    const forge_attention_part *part, const forge_frame *frame,
                                    float *queries) {
  const bool is_blocked =
    part->query_channel % FORGE_LANES == 0 && part->channels % FORGE_LANES == 0;
  const int64_t channels = is_blocked ? FORGE_LANES : 1;
  for (int64_t c = 0; c < part->channels; c += channels) {
    const float *in =
      forge_channel(&a->queries, frame, part->row, part->first, part->query_channel + c);
    float *out = queries + c * FORGE_ATTENTION_QUERIES;
    for (int64_t t = 0; t < part->count; t += FORGE_LANES) {
      const int64_t count = forge_smaller(FORGE_LANES, part->count - t);
      const float *at = in + t * FORGE_LANES;
      if (is_blocked) {
        v16 block[FORGE_LANES];
        for (int64_t i = 0; i < FORGE_LANES; i++)
          block[i] = i < count ? load(at + i * FORGE_LANES) * splat(a->scale) : splat(0);
        transpose(block);
        for (int64_t i = 0; i < FORGE_LANES; i++)
          store(out + i * FORGE_ATTENTION_QUERIES + t, block[i]);
      } else {
        for (int64_t i = 0; i < FORGE_LANES; i++)
          out[t + i] = i < count ? at[i * FORGE_LANES] * a->scale : 0;
      }
    }
  }
}

/* Computes the scores of `rows` keys, `step` floats apart, and `vectors` vectors of queries. `keys`
 * is column `key` of block 0. */
FORGE_INLINE void attention_score_tile(const forge_attention_arguments *a,
                                       const forge_attention_part *part, const float *keys,
                                       int64_t step, const float *queries, float *scores, int rows,
                                       int vectors) {
  v16 sums[FORGE_ATTENTION_ROWS][FORGE_ATTENTION_VECTORS];
#pragma clang loop unroll(full)
  for (int i = 0; i < rows; i++)
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; j++) sums[i][j] = splat(0);
  const int64_t end = part->key_channel + part->channels;
  for (int64_t channel = part->key_channel; channel < end;) {
    const int64_t lane = channel % FORGE_LANES;
    const int64_t run = forge_smaller(FORGE_LANES - lane, end - channel);
    const float *left = keys + channel / FORGE_LANES * a->keys.block_stride + lane;
#pragma clang loop unroll_count(FORGE_ATTENTION_UNROLL)
    for (int64_t k = 0; k < run; k++, queries += FORGE_ATTENTION_QUERIES) {
      v16 columns[FORGE_ATTENTION_VECTORS];
#pragma clang loop unroll(full)
      for (int j = 0; j < vectors; j++) columns[j] = load(queries + j * FORGE_LANES);
#pragma clang loop unroll(full)
      for (int i = 0; i < rows; i++)
#pragma clang loop unroll(full)
        for (int j = 0; j < vectors; j++)
          sums[i][j] = multiply_add(splat(left[i * step + k]), columns[j], sums[i][j]);
    }
    channel += run;
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < rows; i++)
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; j++)
      store(scores + i * FORGE_ATTENTION_QUERIES + j * FORGE_LANES, sums[i][j]);
}

/* Adds the weighted values of `count` keys, `step` floats apart, to `rows` queries and `vectors`
 * blocks of channels. */
FORGE_INLINE void attention_value_tile(const float *weights, const float *values, int64_t step,
                                       int64_t block_stride, int64_t count, float *out, int rows,
                                       int vectors) {
  enum { BLOCK = FORGE_ATTENTION_QUERIES * FORGE_LANES };
  v16 sums[FORGE_ATTENTION_ROWS][FORGE_ATTENTION_VECTORS];
#pragma clang loop unroll(full)
  for (int i = 0; i < rows; i++)
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; j++) sums[i][j] = load(out + j * BLOCK + i * FORGE_LANES);
#pragma clang loop unroll_count(FORGE_ATTENTION_UNROLL)
  for (int64_t key = 0; key < count; key++) {
    v16 columns[FORGE_ATTENTION_VECTORS];
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; j++) columns[j] = load(values + key * step + j * block_stride);
#pragma clang loop unroll(full)
    for (int i = 0; i < rows; i++)
#pragma clang loop unroll(full)
      for (int j = 0; j < vectors; j++)
        sums[i][j] =
          multiply_add(splat(weights[key * FORGE_ATTENTION_QUERIES + i]), columns[j], sums[i][j]);
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < rows; i++)
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; j++) store(out + j * BLOCK + i * FORGE_LANES, sums[i][j]);
}

/* Runs TILE(i, rows) for tiles of all rows below `count`. Two tiles of 4 rows are faster than one
 * of 6 and one of 2. Where tiles have fewer rows than 4, that loop is never entered; FOUR keeps
 * what is compiled of it within the arrays. */
#define FORGE_ATTENTION_TILES(count, TILE)                                                \
  do {                                                                                    \
    enum { MOST = FORGE_ATTENTION_ROWS, FOUR = MOST < 4 ? MOST : 4 };                     \
    int64_t i = 0;                                                                        \
    for (; i + MOST <= count && !(MOST == 6 && count - i == 8); i += MOST) TILE(i, MOST); \
    for (; MOST > 4 && i + 4 <= count; i += 4) TILE(i, FOUR);                             \
    for (; i + 2 <= count; i += 2) TILE(i, 2);                                            \
    for (; i < count; i++) TILE(i, 1);                                                    \
  } while (0)

/* Computes the scores of the keys from `from` on for the first `used` vectors of queries. The
 * constant `step` of blocked images makes a loop of its own. */
FORGE_INLINE void attention_scores(const forge_attention_arguments *a,
                                   const forge_attention_part *part, const forge_frame *frame,
                                   int64_t from, int64_t count, int64_t step, int64_t used,
                                   const float *queries, float *scores) {
  const float *keys = forge_row(&a->keys, frame, 0, part->row) + from * step;
  int64_t vector = 0;
#define FORGE_SCORE_TILE(i, rows)                                                      \
  attention_score_tile(a, part, keys + (i)*step, step, queries + vector * FORGE_LANES, \
                       scores + (i)*FORGE_ATTENTION_QUERIES + vector * FORGE_LANES, rows, wide)
  for (; vector + FORGE_ATTENTION_VECTORS <= used; vector += FORGE_ATTENTION_VECTORS) {
    enum { wide = FORGE_ATTENTION_VECTORS };
    FORGE_ATTENTION_TILES(count, FORGE_SCORE_TILE);
  }
  for (; vector < used; vector++) {
    enum { wide = 1 };
    FORGE_ATTENTION_TILES(count, FORGE_SCORE_TILE);
  }
#undef FORGE_SCORE_TILE
}

/* The numbers of the mask for a key and 16 queries from `query` on. */
FORGE_INLINE v16 attention_mask(const forge_attention_arguments *a,
                                const forge_attention_part *part, int64_t query, int64_t count,
                                int64_t key) {
  const float *at = part->mask + query * a->mask_query + key * a->mask_key;
  if (a->mask_query == 0) return splat(*at);
  float lanes[FORGE_LANES];
  gather(lanes, at, a->mask_query, count, 0);
  return load(lanes);
}

/* Returns the largest scores of 16 queries. Several chains of maxima run side by side. */
FORGE_INLINE v16 attention_largest(const float *scores, int64_t count) {
  enum { CHAINS = 4 };
  v16 largest[CHAINS];
#pragma clang loop unroll(full)
  for (int c = 0; c < CHAINS; c++) largest[c] = splat(-INFINITY);
  int64_t i = 0;
  for (; i + CHAINS <= count; i += CHAINS)
#pragma clang loop unroll(full)
    for (int c = 0; c < CHAINS; c++)
      largest[c] = larger(load(scores + (i + c) * FORGE_ATTENTION_QUERIES), largest[c]);
  for (; i < count; i++)
    largest[0] = larger(load(scores + i * FORGE_ATTENTION_QUERIES), largest[0]);
  return larger(larger(largest[0], largest[1]), larger(largest[2], largest[3]));
}

/* Returns the first of the keys from `from` on that causality hides from some of 16 queries. */
FORGE_INLINE int64_t attention_diagonal(const forge_attention_arguments *a,
                                        const forge_attention_part *part, int64_t from,
                                        int64_t count, int64_t lane) {
  return a->is_causal ? part->first + lane + part->offset - from + 1 : count;
}

/* Caps and masks the scores of 16 queries from `lane` on and returns the largest of each. */
FORGE_INLINE v16 attention_hide(const forge_attention_arguments *a,
                                const forge_attention_part *part, int64_t from, int64_t count,
                                int64_t lane, float *scores) {
  const v16 indices = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const int64_t query = part->first + lane;
  const int64_t diagonal = attention_diagonal(a, part, from, count, lane);
  if (!(a->cap > 0) && !part->mask && diagonal >= count)
    return attention_largest(scores + lane, count);
  v16 largest = splat(-INFINITY);
  for (int64_t i = 0; i < count; i++) {
    float *at = scores + i * FORGE_ATTENTION_QUERIES + lane;
    v16 x = load(at);
    if (a->cap > 0) x = splat(a->cap) * tanh_of(x / splat(a->cap));
    if (part->mask) {
      const v16 mask = attention_mask(a, part, query, part->count - lane, from + i);
      const v16i is_hidden = mask == splat(a->mask_kind == FORGE_ATTENTION_ADDED ? -INFINITY : 0);
      if (a->mask_kind == FORGE_ATTENTION_ADDED) x += mask;
      x = choose(is_hidden, splat(-INFINITY), x);
    }
    if (i >= diagonal) x = choose(indices <= splat((float)(i - diagonal)), splat(-INFINITY), x);
    store(at, x);
    largest = larger(x, largest);
  }
  return largest;
}

/* The value blocks of a head from key `from` on, and the distances between two of them and between
 * two keys. */
typedef struct {
  const float *at;
  int64_t block_stride, step;
} attention_values;

/* Returns the values of `count` keys, copied to `copy` if they are not whole blocks. */
FORGE_INLINE attention_values attention_values_of(const forge_attention_arguments *a,
                                                  const forge_attention_part *part,
                                                  const forge_frame *frame, int64_t from,
                                                  int64_t count, float *copy) {
  if (part->value_channels % FORGE_LANES == 0)
    return (attention_values){
      forge_stepped_channel(&a->values, frame, part->row, from, a->value_step, part->value_channel),
      a->values.block_stride, a->value_step};
  enum { STRIDE = FORGE_ATTENTION_KEYS * FORGE_LANES };
  for (int64_t c = 0; c < forge_blocks(part->value_channels) * FORGE_LANES; c++) {
    float *to = copy + c / FORGE_LANES * STRIDE + c % FORGE_LANES;
    const bool is_inside = c < part->value_channels;
    const float *in = is_inside ? forge_stepped_channel(&a->values, frame, part->row, from,
                                                        a->value_step, part->value_channel + c)
                                : copy;
    for (int64_t i = 0; i < count; i++) to[i * FORGE_LANES] = is_inside ? in[i * a->value_step] : 0;
  }
  return (attention_values){copy, STRIDE, FORGE_LANES};
}

/* Adds the weighted values of `count` keys to the sums of all queries. */
FORGE_INLINE void attention_add(const forge_attention_part *part, attention_values values,
                                int64_t step, int64_t count, const float *scores, float *sums) {
  enum { BLOCK = FORGE_ATTENTION_QUERIES * FORGE_LANES };
  const int64_t blocks = forge_blocks(part->value_channels);
  int64_t block = 0;
#define FORGE_VALUE_TILE(i, rows)                                                                \
  attention_value_tile(scores + (i), values.at + block * values.block_stride, step,              \
                       values.block_stride, count, sums + block * BLOCK + (i)*FORGE_LANES, rows, \
                       wide)
  for (; block + FORGE_ATTENTION_VECTORS <= blocks; block += FORGE_ATTENTION_VECTORS) {
    enum { wide = FORGE_ATTENTION_VECTORS };
    FORGE_ATTENTION_TILES(part->count, FORGE_VALUE_TILE);
  }
  for (; block < blocks; block++) {
    enum { wide = 1 };
    FORGE_ATTENTION_TILES(part->count, FORGE_VALUE_TILE);
  }
#undef FORGE_VALUE_TILE
}

/* Returns whether the sums of all queries are finite. */
FORGE_INLINE bool attention_are_finite(const forge_attention_part *part, const float *sums) {
  enum { BLOCK = FORGE_ATTENTION_QUERIES * FORGE_LANES };
  /* The products with 0 are 0 or NaN. */
  v16 zero = splat(0);
  for (int64_t block = 0; block < forge_blocks(part->value_channels); block++)
    for (int64_t query = 0; query < part->count; query++)
      zero += load(sums + block * BLOCK + query * FORGE_LANES) * splat(0);
  return sum_of_lanes(zero)[0] == 0;
}

/* As attention_add, without the hidden keys, whose weights are -0. Where all values are finite, the
 * bits are those of attention_add. */
FORGE_INLINE void attention_add_visible(const forge_attention_part *part, attention_values values,
                                        int64_t count, const float *scores, float *sums) {
  enum { BLOCK = FORGE_ATTENTION_QUERIES * FORGE_LANES };
  for (int64_t block = 0; block < forge_blocks(part->value_channels); block++)
    for (int64_t query = 0; query < part->count; query++) {
      float *out = sums + block * BLOCK + query * FORGE_LANES;
      v16 sum = load(out);
      for (int64_t key = 0; key < count; key++) {
        const float weight = scores[key * FORGE_ATTENTION_QUERIES + query];
        const float *at = values.at + block * values.block_stride + key * values.step;
        if (weight != 0 || !signbit(weight)) sum = multiply_add(splat(weight), load(at), sum);
      }
      store(out, sum);
    }
}

/* Stores the sums of one query over its weights. */
FORGE_INLINE void attention_store(const forge_attention_arguments *a,
                                  const forge_attention_part *part, const forge_frame *frame,
                                  int64_t query, const float *sums, float factor) {
  enum { BLOCK = FORGE_ATTENTION_QUERIES * FORGE_LANES };
  const int64_t x = part->first + query;
  const int64_t blocks = forge_blocks(part->value_channels);
  for (int64_t block = 0; block < blocks; block++) {
    const v16 result = load(sums + block * BLOCK + query * FORGE_LANES) * splat(factor);
    const int64_t channel = part->out_channel + block * FORGE_LANES;
    if (part->value_channels % FORGE_LANES == 0) {
      store(forge_channel(&a->out, frame, part->row, x, channel), result);
      continue;
    }
    /* Another head may have the other lanes of the block. */
    float lanes[FORGE_LANES];
    store(lanes, result);
    const int64_t rest = forge_lanes(part->value_channels, block);
    for (int64_t lane = 0; lane < rest; lane++)
      *forge_channel(&a->out, frame, part->row, x, channel + lane) = lanes[lane];
  }
  if (part->head < a->heads - 1) return;
  const int64_t padded = forge_blocks(a->out.channels) * FORGE_LANES;
  for (int64_t channel = a->out.channels; channel < padded; channel++)
    *forge_channel(&a->out, frame, part->row, x, channel) = 0;
}

/* Computes one tile. If `leaves_out`, hidden keys are left out of the sums instead of having the
 * weight 0, which takes longer and is needed where they are NaN or infinite. Returns whether the
 * results are stored: not if that is needed. */
static bool attention_tile(const forge_attention_arguments *a, const forge_frame *frame,
                           const forge_attention_part *part, bool leaves_out) {
  enum { QUERIES = FORGE_ATTENTION_QUERIES, BLOCK = QUERIES * FORGE_LANES };
  const forge_attention_scratch parts = forge_attention_scratch_of(a);
  float *scratch = forge_origin(&a->scratch, frame) + frame->worker * a->scratch_worker;
  float *queries = scratch + parts.queries, *scores = scratch + parts.scores;
  float *sums = scratch + parts.sums;
  const int64_t used = forge_blocks(part->count), blocks = forge_blocks(part->value_channels);
  attention_queries(a, part, frame, queries);
  memset(sums, 0, (size_t)(blocks * BLOCK) * sizeof(float));
  float largest[QUERIES], weights[QUERIES];
  for (int64_t t = 0; t < QUERIES; t++) {
    largest[t] = -INFINITY;
    weights[t] = 0;
  }
  bool hides = part->mask;
  for (int64_t from = 0; from < part->keys; from += FORGE_ATTENTION_KEYS) {
    const int64_t count = forge_smaller(FORGE_ATTENTION_KEYS, part->keys - from);
    hides |= attention_diagonal(a, part, from, count, 0) < count;
    if (a->key_step == FORGE_LANES)
      attention_scores(a, part, frame, from, count, FORGE_LANES, used, queries, scores);
    else
      attention_scores(a, part, frame, from, count, a->key_step, used, queries, scores);
    for (int64_t lane = 0; lane < used * FORGE_LANES; lane += FORGE_LANES) {
      const v16 before = load(largest + lane);
      const v16 now = larger(attention_hide(a, part, from, count, lane, scores), before);
      /* Where all keys are hidden so far, all weights are 0. */
      const v16 shift = choose(now == splat(-INFINITY), splat(0), now);
      const v16 shrink = exp_of_negative(before - shift);
      v16 sum = load(weights + lane) * shrink;
      for (int64_t i = 0; i < count; i++) {
        float *at = scores + i * QUERIES + lane;
        const v16 score = load(at);
        const v16 weight = exp_of_negative(score - shift);
        store(at, leaves_out ? choose(score == splat(-INFINITY), splat(-0.0f), weight) : weight);
        sum += weight;
      }
      store(weights + lane, sum);
      store(largest + lane, now);
      if (from == 0) continue;
      float factors[FORGE_LANES];
      store(factors, shrink);
      for (int64_t block = 0; block < blocks; block++)
        for (int64_t t = 0; t < FORGE_LANES; t++) {
          float *at = sums + block * BLOCK + (lane + t) * FORGE_LANES;
          store(at, load(at) * splat(factors[t]));
        }
    }
    const attention_values values =
      attention_values_of(a, part, frame, from, count, scratch + parts.values);
    if (leaves_out)
      attention_add_visible(part, values, count, scores, sums);
    else if (values.step == FORGE_LANES)
      attention_add(part, values, FORGE_LANES, count, scores, sums);
    else
      attention_add(part, values, values.step, count, scores, sums);
  }
  /* NaN times the weight 0 of a hidden key is NaN. */
  if (hides && !leaves_out && !attention_are_finite(part, sums)) return false;
  for (int64_t t = 0; t < part->count; t++)
    attention_store(a, part, frame, t, sums, weights[t] == 0 ? 0 : 1 / weights[t]);
  return true;
}

FORGE_KERNEL(attention) {
  for (int64_t tile = first; tile < last; tile++) {
    const forge_attention_part part = forge_attention_part_of(arguments, frame, tile);
    if (!attention_tile(arguments, frame, &part, false))
      attention_tile(arguments, frame, &part, true);
  }
}
