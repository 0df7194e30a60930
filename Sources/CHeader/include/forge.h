/* Forge for C: networks on the thread of an audio host, or of any other program that is not Swift.
 *
 *   forge_model model;
 *   forge_context context;
 *   if (forge_model_open("net.forge", NULL, &model) != FORGE_OK) puts(forge_last_error());
 *   if (forge_context_create(model, NULL, &context) != FORGE_OK) puts(forge_last_error());
 *   for (;;) {
 *     forge_context_bind_input(context, 0, samples, 320);
 *     forge_context_bind_output(context, 0, levels, 11);
 *     if (forge_context_run(context, 1) != FORGE_OK) puts(forge_last_error());
 *   }
 *
 * A model is immutable; any number of threads may use it and its contexts. A context is the memory
 * and the state of one stream; one thread at a time may use it, and a second one gets FORGE_BUSY.
 *
 * Every function returns a status and leaves a sentence in forge_last_error() unless that is
 * FORGE_OK. Handles are numbers that are looked up, so that a closed one, one of the other kind and
 * one that Forge never gave are errors. Other pointers cannot be checked apart from NULL: they must
 * lead to as much memory as the function says.
 *
 * "Real-time safe" means that the call allocates nothing, takes no lock and makes no system call,
 * as long as it returns FORGE_OK. A failing call writes a sentence, for which it may allocate.
 *
 * All values are floats of 32 bits, row-major, channels last: a picture is
 * [height][width][channels], and sound of two channels is [frames][2], which is interleaved. A
 * batch is one example after the other.
 */
#ifndef FORGE_H
#define FORGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. A library of the same version has all functions of the header; a
 * larger version only adds. */
#define FORGE_API_VERSION 1

/* The most axes of a tensor. */
#define FORGE_MAXIMUM_RANK 8

/* What a function returns. */
typedef int32_t forge_status;

enum {
  FORGE_OK = 0,
  /* A pointer that must lead to memory is NULL. */
  FORGE_NULL_POINTER = 1,
  /* The handle is closed, is of the other kind, or was never given. */
  FORGE_BAD_HANDLE = 2,
  /* Another thread is using the handle. */
  FORGE_BUSY = 3,
  /* An option, an index, a count or a size that does not fit. */
  FORGE_BAD_ARGUMENT = 4,
  /* The file is absent, damaged, or of a kind that is not read. */
  FORGE_BAD_FILE = 5,
  /* The network of the file cannot be compiled with these options. */
  FORGE_NOT_COMPILED = 6,
  /* The network has a layer that does not suit real-time work. */
  FORGE_NOT_REALTIME = 7,
  /* There is not enough memory, or there are too many open handles. */
  FORGE_NO_MEMORY = 8,
  /* A value of an input or of a state is not one that the network takes, or a stream is full. */
  FORGE_NOT_PREDICTED = 9
};

/* How the numbers of a tensor are meant; in memory all are floats. */
typedef int32_t forge_type;

enum {
  FORGE_FLOAT = 0,
  /* Whole numbers between -16777216 and 16777216, both excluded. */
  FORGE_INTEGER = 1
};

/* A compiled network. 0 is never a handle. */
typedef struct forge_model_handle *forge_model;

/* The memory and the state of one stream. */
typedef struct forge_context_handle *forge_context;

/* An input, an output or a state. */
typedef struct forge_tensor {
  /* UTF-8. It belongs to the model and is valid until the model is closed. */
  const char *name;
  forge_type type;
  /* The number of axes. */
  uint32_t rank;
  /* The sizes of the axes of one example; -1 where the file leaves a size open. */
  int64_t sizes[FORGE_MAXIMUM_RANK];
  /* The number of values of one example; 0 if a size is open. */
  size_t count;
} forge_tensor;

/* The size of an input that the file leaves open. */
typedef struct forge_input_size {
  /* The name of the input in the file, UTF-8. */
  const char *name;
  uint32_t rank;
  /* The sizes with the axes of the file, each at least 1. */
  int64_t sizes[FORGE_MAXIMUM_RANK];
} forge_input_size;

/* How the weights of a model file are held and multiplied. */
typedef int32_t forge_precision;

enum {
  FORGE_FLOAT32 = 0,
  /* Weights of 16 bits, arithmetic of 32. */
  FORGE_HALF_WEIGHTS = 1,
  /* Weights and products of bfloat16. */
  FORGE_BFLOAT16 = 2,
  /* Weights and products of 8 bits. */
  FORGE_INT8 = 3
};

/* How a model is opened. Begin with FORGE_MODEL_OPTIONS, then set fields. A compiled file was made
 * with options of its own: of these it takes `is_mapped` only. */
typedef struct forge_model_options {
  /* sizeof(forge_model_options). */
  size_t struct_size;
  /* The threads that open the model; 0 for one per core. A prediction has one thread. */
  int32_t threads;
  forge_precision precision;
  /* The most examples that one prediction may hold, at least 1. */
  int32_t maximum_batch;
  /* Whether a compiled file is mapped in place of being read, so that processes share its pages. A
   * program that cuts the file afterwards ends this process. */
  int32_t is_mapped;
  /* The file of the weights, for formats that keep them apart (Darknet); NULL for none. */
  const char *weights;
  /* `input_size_count` sizes of inputs; NULL for none. */
  const forge_input_size *input_sizes;
  size_t input_size_count;
} forge_model_options;

#define FORGE_MODEL_OPTIONS \
  { sizeof(forge_model_options), 0, FORGE_FLOAT32, 1, 0, NULL, NULL, 0 }

/* How a context is made. Begin with FORGE_CONTEXT_OPTIONS, then set fields. */
typedef struct forge_context_options {
  /* sizeof(forge_context_options). */
  size_t struct_size;
  /* The most examples that one prediction may hold, at least 1 and at most what the model takes.
   * Each example is a stream of its own. */
  int32_t batch;
} forge_context_options;

#define FORGE_CONTEXT_OPTIONS \
  { sizeof(forge_context_options), 1 }

/* --- The library ----------------------------------------------------------------------------- */

/* FORGE_API_VERSION of the library, to be compared with that of the header. Any thread; real-time
 * safe. */
uint32_t forge_api_version(void);

/* Why the last failing call of this thread has failed, in UTF-8; empty if none has. The text
 * belongs to the library and is valid until the next failing call of this thread. A long text ends
 * after 4095 bytes. Any thread; real-time safe. */
const char *forge_last_error(void);

/* --- Models ---------------------------------------------------------------------------------- */

/* Opens a compiled file, or a model file of any format that Forge imports (ONNX, Keras, Core ML,
 * Darknet), which is then compiled.
 *
 * path: UTF-8; a relative one begins in the working directory.
 * options: NULL for FORGE_MODEL_OPTIONS.
 * model: receives the handle, 0 if the call fails. The caller closes it.
 *
 * Model files may be untrusted: what is wrong with one is FORGE_BAD_FILE. Open only compiled
 * files that you trust as programs: damage of every kind is found, but not a deliberate change.
 *
 * Any thread. Not real-time safe: it reads files, allocates, and may take seconds. */
forge_status forge_model_open(const char *path, const forge_model_options *options,
                              forge_model *model);

/* Closes a model. Contexts that were made of it go on; names of its tensors do not.
 *
 * FORGE_BUSY if a thread is in a call with the model; it stays open then. Any thread. Not real-time
 * safe. */
forge_status forge_model_close(forge_model model);

/* The numbers of inputs, outputs and states. `outputs` includes the layers that the compile kept.
 * Pointers may be NULL. Any thread; real-time safe. */
forge_status forge_model_counts(forge_model model, size_t *inputs, size_t *outputs, size_t *states);

/* Describes an input, in the order of the model. Any thread; real-time safe. */
forge_status forge_model_input(forge_model model, size_t index, forge_tensor *tensor);

/* Describes an output, in the order of the model; kept layers follow. Any thread; real-time
 * safe. */
forge_status forge_model_output(forge_model model, size_t index, forge_tensor *tensor);

/* Describes a state: what a layer keeps from one prediction to the next, such as "gru1.hidden". Any
 * thread; real-time safe. */
forge_status forge_model_state(forge_model model, size_t index, forge_tensor *tensor);

/* --- Contexts -------------------------------------------------------------------------------- */

/* Makes a context; all of its memory is allocated here. States begin with zeros.
 *
 * options: NULL for FORGE_CONTEXT_OPTIONS.
 * context: receives the handle, 0 if the call fails. The caller closes it.
 *
 * FORGE_NOT_REALTIME for a network with a layer of unbounded time. Any thread. Not real-time
 * safe. */
forge_status forge_context_create(forge_model model, const forge_context_options *options,
                                  forge_context *context);

/* Closes a context. FORGE_BUSY if another thread is using it; it stays open then. Not real-time
 * safe. */
forge_status forge_context_close(forge_context context);

/* Sets the length of the sequences in the inputs, for a network that takes any up to a maximum: the
 * size of the first axis that follows it. At first it is the maximum. Real-time safe. */
forge_status forge_context_set_length(forge_context context, size_t length);

/* The number of values of one example of an input, at the present length. Real-time safe. */
forge_status forge_context_input_count(forge_context context, size_t index, size_t *count);

/* The number of values of one example of an output, at the present length. Real-time safe. */
forge_status forge_context_output_count(forge_context context, size_t index, size_t *count);

/* Lets the next forge_context_run read an input from `values`, without a copy.
 *
 * count: the floats at `values`: those of one example times the batch of the run.
 *
 * The memory belongs to the caller and must stay valid and unchanged until the run has returned; it
 * is forgotten then, even if the run fails. The context's own memory of the input keeps its values
 * for runs without a binding. An input that overlaps a bound output, and one of FORGE_INTEGER, is
 * copied nevertheless. Real-time safe. */
forge_status forge_context_bind_input(forge_context context, size_t index, const float *values,
                                      size_t count);

/* Lets the next forge_context_run write an output to `values`, without a copy.
 *
 * count: the floats at `values`: those of one example times the batch of the run.
 *
 * The memory belongs to the caller, must stay valid until the run has returned, and must not
 * overlap that of another output. If the run fails, it may have been written in part. The context's
 * own memory of the output keeps its values. Real-time safe. */
forge_status forge_context_bind_output(forge_context context, size_t index, float *values,
                                       size_t count);

/* Sets all values of an input for all examples, for controls such as a gain. They stay until they
 * are set again. Real-time safe. */
forge_status forge_context_set(forge_context context, size_t index, float value);

/* Copies values to the context's own memory of an input: for each k below `count`, element
 * first + k * step becomes values[k * stride].
 *
 * stride, step: at least 1, in floats.
 *
 * Channel c of a host's interleaved buffer of n channels, for a network of one channel:
 *   forge_context_write(context, 0, buffer + c, frames, n, 0, 1)
 * Plane c of a host's planar buffers, for a network of [frames][n]:
 *   forge_context_write(context, 0, planes[c], frames, 1, c, n)
 *
 * The values stay until they are written again. Real-time safe. */
forge_status forge_context_write(forge_context context, size_t index, const float *values,
                                 size_t count, size_t stride, size_t first, size_t step);

/* Copies values of the last run from the context's own memory of an output: for each k below
 * `count`, values[k * stride] becomes element first + k * step; what is in between stays as it is.
 *
 * stride, step: at least 1, in floats. Real-time safe. */
forge_status forge_context_read(forge_context context, size_t index, float *values, size_t count,
                                size_t stride, size_t first, size_t step);

/* Computes the outputs from the inputs for `batch` examples, on the calling thread, and advances
 * their states.
 *
 * If it fails, the states of all examples stay as they were. Memory that was bound is forgotten in
 * any case. Real-time safe. */
forge_status forge_context_run(forge_context context, size_t batch);

/* Sets all states of all examples to zero, as before the first run. Real-time safe. */
forge_status forge_context_reset(forge_context context);

/* Copies a state of an example.
 *
 * count: exactly the values of the state. Real-time safe. */
forge_status forge_context_get_state(forge_context context, size_t index, size_t example,
                                     float *values, size_t count);

/* Sets a state of an example, such as to one that forge_context_get_state has copied from this or
 * another context of the model.
 *
 * count: exactly the values of the state. Real-time safe. */
forge_status forge_context_set_state(forge_context context, size_t index, size_t example,
                                     const float *values, size_t count);

#ifdef __cplusplus
}
#endif

#endif
