/* How the weights of a grouped convolution lie: what packing, the scalar and the vector kernel
 * share.
 *
 * A piece is what one group adds to one block of 16 outputs, or, "by lanes", what all of the
 * block's groups add to it, each to its own lanes: float [ky][input of the group][kx][16]. By lanes
 * every product is of use, but the inputs must be brought to their lanes; that pays while groups
 * have few outputs. Else the lanes of the piece that are outputs of other groups hold zero, and are
 * not stored. */
#ifndef FORGE_GROUPED_H
#define FORGE_GROUPED_H

#include <stdbool.h>
#include <stdint.h>

#define FORGE_MOST_INPUTS_BY_LANES 64

/* inputs, outputs: of one group. */
static inline bool forge_grouped_by_lanes(int64_t inputs, int64_t outputs) {
  return outputs <= 8 && inputs <= FORGE_MOST_INPUTS_BY_LANES;
}

/* The place among the pieces of the one of a block and a group that has outputs in it. Blocks and
 * groups take turns in beginning the next piece; where they begin together, it is one piece. */
static inline int64_t forge_grouped_piece(int64_t block, int64_t group, int64_t inputs,
                                          int64_t outputs) {
  if (forge_grouped_by_lanes(inputs, outputs)) return block;
  const int64_t factor = outputs & -outputs; /* the power of two in it */
  return block + group - group * (factor < 16 ? factor : 16) / 16;
}

#endif
