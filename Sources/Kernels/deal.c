/* Packing on several threads: see internal.h. */
#include "include/CForgeThreadPool.h"
#include "internal.h"

/* The least work that is worth another thread: some tens of microseconds of packing. */
#define LEAST_BYTES_OF_A_THREAD (256 << 10)

typedef struct {
  forge_deal_work work;
  const void *arguments;
} deal;

static void work_tiles(const void *arguments, const forge_frame *frame, int64_t first,
                       int64_t last) {
  (void)frame;
  const deal *deal = arguments;
  for (int64_t tile = first; tile < last; tile++) deal->work(deal->arguments, tile);
}

void forge_deal(forge_deal_work work, const void *arguments, int64_t tiles, int64_t bytes,
                int32_t threads) {
  const deal deal = {.work = work, .arguments = arguments};
  const int64_t worth = forge_smaller(tiles, bytes / LEAST_BYTES_OF_A_THREAD);
  /* In the smallest pieces, because page faults slow some threads down much more than others. */
  const forge_step step = {.kernel = work_tiles,
                           .arguments = &deal,
                           .tiles = tiles,
                           .most_threads = (int32_t)forge_smaller(worth, FORGE_MOST_THREADS),
                           .parts = 1,
                           .pieces = INT32_MAX};
  const forge_frame frame = {0};
  forge_run_parallel(&step, 1, &frame, threads, NULL, INT64_MAX);
}
