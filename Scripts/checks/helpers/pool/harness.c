/* Tries the pool of workers without Swift: correctness under the sanitizers, and what it costs.
 * Scripts/check pool builds and runs it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CForgeThreadPool.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TILES = 67, STEPS = 40 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double processor_time(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
    1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static void fail(const char *what) {
  fprintf(stderr, "pool: %s\n", what);
  exit(1);
}

/* Step i reads what step i - 1 wrote, all of it, so that a missing join is seen. */
typedef struct {
  int64_t step;
  int64_t spins;
} arguments;

static void mix(const void *pointer, const forge_frame *frame, int64_t first, int64_t last) {
  const arguments *a = pointer;
  float *out = frame->bases[0] + a->step % 2 * TILES;
  const float *in = frame->bases[0] + (a->step + 1) % 2 * TILES;
  for (int64_t t = first; t < last; t++) {
    float sum = (float)(t + a->step);
    for (int64_t i = 0; i < TILES; i++) sum += in[(t + i) % TILES] * 0.01f;
    for (volatile int64_t s = 0; s < a->spins; s++) {}
    out[t] = sum;
  }
  /* Private scratch: two threads in one would be a race that ThreadSanitizer sees. */
  if (frame->worker < 0 || frame->worker >= 8) fail("worker out of range");
  frame->bases[1][frame->worker * 16] += 1;
}

typedef struct {
  arguments arguments[STEPS];
  forge_step steps[STEPS];
  float values[2 * TILES], scratch[8 * 16];
  float *bases[2];
  forge_frame frame;
} plan;

static void make(plan *p, unsigned seed) {
  memset(p, 0, sizeof *p);
  for (int i = 0; i < STEPS; i++) {
    p->arguments[i] = (arguments){i, rand_r(&seed) % 100};
    p->steps[i] = (forge_step){
      mix, &p->arguments[i], TILES - i % 3 * 20, 1 + rand_r(&seed) % 7, 0, rand_r(&seed) % 9, 1};
  }
  for (int i = 0; i < 2 * TILES; i++) p->values[i] = (float)(rand_r(&seed) % 1000);
  p->bases[0] = p->values;
  p->bases[1] = p->scratch;
  p->frame.bases = p->bases;
}

static void check(unsigned seed, int32_t threads) {
  plan one, many;
  make(&one, seed);
  make(&many, seed);
  forge_run(one.steps, STEPS, &one.frame);
  int32_t go = 0;
  if (forge_run_parallel(many.steps, STEPS, &many.frame, threads, seed % 2 ? &go : NULL,
                         INT64_MAX) != STEPS)
    fail("a run was stopped that nobody stopped");
  if (memcmp(one.values, many.values, sizeof one.values) != 0) fail("other bits");
  int32_t stop = 1;
  make(&many, seed);
  plan same = many;
  if (forge_run_parallel(many.steps, STEPS, &many.frame, threads, &stop, INT64_MAX) != 0)
    fail("not stopped");
  if (memcmp(same.values, many.values, sizeof same.values) != 0) fail("ran although stopped");
}

static void *check_many(void *seed) {
  for (unsigned i = 0; i < 300; i++)
    check((unsigned)(uintptr_t)seed * 1000 + i, 1 + (int32_t)(i % 6));
  return NULL;
}

static int task_count(void) {
  DIR *tasks = opendir("/proc/self/task");
  int count = 0;
  for (struct dirent *entry; (entry = readdir(tasks));) count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

static void correctness(void) {
  check(1, 1);
  if (forge_worker_count() != 0) fail("one thread touched the pool");
  check(2, 3);
  if (forge_worker_count() > 2) fail("more workers than asked for");
  for (int round = 0; round < 20; round++) {
    usleep(round % 2 ? 100 : 400); /* below and above the time of spinning */
    for (unsigned i = 0; i < 20; i++) check((unsigned)round * 100 + i, 1 + (int32_t)(i % 6));
  }
  pthread_t threads[4];
  for (uintptr_t i = 0; i < 4; i++) pthread_create(&threads[i], NULL, check_many, (void *)(i + 7));
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

static void fork_in_the_midst(void) {
  pthread_t other;
  pthread_create(&other, NULL, check_many, (void *)99);
  for (int i = 0; i < 10; i++) {
    usleep(500);
    const pid_t child = fork();
    if (child == 0) {
      if (forge_worker_count() != 0) fail("a child has workers");
      check(5, 1);
      if (task_count() != 1) fail("a child has threads");
      for (unsigned k = 0; k < 50; k++) check(k, 3);
      if (forge_worker_count() != 2) fail("a child has no workers of its own");
      _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    if (status != 0) fail("a child failed");
  }
  pthread_join(other, NULL);
}

static void idle(void) {
  check(3, 6);
  usleep(2000);
  const double before = processor_time();
  sleep(1);
  const double used = processor_time() - before;
  printf("idle: %.4f %% of a processor\n", 100 * used);
  if (used > 0.01) fail("an idle pool uses time");
}

/* ---- what it costs ---- */

static void spin(const void *pointer, const forge_frame *frame, int64_t first, int64_t last) {
  (void)frame;
  const double seconds = 1e-6 * *(const double *)pointer * (double)(last - first);
  const double end = now() + seconds;
  while (now() < end) {}
}

static int ascending(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* `steps` steps of 2 tiles of so many microseconds, after a gap. */
static void cost(int32_t threads, int steps, double microseconds, useconds_t gap) {
  enum { RUNS = 400 };
  static double times[RUNS];
  forge_step list[64];
  for (int i = 0; i < steps; i++) list[i] = (forge_step){spin, &microseconds, 2, 2, 0, 1, 1};
  forge_frame frame = {0};
  for (int r = 0; r < RUNS; r++) {
    if (gap) usleep(gap);
    const double start = now();
    forge_run_parallel(list, steps, &frame, threads, NULL, INT64_MAX);
    times[r] = 1e6 * (now() - start);
  }
  qsort(times, RUNS, sizeof *times, ascending);
  printf("%d threads, %2d steps of 2 x %5.1f us, gap %6u us: p10 %7.1f, median %7.1f, p95 %7.1f, "
         "max %8.1f us\n",
         (int)threads, steps, microseconds, gap, times[RUNS / 10], times[RUNS / 2],
         times[RUNS * 95 / 100], times[RUNS - 1]);
}

int main(int count, char **words) {
  if (count > 1 && strcmp(words[1], "cost") == 0) {
    for (int32_t threads = 1; threads <= 2; threads++) {
      cost(threads, 20, 0, 0);
      cost(threads, 20, 20, 0);
      cost(threads, 20, 20, 100);
      cost(threads, 20, 20, 5000);
      cost(threads, 1, 20, 5000);
      cost(threads, 4, 500, 5000);
    }
    return 0;
  }
  correctness();
  fork_in_the_midst();
  idle();
  puts("pool: correct");
  return 0;
}
