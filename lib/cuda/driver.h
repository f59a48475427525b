/* SPDX-License-Identifier: MIT */
/* The driver library, loaded once per process, and its errors as GA_* codes. */
#ifndef GA_CUDA_DRIVER_H
#define GA_CUDA_DRIVER_H

#include "cutypes.h"
#include "dl.h"

typedef struct ga_cu_table {
#define FN(ret, name, args) ret(*name) args;
#define OPT                 FN
#include "cuda.def"
#undef FN
#undef OPT
} ga_cu_table;

/* The driver's functions; valid after ga_cu_load() gave GA_NO_ERROR. */
extern ga_cu_table ga_cu;

/* Loads and initialises the driver; cheap when that is done already. A failure
 * is not remembered. GA_LOAD_ERROR: no driver, or a symbol is missing;
 * GA_NODEV_ERROR: no device; GA_INVALID_ERROR: in a forked child. */
int ga_cu_load(void);

/* The file of the driver, and its CUDA version as 1000*major + 10*minor; ""
 * and 0 before it is loaded. */
const char *ga_cu_path(void);
int ga_cu_version(void);

/* 1 in a process forked off one that had initialised the driver: CUDA does not
 * work there, so nothing may call it. */
int ga_cu_forked(void);
int ga_cu_forked_error(const char *op);

/* "OP: <name> (<words>)"; returns the GA_* code of a driver error. */
int ga_cu_error(const char *op, CUresult r);

/* The driver's name of an error, "CUDA error N" where it has none. */
const char *ga_cu_error_name(CUresult r, char *buf, size_t size);

#endif
