/* SPDX-License-Identifier: MIT */
/** \file
 * Error codes, and the words that go with them.
 *
 * Every function that can fail returns one of these codes (or NULL, with the
 * code in a last `int *` argument) and leaves one message, of the calling
 * thread, that says what was wrong with which argument. Read it after a call that
 * failed; one that succeeded may have changed it on its way:
 *
 *     if (GpuArray_reshape(&r, &a, 2, dims, GA_C_ORDER, 0) != GA_NO_ERROR)
 *       fprintf(stderr, "%s\n", gpuarray_error_message());
 */
#ifndef GPUARRAY_ERROR_H
#define GPUARRAY_ERROR_H

#include <gpuarray/config.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What went wrong. */
enum ga_error {
  GA_NO_ERROR = 0,          /**< nothing */
  GA_MEMORY_ERROR = 1,      /**< an allocation failed, on the host or the device */
  GA_VALUE_ERROR = 2,       /**< an argument has a value it may not have */
  GA_IMPL_ERROR = 3,        /**< the device or its driver or compiler failed */
  GA_INVALID_ERROR = 4,     /**< the operation is not defined for these arguments */
  GA_UNSUPPORTED_ERROR = 5, /**< the library does not do this */
  GA_SYS_ERROR = 6,         /**< the operating system refused */
  GA_RUN_ERROR = 7,         /**< a helper program could not be run */
  GA_DEVSUP_ERROR = 8,      /**< this device does not do this */
  GA_READONLY_ERROR = 9,    /**< write to a buffer that is read-only */
  GA_WRITEONLY_ERROR = 10,  /**< read of a buffer that is write-only */
  GA_BLAS_ERROR = 11,       /**< a BLAS call failed */
  GA_UNALIGNED_ERROR = 12,  /**< an array is not aligned to its elements */
  GA_COPY_ERROR = 13,       /**< a copy is needed and was forbidden */
  GA_NODEV_ERROR = 14,      /**< there is no such device */
  GA_MISC_ERROR = 15,       /**< none of the others */
  GA_COMM_ERROR = 16,       /**< a collective operation failed */
  GA_XLARGE_ERROR = 17,     /**< a size is too large */
  GA_LOAD_ERROR = 18        /**< a shared library could not be loaded */
};

/** A short, fixed description of an error code.
 *
 * For GA_SYS_ERROR it is the operating system's text for the error that the
 * calling thread's last system failure had (for `errno` if there was none).
 *
 * \param err an error code
 * \returns a static string; "Unknown GA error" for a number that is no code */
GPUARRAY_PUBLIC const char *gpuarray_error_str(int err);

/** The calling thread's last message, with or without a context: operation,
 * argument, what was expected and what came.
 *
 * \returns the text, "" when no call of this thread has failed; valid until
 * the thread's next failing call */
GPUARRAY_PUBLIC const char *gpuarray_error_message(void);

#ifdef __cplusplus
}
#endif
#endif
