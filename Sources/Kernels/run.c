/* The loop over the steps of a plan. */
#include "CForgeKernels.h"

#pragma STDC FP_CONTRACT OFF

void forge_run(const forge_step *steps, int64_t count, const forge_frame *frame) {
  for (int64_t i = 0; i < count; i++) steps[i].kernel(steps[i].arguments, frame, 0, steps[i].tiles);
}
