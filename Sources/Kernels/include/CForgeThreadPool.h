/* Runs the steps of a plan on several threads of one thread pool per process.
 *
 * Workers are created on demand. A worker without work spins for at most FORGE_SPIN_NANOSECONDS and
 * then sleeps, so an idle process uses no time. A prediction that finds the pool in use runs on its
 * own thread and does not wait. After fork the child creates workers of its own. */
#ifndef CFORGE_POOL_H
#define CFORGE_POOL_H

#include "CForgeKernels.h"

#include <stdbool.h>

/* The most threads of one prediction, including the caller. */
#define FORGE_MOST_THREADS 256

/* How long a worker without work spins before it sleeps. */
#define FORGE_SPIN_NANOSECONDS 200000

/* Runs steps[0 ..< count] in order. A step whose most_threads is above 1 is shared: of n threads,
 * thread w begins with the tiles tiles*w/n ..< tiles*(w+1)/n (or such a range of its `parts`),
 * piece by piece, then takes pieces that others have not begun. The next step begins when all have
 * finished. The caller is worker 0. At most `threads` threads take part. With 1, or if no step's
 * most_threads is above 1, the pool is not used. All threads use the caller's rounding and denormal
 * modes.
 *
 * Before each step it checks whether *stop (which other threads may write; may be NULL) is not 0 or
 * CLOCK_MONOTONIC has reached `deadline` in nanoseconds (INT64_MAX: none), and ends if so. Returns
 * the number of steps it ran. */
int64_t forge_run_parallel(const forge_step *steps, int64_t count, const forge_frame *frame,
                           int32_t threads, const int32_t *stop, int64_t deadline);

/* Creates the workers for `threads` threads, so that the first run does not have to. If a thread
 * cannot be created, runs use fewer. */
void forge_prepare_threads(int32_t threads);

/* The number of workers: 0 until the first is needed. */
int32_t forge_worker_count(void);

/* Writes the processors that the calling thread may use as a bit mask of `count` bytes: bit i % 8
 * of byte i / 8. Returns the number of bytes written, or -1 if the system does not tell. */
int64_t forge_affinity_mask(uint8_t *bytes, int64_t count);

#endif
