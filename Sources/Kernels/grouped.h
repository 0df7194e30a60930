/* The layout of the weights of a grouped convolution.
 *
 * A piece, float [ky][input of the group][kx][16], is what one group adds to one block of 16
 * outputs. "By lanes" it is what all groups of the block add, each to its own lanes. By lanes no
 * product is wasted, but inputs must be moved to their lanes, which pays off if groups have few
 * outputs. Otherwise lanes that belong to other groups hold zero and are not stored. */
#ifndef FORGE_GROUPED_H
#define FORGE_GROUPED_H

#include <stdbool.h>
#include <stdint.h>

#define FORGE_MOST_INPUTS_BY_LANES 64

/* Whether a block is packed by lanes. inputs, outputs: of one group. */
static inline bool forge_grouped_by_lanes(int64_t inputs, int64_t outputs) {
  return outputs <= 8 && inputs <= FORGE_MOST_INPUTS_BY_LANES;
}

/* Returns the index of the piece of a block and a group with outputs in it. A new piece begins with
 * each block and each group; where both begin, it is one piece. */
static inline int64_t forge_grouped_piece(int64_t block, int64_t group, int64_t inputs,
                                          int64_t outputs) {
  if (forge_grouped_by_lanes(inputs, outputs)) return block;
  const int64_t factor = outputs & -outputs; /* the power of two in it */
  return block + group - group * (factor < 16 ? factor : 16) / 16;
}

#endif
