/* Runs the steps of a plan on the calling thread alone; pool.c deals them out to several. */
#include "CForgeKernels.h"

#pragma STDC FP_CONTRACT OFF

void forge_run(const forge_step *steps, int64_t count, const forge_frame *frame) {
  for (int64_t i = 0; i < count; i++) steps[i].kernel(steps[i].arguments, frame, 0, steps[i].tiles);
}
