/* libyuv's times for the cases of Benchmarks/pictures that it has. */
#include <libyuv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WIDTH = 1920, HEIGHT = 1080 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int count, char **arguments) {
  const int rounds = count > 1 ? atoi(arguments[1]) : 50;
  uint8_t *frame = malloc(WIDTH * HEIGHT * 3 / 2), *out = malloc(WIDTH * HEIGHT * 4);
  uint8_t *small = malloc(640 * 360 * 4);
  double *times = malloc(sizeof(double) * rounds);
  for (int i = 0; i < WIDTH * HEIGHT * 3 / 2; i++) frame[i] = (uint8_t)(i / 61 ^ i * 7);
  for (int scale = 0; scale < 2; scale++) {
    for (int i = -1; i < rounds; i++) {
      const double start = now();
      if (scale)
        ARGBScale(out, WIDTH * 4, WIDTH, HEIGHT, small, 640 * 4, 640, 360, kFilterBilinear);
      else
        NV12ToABGR(frame, WIDTH, frame + WIDTH * HEIGHT, WIDTH, out, WIDTH * 4, WIDTH, HEIGHT);
      if (i >= 0) times[i] = now() - start;
    }
    qsort(times, rounds, sizeof(double), ascending);
    printf("%s\t%f\t%f\n", scale ? "RGBA to 640×360 (scale only)" : "NV12 to RGBA", times[0],
           times[rounds / 2]);
  }
  return 0;
}
