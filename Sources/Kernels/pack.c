/* The weights of the plain convolutions in the form their kernels read. */
#include "internal.h"

#pragma STDC FP_CONTRACT OFF

void forge_pack_convolution(const float *weights, float *packed, int64_t outputs, int64_t taps,
                            int64_t inputs, int64_t panel_width) {
  const int64_t padded = forge_blocks(inputs) * FORGE_LANES;
  const int64_t panels = (outputs + panel_width - 1) / panel_width;
  for (int64_t panel = 0; panel < panels; panel++) {
    const int64_t first = panel * panel_width;
    const int64_t columns = forge_smaller(panel_width, outputs - first);
    for (int64_t tap = 0; tap < taps; tap++) {
      const float *from = weights + (first * taps + tap) * inputs;
      float *to = packed + (panel * taps + tap) * padded * panel_width;
      /* Sixteen inputs at a time: what is written stays in the nearest cache until it is whole. */
      for (int64_t block = 0; block < inputs; block += FORGE_LANES) {
        const int64_t count = forge_smaller(FORGE_LANES, inputs - block);
        for (int64_t column = 0; column < columns; column++) {
          const float *row = from + column * taps * inputs + block;
          for (int64_t i = 0; i < count; i++) to[(block + i) * panel_width + column] = row[i];
        }
        for (int64_t i = 0; i < count; i++)
          for (int64_t column = columns; column < panel_width; column++)
            to[(block + i) * panel_width + column] = 0;
      }
      memset(to + inputs * panel_width, 0,
             (size_t)((padded - inputs) * panel_width) * sizeof(float));
    }
  }
}
