/* Reads parameters in the layout and type of a file. */
#include "internal.h"

#pragma STDC FP_CONTRACT OFF

/* Returns element `index` of unaligned memory. `type` is a constant. */
FORGE_INLINE float element(const unsigned char *bytes, int64_t index, const int32_t type) {
  if (type == FORGE_STORED_FLOAT32) {
    float value;
    memcpy(&value, bytes + index * 4, sizeof value);
    return value;
  }
  if (type == FORGE_STORED_FLOAT64) {
    double value;
    memcpy(&value, bytes + index * 8, sizeof value);
    return (float)value;
  }
  uint16_t half;
  memcpy(&half, bytes + index * 2, sizeof half);
  return type == FORGE_STORED_FLOAT16 ? forge_float_of_half(half)
                                      : forge_float_of((uint32_t)half << 16);
}

/* Writes a matrix: out[r * row_out + c] = in[r * row_in + c * column_in]. It is copied in squares,
 * so that both sides stay in the first-level cache when one is read across its lines. */
FORGE_INLINE void gather_matrix(const unsigned char *in, int64_t offset, int64_t rows,
                                int64_t row_in, int64_t row_out, int64_t columns, int64_t column_in,
                                float *out, const int32_t type) {
  for (int64_t r0 = 0; r0 < rows; r0 += 16) {
    const int64_t r1 = forge_smaller(r0 + 16, rows);
    for (int64_t c0 = 0; c0 < columns; c0 += 16) {
      const int64_t c1 = forge_smaller(c0 + 16, columns);
      for (int64_t r = r0; r < r1; r++)
        for (int64_t c = c0; c < c1; c++)
          out[r * row_out + c] = element(in, offset + r * row_in + c * column_in, type);
    }
  }
}

/* The rows of a tile. */
#define ROWS_OF_A_TILE 64

typedef struct {
  const unsigned char *in;
  float *out;
  int32_t type, rank;
  int32_t row;    /* the axis of the rows of the matrices, -1 for none; the last one is that of the
                     columns */
  int64_t chunks; /* of rows, per matrix */
  const int64_t *sizes, *strides;
  int64_t outs[FORGE_MAX_RANK]; /* the strides of the result */
} gathering;

/* A tile is a chunk of the rows of one matrix. The other axes select the matrix. */
static void gather_tile(const void *arguments, int64_t tile) {
  const gathering *a = arguments;
  const int32_t column = a->rank - 1, row = a->row;
  const int64_t start = tile % a->chunks * ROWS_OF_A_TILE;
  const int64_t rows = row < 0 ? 1 : forge_smaller(ROWS_OF_A_TILE, a->sizes[row] - start);
  const int64_t row_in = row < 0 ? 0 : a->strides[row], row_out = row < 0 ? 0 : a->outs[row];
  int64_t from = start * row_in, to = start * row_out, rest = tile / a->chunks;
  for (int32_t axis = column - 1; axis >= 0; axis--) {
    if (axis == row) continue;
    from += rest % a->sizes[axis] * a->strides[axis];
    to += rest % a->sizes[axis] * a->outs[axis];
    rest /= a->sizes[axis];
  }
  switch (a->type) {
#define FORGE_GATHER(kind)                                                                  \
  case kind:                                                                                \
    gather_matrix(a->in, from, rows, row_in, row_out, a->sizes[column], a->strides[column], \
                  a->out + to, kind);                                                       \
    break;
    FORGE_GATHER(FORGE_STORED_FLOAT32)
    FORGE_GATHER(FORGE_STORED_FLOAT16)
    FORGE_GATHER(FORGE_STORED_BFLOAT16)
    FORGE_GATHER(FORGE_STORED_FLOAT64)
    default: return;
  }
}

void forge_gather(const void *in, int32_t type, int32_t rank, const int64_t *sizes,
                  const int64_t *strides, float *out, int32_t threads) {
  if (rank == 0) {
    forge_gather(in, type, 1, (const int64_t[]){1}, (const int64_t[]){1}, out, 1);
    return;
  }
  gathering a = {.in = in,
                 .out = out,
                 .type = type,
                 .rank = rank,
                 .row = -1,
                 .chunks = 1,
                 .sizes = sizes,
                 .strides = strides};
  int64_t count = 1;
  for (int32_t axis = rank - 1; axis >= 0; axis--) {
    a.outs[axis] = count;
    count *= sizes[axis];
  }
  if (count == 0) return;
  /* The rows of the matrix are the axis with the smallest stride in the source. */
  for (int32_t axis = 0; axis < rank - 1; axis++)
    if (sizes[axis] > 1 && (a.row < 0 || strides[axis] < strides[a.row])) a.row = axis;
  int64_t tiles = 1;
  if (a.row >= 0) tiles = a.chunks = forge_quotient_up(sizes[a.row], ROWS_OF_A_TILE);
  for (int32_t axis = 0; axis < rank - 1; axis++)
    if (axis != a.row) tiles *= sizes[axis];
  forge_deal(gather_tile, &a, tiles, count * (int64_t)sizeof(float), threads);
}
