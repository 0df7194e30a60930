/* The loop over the steps of a plan that somebody may stop. */
#define _POSIX_C_SOURCE 199309L
#include "CForgeKernels.h"

#include <time.h>

#pragma STDC FP_CONTRACT OFF

static int is_over(int64_t deadline) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec >= deadline;
}

int64_t forge_run_until(const forge_step *steps, int64_t count, const forge_frame *frame,
                        const int32_t *stop, int64_t deadline) {
  for (int64_t i = 0; i < count; i++) {
    if (stop && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0) return i;
    if (deadline != INT64_MAX && is_over(deadline)) return i;
    steps[i].kernel(steps[i].arguments, frame, 0, steps[i].tiles);
  }
  return count;
}
