/* Hears words in a WAV file as an audio host would: frame by frame, with the network's state kept
 * from one frame to the next.
 *
 *   host NETWORK SOUND [PROBABILITIES]
 *
 * NETWORK is a compiled file (Keywords --compile), SOUND a WAV file of 16,000 samples per second.
 * PROBABILITIES receives those of all frames, as floats one after the other. */
#include "wave.h"

#include <forge.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The script `check` counts the allocations of the loop. */
#ifdef COUNT_ALLOCATIONS
#include <CForgeTestSupport.h>
#endif

/* The frames of silence after the sound, so that its last word is heard. */
#define SILENCE 15
/* A word counts as heard when its mean probability over five frames reaches HEARD, and ends below
 * ENDED; no other is heard meanwhile. */
#define MEAN_OF 5
#define HEARD 0.6f
#define ENDED 0.3f

static const char *const words[] = {"yes",  "no", "up", "down", "left", "right",
                                    "stop", "go", "on", "off",  "-"};
#define WORDS (sizeof words / sizeof *words)

static int fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, forge_last_error());
  return 1;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_size(const void *first, const void *second) {
  double a = *(const double *)first, b = *(const double *)second;
  return (a > b) - (a < b);
}

/* Prints an input, an output or a state. */
static void describe(const char *kind, const forge_tensor *tensor) {
  printf("  %-7s %-14s", kind, tensor->name);
  for (uint32_t axis = 0; axis < tensor->rank; axis++)
    printf("%s%lld", axis > 0 ? " x " : "", (long long)tensor->sizes[axis]);
  printf("\n");
}

/* Prints the tensors of a model; returns whether it hears words in frames of samples. */
static int check_model(forge_model model, size_t *frame) {
  size_t inputs, outputs, states;
  forge_tensor tensor;
  if (forge_model_counts(model, &inputs, &outputs, &states) != FORGE_OK) return 0;
  for (size_t index = 0; index < states; index++)
    if (forge_model_state(model, index, &tensor) == FORGE_OK) describe("state", &tensor);
  if (forge_model_output(model, 0, &tensor) != FORGE_OK) return 0;
  describe("output", &tensor);
  int is_fine = inputs == 1 && outputs == 1 && tensor.count == WORDS;
  if (forge_model_input(model, 0, &tensor) != FORGE_OK) return 0;
  describe("input", &tensor);
  *frame = tensor.count;
  return is_fine && tensor.count > 0;
}

/* What a run leaves. */
typedef struct {
  float *probabilities; /* [frames][WORDS] */
  double *times;        /* seconds of each frame */
  size_t frames;
} hearing;

/* Runs all frames. The loop is what an audio thread would do: it allocates nothing and does not
 * wait. A network that reads the sound where it is needs no copy; the last frame is not full. */
static int hear(forge_context context, const wave *sound, size_t frame, hearing *result) {
  float *last = calloc(frame, sizeof(float));
  if (!last) return fail("no memory");
  size_t full = sound->count / frame;
  for (size_t index = full * frame; index < sound->count; index++)
    last[index - full * frame] = sound->samples[index];
#ifdef COUNT_ALLOCATIONS
  forge_count_allocations();
#endif
  for (size_t index = 0; index < result->frames; index++) {
    double start = seconds();
    const float *samples = index < full ? sound->samples + index * frame : last;
    forge_context_bind_input(context, 0, samples, frame);
    forge_context_bind_output(context, 0, result->probabilities + index * WORDS, WORDS);
    if (forge_context_run(context, 1) != FORGE_OK) {
      free(last);
      return fail("forge_context_run");
    }
    result->times[index] = seconds() - start;
    /* Silence follows. */
    if (index >= full)
      for (size_t sample = 0; sample < frame; sample++) last[sample] = 0;
  }
#ifdef COUNT_ALLOCATIONS
  printf("\n%lld allocations\n", (long long)forge_counted_allocations());
#endif
  free(last);
  return 0;
}

/* The mean probability of a word over the frames up to one. */
static float mean(const hearing *heard, size_t frame, size_t word) {
  float sum = 0;
  for (size_t index = frame + 1 < MEAN_OF ? 0 : frame + 1 - MEAN_OF; index <= frame; index++)
    sum += heard->probabilities[index * WORDS + word];
  return sum / MEAN_OF;
}

/* Prints a line for each word that is heard. */
static void print_words(const hearing *heard, double frame_seconds) {
  printf("\n  time     word   probability\n");
  const size_t nothing = WORDS - 1;
  size_t held = nothing;
  for (size_t frame = 0; frame < heard->frames; frame++) {
    if (held != nothing && mean(heard, frame, held) >= ENDED) continue;
    held = nothing;
    size_t best = 0;
    for (size_t word = 1; word < nothing; word++)
      if (mean(heard, frame, word) > mean(heard, frame, best)) best = word;
    if (mean(heard, frame, best) < HEARD) continue;
    held = best;
    printf("%6.2f s   %-5s  %9.3f\n", (double)(frame + 1) * frame_seconds, words[best],
           mean(heard, frame, best));
  }
}

static void print_times(hearing *heard, double frame_seconds) {
  qsort(heard->times, heard->frames, sizeof(double), by_size);
  const double worst = heard->times[heard->frames - 1];
  printf(
    "\n%zu frames of %.0f ms: median %.0f us, 99 %% %.0f us, worst %.0f us (%.1f %% of a frame)\n",
    heard->frames, 1e3 * frame_seconds, 1e6 * heard->times[heard->frames / 2],
    1e6 * heard->times[heard->frames * 99 / 100], 1e6 * worst, 100 * worst / frame_seconds);
}

static int write_all(const char *path, const hearing *heard) {
  FILE *file = fopen(path, "wb");
  size_t count = heard->frames * WORDS;
  int is_fine = file && fwrite(heard->probabilities, sizeof(float), count, file) == count;
  if (file && fclose(file) != 0) is_fine = 0;
  if (!is_fine) fprintf(stderr, "%s: cannot be written\n", path);
  return is_fine ? 0 : 1;
}

static int run(forge_model model, const wave *sound, const char *output) {
  size_t frame = 0;
  if (!check_model(model, &frame)) {
    fprintf(stderr, "the network does not hear %zu words in frames of sound\n", WORDS - 1);
    return 1;
  }
  forge_context context;
  if (forge_context_create(model, NULL, &context) != FORGE_OK) return fail("forge_context_create");
  hearing heard = {.frames = (sound->count + frame - 1) / frame + SILENCE};
  heard.probabilities = calloc(heard.frames * WORDS, sizeof(float));
  heard.times = calloc(heard.frames, sizeof(double));
  int status = 1;
  if (heard.probabilities && heard.times) {
    status = hear(context, sound, frame, &heard);
    if (status == 0) {
      double frame_seconds = (double)frame / (sound->rate > 0 ? sound->rate : 1);
      print_words(&heard, frame_seconds);
      print_times(&heard, frame_seconds);
      if (output) status = write_all(output, &heard);
    }
  }
  free(heard.probabilities);
  free(heard.times);
  if (forge_context_close(context) != FORGE_OK) return fail("forge_context_close");
  return status;
}

int main(int count, char **arguments) {
  if (count < 3 || count > 4) {
    fprintf(stderr, "usage: host NETWORK SOUND [PROBABILITIES]\n");
    return 2;
  }
  if (forge_api_version() < FORGE_API_VERSION) {
    fprintf(stderr, "the library is older than the header\n");
    return 1;
  }
  wave sound;
  const char *problem = wave_read(arguments[2], &sound);
  if (problem) {
    fprintf(stderr, "%s: %s\n", arguments[2], problem);
    return 1;
  }
  forge_model model;
  int status = 1;
  if (forge_model_open(arguments[1], NULL, &model) != FORGE_OK) {
    fail("forge_model_open");
  } else {
    printf("%s\n", arguments[1]);
    status = run(model, &sound, count > 3 ? arguments[3] : NULL);
    if (forge_model_close(model) != FORGE_OK) status = fail("forge_model_close");
  }
  free(sound.samples);
  return status;
}
