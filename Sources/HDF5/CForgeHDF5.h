#ifndef CFORGE_HDF5_H
#define CFORGE_HDF5_H

#if __has_include(<hdf5.h>)
#include <hdf5.h>
#else
#error \
  "Forge writes HDF5 files with libhdf5, whose header hdf5.h is missing. Install it (Debian, Ubuntu: apt-get install libhdf5-dev pkg-config), or do without the product ForgeHDF5."
#endif

#include <stdint.h>
#include <stdio.h>

// Swift does not import libhdf5's constants, which are macros that call H5open(). These functions
// write files for it. The library is not thread-safe: one call at a time.

// Creates a file in memory with room for about `byte_count` bytes; -1 on failure.
static inline hid_t forge_hdf5_create(size_t byte_count) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access < 0) return -1;
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  // libhdf5 checks whether the path exists even though it stores no file, and takes two open files
  // of one name for the same.
  static unsigned long long number = 0;
  char name[64];
  snprintf(name, sizeof name, "/dev/null/forge%llu", number++);
  hid_t file = H5Pset_fapl_core(access, byte_count, 0) < 0
    ? -1
    : H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  return file;
}

// Opens the group of a path, or creates it and its parents.
static inline hid_t forge_hdf5_group(hid_t file, const char *path) {
  hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
  if (group >= 0) return group;
  hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  group = H5Gcreate2(file, path, links, H5P_DEFAULT, H5P_DEFAULT);
  if (links >= 0) H5Pclose(links);
  return group;
}

// Writes an attribute of texts of `width` bytes each, padded by zeros, to a group; a scalar when
// `count` is negative. Returns 1 on success.
static inline int forge_hdf5_write_texts(hid_t file, const char *path, const char *name,
                                         const char *texts, size_t width, int64_t count) {
  hsize_t size = count < 0 ? 1 : (hsize_t)count;
  hid_t group = forge_hdf5_group(file, path);
  hid_t type = H5Tcopy(H5T_C_S1);
  hid_t space = count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
  hid_t attribute = -1;
  if (group >= 0 && type >= 0 && space >= 0 && H5Tset_size(type, width) >= 0 &&
      H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0) {
    attribute = H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  }
  int done = attribute >= 0 && (count == 0 || H5Awrite(attribute, type, texts) >= 0);
  if (attribute >= 0) H5Aclose(attribute);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (group >= 0) H5Gclose(group);
  return done;
}

// The type of IEEE 754's half-precision numbers, little-endian; negative on failure.
static inline hid_t forge_hdf5_half(void) {
  hid_t type = H5Tcopy(H5T_IEEE_F32LE);
  if (type < 0) return type;
  if (H5Tset_fields(type, 15, 10, 5, 0, 10) >= 0 && H5Tset_size(type, 2) >= 0 &&
      H5Tset_ebias(type, 15) >= 0) {
    return type;
  }
  H5Tclose(type);
  return -1;
}

// Writes a dataset of single-precision numbers, or of halves. Returns 1 on success.
static inline int forge_hdf5_write_floats(hid_t file, const char *path, int rank,
                                          const uint64_t *sizes, int halves, const void *values) {
  hsize_t found[H5S_MAX_RANK];
  if (rank < 0 || rank > H5S_MAX_RANK) return 0;
  for (int axis = 0; axis < rank; axis++) found[axis] = sizes[axis];
  hid_t space = rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, found, NULL);
  hid_t links = H5Pcreate(H5P_LINK_CREATE);
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  // The same parameters make the same bytes.
  H5Pset_obj_track_times(creation, 0);
  hid_t type = halves ? forge_hdf5_half() : H5Tcopy(H5T_IEEE_F32LE);
  hid_t dataset =
    space < 0 || type < 0 ? -1 : H5Dcreate2(file, path, type, space, links, creation, H5P_DEFAULT);
  int done = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (type >= 0) H5Tclose(type);
  if (dataset >= 0) H5Dclose(dataset);
  if (creation >= 0) H5Pclose(creation);
  if (links >= 0) H5Pclose(links);
  if (space >= 0) H5Sclose(space);
  return done;
}

#endif
