/* Running the steps of a plan on several threads: one small pool of workers for the whole process.
 *
 * Workers are made when they are first asked for, and never more than were ever asked for. A worker
 * that has nothing to do spins for at most FORGE_SPIN_NANOSECONDS and then sleeps in the kernel, so
 * that an idle process uses no time at all. A prediction that finds the pool in use runs on its own
 * thread alone, without waiting. After fork the child has no workers and makes its own. */
#ifndef CFORGE_POOL_H
#define CFORGE_POOL_H

#include "CForgeKernels.h"

#include <stdbool.h>

/* The most threads of one prediction, the calling one among them. */
#define FORGE_MOST_THREADS 256

/* How long a worker without work spins before it sleeps. */
#define FORGE_SPIN_NANOSECONDS 200000

/* Runs steps[0 ..< count] in order. A step whose most_threads allows it is dealt out: of n threads,
 * thread w begins with the tiles tiles*w/n ..< tiles*(w+1)/n, or as many of its `parts`, piece by
 * piece, then takes what others have not begun, and all have ended before the next step begins.
 * Other steps run on the calling thread, which takes part everywhere as worker 0. At most `threads`
 * threads take part; with 1, or where every step has most_threads 1, the pool is not touched.
 *
 * Kernels see the calling thread's rounding and denormal modes on every thread.
 *
 * Before each step it looks whether *stop is not 0 (where stop is not NULL; other threads may write
 * it) or CLOCK_MONOTONIC has reached `deadline` in nanoseconds (INT64_MAX never comes), and then
 * ends. Returns the number of steps it ran. */
int64_t forge_run_parallel(const forge_step *steps, int64_t count, const forge_frame *frame,
                           int32_t threads, const int32_t *stop, int64_t deadline);

/* Makes the workers that runs of `threads` threads need, so that the first run does not have to.
 * Without it, or where a thread cannot be made, runs make them or use fewer. */
void forge_prepare_threads(int32_t threads);

/* The workers there are: 0 until the first is needed. */
int32_t forge_worker_count(void);

/* The processors that the calling thread may run on, as a bit mask of `count` bytes, bit i % 8 of
 * byte i / 8. Returns the number of bytes written, or -1 where the system does not say. */
int64_t forge_affinity_mask(uint8_t *bytes, int64_t count);

#endif
