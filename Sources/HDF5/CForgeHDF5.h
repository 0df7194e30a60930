#ifndef CFORGE_HDF5_H
#define CFORGE_HDF5_H

#if __has_include(<hdf5.h>)
#include <hdf5.h>
#else
#error "Forge reads HDF5 files with libhdf5, whose header hdf5.h is missing. Install it (Debian, Ubuntu: apt-get install libhdf5-dev pkg-config), or build Forge without it: depend on it with traits: []."
#endif

#endif
