/* Measures what a binding saves: runs a network of one input and one output on the caller's memory,
 * and with copies to and from the context's.
 *
 *   copies NETWORK [RUNS] */
#include <forge.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BOUND, BOUND_UNALIGNED, COPIED, COPIED_STRIDED, WAYS };

static const char *const names[WAYS] = {"bound", "bound, 4 bytes after a multiple of 64", "copied",
                                        "every second element copied"};

typedef struct {
  forge_context context;
  float *input, *output;
  size_t inputs, outputs;
} task;

static forge_status run(const task *of, int way) {
  const forge_context context = of->context;
  const size_t stride = way == COPIED_STRIDED ? 2 : 1;
  forge_status status;
  if (way == BOUND || way == BOUND_UNALIGNED) {
    const size_t offset = way == BOUND_UNALIGNED;
    if ((status = forge_context_bind_input(context, 0, of->input + offset, of->inputs)))
      return status;
    if ((status = forge_context_bind_output(context, 0, of->output + offset, of->outputs)))
      return status;
    return forge_context_run(context, 1);
  }
  const size_t inputs = (of->inputs + stride - 1) / stride;
  const size_t outputs = (of->outputs + stride - 1) / stride;
  if ((status = forge_context_write(context, 0, of->input, inputs, stride, 0, 1))) return status;
  if ((status = forge_context_run(context, 1))) return status;
  return forge_context_read(context, 0, of->output, outputs, stride, 0, 1);
}

static double microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static int by_size(const void *first, const void *second) {
  double a = *(const double *)first, b = *(const double *)second;
  return (a > b) - (a < b);
}

/* Memory for values and one more, at a multiple of 64. */
static float *values(size_t count) {
  const size_t bytes = ((count + 1) * sizeof(float) + 63) / 64 * 64;
  float *memory = aligned_alloc(64, bytes);
  for (size_t index = 0; memory && index <= count; index++)
    memory[index] = (float)(index % 17) / 17;
  return memory;
}

static int measure(const task *task, double *times, size_t runs) {
  printf("%zu inputs, %zu outputs, %zu runs\n", task->inputs, task->outputs, runs);
  for (int way = 0; way < WAYS; way++) {
    /* The first round warms. */
    for (int round = 0; round < 2; round++)
      for (size_t index = 0; index < runs; index++) {
        double start = microseconds();
        if (run(task, way) != FORGE_OK) return 1;
        times[index] = microseconds() - start;
      }
    qsort(times, runs, sizeof(double), by_size);
    printf("  least %8.2f us, median %8.2f us  %s\n", times[0], times[runs / 2], names[way]);
  }
  return 0;
}

int main(int count, char **arguments) {
  const size_t runs = count > 2 ? strtoul(arguments[2], NULL, 10) : 2000;
  forge_model model;
  task task;
  if (count < 2 || runs < 1 || runs > 1000000) {
    fprintf(stderr, "usage: copies NETWORK [RUNS]\n");
    return 2;
  }
  if (forge_model_open(arguments[1], NULL, &model) != FORGE_OK ||
      forge_context_create(model, NULL, &task.context) != FORGE_OK ||
      forge_context_input_count(task.context, 0, &task.inputs) != FORGE_OK ||
      forge_context_output_count(task.context, 0, &task.outputs) != FORGE_OK) {
    fprintf(stderr, "%s\n", forge_last_error());
    return 1;
  }
  task.input = values(task.inputs);
  task.output = values(task.outputs);
  double *times = malloc(runs * sizeof(double));
  int status = 1;
  if (task.input && task.output && times) status = measure(&task, times, runs);
  if (status != 0) fprintf(stderr, "%s\n", forge_last_error());
  free(task.input);
  free(task.output);
  free(times);
  forge_context_close(task.context);
  forge_model_close(model);
  return status;
}
