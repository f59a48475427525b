/* SPDX-License-Identifier: MIT */
/** \file
 * Arrays in NumPy's .npy files.
 *
 *     gpucontext *ctx;
 *     GpuArray a = {0}, b = {0};
 *     GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
 *     GA_OR_DIE(GpuArray_arange(&a, ctx, GA_FLOAT, 0, 6, 1));
 *     GA_OR_DIE(GpuArray_save("a.npy", &a));
 *     GA_OR_DIE(GpuArray_load(&b, ctx, "a.npy"));
 *     GpuArray_clear(&b);
 *     GpuArray_clear(&a);
 *     gpucontext_deref(ctx);
 */
#ifndef GPUARRAY_IO_H
#define GPUARRAY_IO_H

#include <gpuarray/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Makes an array from a .npy file of version 1.0, 2.0 or 3.0. The file is not
 * trusted: what it says is checked before memory is asked for. **Shape** the
 * file's. **Type** bool, int8 to int64, uint8 to uint64, float16, float32,
 * float64, complex64, complex128, in either byte order. **Layout** the file's
 * order, C or Fortran. Bytes after the data are left alone.
 *
 * \param a the array to make; cleared on error
 * \param ctx a context
 * \param path the file; a pipe will do
 * \returns #GA_NO_ERROR; #GA_SYS_ERROR when the file cannot be opened or read;
 * #GA_VALUE_ERROR for NULL, a file that is no .npy file, a broken header or
 * truncated data; #GA_UNSUPPORTED_ERROR for another version or type;
 * #GA_XLARGE_ERROR for more than 64 axes, 2^63 bytes of data or 64 KiB of
 * header; #GA_MEMORY_ERROR; #GA_IMPL_ERROR when the device fails. The message is
 * one line and names the file. */
GPUARRAY_PUBLIC int GpuArray_load(GpuArray *a, gpucontext *ctx, const char *path);

/** Writes an array to a .npy file of version 1.0, with the bytes that numpy.save
 * would write. **Type** as GpuArray_load(); bfloat16 has no place in the format:
 * save `float32(a)`. **Layout** any; Fortran order is kept, what has gaps becomes
 * C order. **Sync** waits.
 *
 * The file is written beside its place and renamed, so that it is there in full
 * or not at all; a symbolic link to a file is followed; a pipe or a device is written in
 * place.
 *
 * \param path the file; replaced when it is there
 * \param a an array
 * \returns #GA_NO_ERROR; #GA_SYS_ERROR when writing fails; #GA_VALUE_ERROR for
 * NULL or a cleared array; #GA_UNSUPPORTED_ERROR for a type that the format
 * lacks; #GA_MEMORY_ERROR; #GA_IMPL_ERROR when the device fails */
GPUARRAY_PUBLIC int GpuArray_save(const char *path, const GpuArray *a);

#ifdef __cplusplus
}
#endif
#endif
