/* Recurrent cells over a sequence. Included by CForgeKernels.h. */
#ifndef CFORGE_RECURRENT_KERNELS_H
#define CFORGE_RECURRENT_KERNELS_H

/* The formulas, which RecurrentRule states. */
typedef enum {
  FORGE_CELL_SIMPLE = 0,
  FORGE_CELL_LSTM,
  FORGE_CELL_GRU_AFTER, /* the candidate is reset after the product */
  FORGE_CELL_GRU_BEFORE /* before */
} forge_recurrent_cell;

/* Gates per cell: simple 1; LSTM i, f, c, o; GRU z, r, h. */
#define FORGE_MOST_GATES 4

/* Tiles: blocks of 16 units, or of outputs if a projection has more.
 * Rounds: times, twice as many with a projection and for FORGE_CELL_GRU_BEFORE, whose cells take
 * two products one after the other. */
typedef struct {
  int32_t cell;        /* forge_recurrent_cell */
  int32_t is_reversed; /* times are read from the last to the first */
  int32_t is_coupled;  /* LSTM: f = 1 - i */
  float clip;          /* the largest magnitude that gates are computed from, or inf */
  float cell_clip;     /* the largest magnitude of an LSTM's cells, or inf */
  forge_activation gates, candidate, hidden; /* the functions of gates, of c or h, of cells */
  int64_t times, rows, units, outputs;       /* outputs == units without a projection */
  /* [times][rows][gates * units], plain or blocked. Distances in floats: from one time, row and
   * block of 16 units to the next, and to each gate. Blocked gates are whole blocks. */
  forge_place in;
  int64_t in_time, in_row, in_block, gate_offsets[FORGE_MOST_GATES];
  forge_place out; /* [times][rows][outputs], [rows][outputs], LSTM: [rows][units] */
  /* Zeros if has_state is 0: [rows][outputs], and LSTM: [rows][units]. */
  forge_place initial_hidden, initial_cells;
  forge_place lengths; /* [rows]: later outputs are 0. Used if has_lengths. */
  /* [times][rows]: at a time of 0 hidden values, cells and outputs stay. Used if has_mask. */
  forge_place mask;
  /* [2][rows][outputs], then for a projection [rows][units], for FORGE_CELL_GRU_BEFORE
   * [2][rows][units]. */
  forge_place scratch;
  int32_t has_state, has_lengths, has_mask;
  /* [block of units][outputs][gates][16], zero where padded. The gates of FORGE_CELL_GRU_BEFORE are
   * in two such matrices per block: [outputs][2][16] of the first round, [outputs][1][16].
   *
   * Weights that are not floats have the same order, with outputs rounded up to a multiple of four.
   * 24-bit weights are in groups of four vectors: see words.h. */
  const float *weights;
  const float *biases;     /* [block][gates][16], added to the products with weights; or NULL */
  const float *peepholes;  /* LSTM: [block][3][16] for i, f, o; or NULL */
  const float *projection; /* likewise [block of outputs][units][1][16], or NULL */
  /* Of weights that are neither floats nor bf16: [block][gates][16]. */
  const float *scales, *projection_scales;
  /* dynamic_recurrent: [block][gates][16], from forge_pack_dynamic_recurrent. */
  const int32_t *totals, *weight_zeros;
} forge_recurrent_arguments;

/* An LSTM without a projection, whose products are those of bytes. Before each time the hidden
 * values of all rows become bytes, with the quantization of dynamic_range. The product of a row and
 * the weights of a gate's unit n is (float)sum * (scale * scales[n]), where
 *   sum = products - zero * totals[n] - weight_zeros[n] * (sum of the bytes)
 * in integers modulo 2^32. At most FORGE_MOST_HIDDEN outputs. All instruction sets have the same
 * products. */
#define FORGE_MOST_HIDDEN 8192

/* Packs recurrent weights of bytes [gates * units][outputs], whose gates are at `blocks`:
 *   [block of 16 units][fours of outputs][gates][16][4 outputs]
 * zero where padded. zeros: the zero point of each row, or NULL for 0. totals: of each row the sum
 * of its weights less their zero point. totals, packed_zeros: [block of 16 units][gates][16]. */
typedef struct {
  const int8_t *weights;
  const int32_t *zeros;
  int64_t gates, units, outputs;
  int64_t blocks[FORGE_MOST_GATES];
} forge_dynamic_recurrent_packing;
void forge_pack_dynamic_recurrent(const forge_dynamic_recurrent_packing *, int8_t *packed,
                                  int32_t *totals, int32_t *packed_zeros);

#endif
