/* SPDX-License-Identifier: MIT */
/** \file
 * Devices, their memory, and compiled kernels: the level below arrays.
 *
 *     gpucontext *ctx;
 *     int err, back[3], data[3] = {1, 2, 3};
 *     gpudata *b;
 *     if (gpucontext_init(&ctx, NULL, NULL) != GA_NO_ERROR) return 1;
 *     b = gpudata_alloc(ctx, sizeof data, data, GA_BUFFER_INIT, &err);
 *     if (b != NULL) err = gpudata_read(back, b, 0, sizeof back);
 *     gpudata_release(b);
 *     gpucontext_deref(ctx);
 *
 * A context is a device made ready for use. Contexts, buffers and kernels are
 * counted: each starts at one, and goes when its count comes to zero; a buffer
 * and a kernel hold their context. All of them may be used from several threads
 * at once, except for the arguments that gpukernel_setarg() keeps.
 *
 * Sizes and offsets are bytes. Work on a device is done in the order of the
 * calls that ask for it; a call that gives data to the host waits for it.
 */
#ifndef GPUARRAY_BUFFER_H
#define GPUARRAY_BUFFER_H

#include <sys/types.h>
#include <stdio.h>
#include <stdarg.h>
#include <gpuarray/config.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _gpudata gpudata;                   /**< memory of a device */
typedef struct _gpucontext gpucontext;             /**< a device in use */
typedef struct _gpukernel gpukernel;               /**< a compiled kernel */
typedef struct _gpucontext_props gpucontext_props; /**< how to open a context */

/* ---- Devices ----------------------------------------------------------- */

/** Counts the platforms of a kind of device; each kind here has one.
 *
 * \param name "cuda" or "cpu"
 * \param platcount where the count goes; untouched on error
 * \returns #GA_NO_ERROR; #GA_INVALID_ERROR for an unknown name;
 * #GA_UNSUPPORTED_ERROR for "opencl"; #GA_VALUE_ERROR for a NULL argument */
GPUARRAY_PUBLIC int gpu_get_platform_count(const char *name, unsigned int *platcount);

/** Counts the devices of a platform. With `GPUARRAY_DEVICE=cpu` in the
 * environment "cuda" answers 1, the CPU that stands in for it.
 *
 * \param name "cuda" or "cpu"
 * \param platform ignored
 * \param devcount where the count goes; untouched on error
 * \returns #GA_NO_ERROR; #GA_INVALID_ERROR for an unknown name;
 * #GA_UNSUPPORTED_ERROR for "opencl"; #GA_VALUE_ERROR for a NULL argument;
 * #GA_LOAD_ERROR when the driver is not there; #GA_IMPL_ERROR when it fails */
GPUARRAY_PUBLIC int gpu_get_device_count(const char *name, unsigned int platform,
                                         unsigned int *devcount);

#define GA_CTX_SCHED_AUTO   0 /**< the driver decides how a thread waits */
#define GA_CTX_SCHED_SINGLE 1 /**< it spins: least latency */
#define GA_CTX_SCHED_MULTI  2 /**< it sleeps: least use of the host */

/** Makes properties with their defaults: the first device that works,
 * #GA_CTX_SCHED_AUTO, no limit on cached memory.
 *
 * \param res where the properties go; NULL on error
 * \returns #GA_NO_ERROR; #GA_MEMORY_ERROR; #GA_VALUE_ERROR for NULL */
GPUARRAY_PUBLIC int gpucontext_props_new(gpucontext_props **res);

/** Chooses a device by number.
 *
 * \param p properties
 * \param devno number of the device, -1: the first that works
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR when `p` is NULL or `devno` < -1 */
GPUARRAY_PUBLIC int gpucontext_props_cuda_dev(gpucontext_props *p, int devno);

/** There is no OpenCL device; kept so that programs link.
 *
 * \param p properties
 * \param platno platform
 * \param devno device of the platform
 * \returns #GA_UNSUPPORTED_ERROR */
GPUARRAY_PUBLIC int gpucontext_props_opencl_dev(gpucontext_props *p, int platno, int devno);

/** Chooses how the host waits for the device.
 *
 * \param p properties
 * \param sched a GA_CTX_SCHED_ value
 * \returns #GA_NO_ERROR; #GA_INVALID_ERROR for another value; #GA_VALUE_ERROR
 * when `p` is NULL */
GPUARRAY_PUBLIC int gpucontext_props_sched(gpucontext_props *p, int sched);

/** Asks for one stream for kernels and copies. Results do not depend on it.
 *
 * \param p properties
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR when `p` is NULL */
GPUARRAY_PUBLIC int gpucontext_props_set_single_stream(gpucontext_props *p);

/** Chooses the directory of the kernel cache.
 *
 * \param p properties
 * \param path a directory; not copied, must stay until gpucontext_init()
 * returns; NULL: the usual place
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR when `p` is NULL */
GPUARRAY_PUBLIC int gpucontext_props_kernel_cache(gpucontext_props *p, const char *path);

/** Bounds the cache of freed device memory.
 *
 * \param p properties
 * \param initial bytes to allocate at the start
 * \param max bytes to keep at most; 0: no cache
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR when `p` is NULL or `initial` > `max` */
GPUARRAY_PUBLIC int gpucontext_props_alloc_cache(gpucontext_props *p, size_t initial, size_t max);

/** Frees properties that were not given to gpucontext_init().
 *
 * \param p properties, may be NULL */
GPUARRAY_PUBLIC void gpucontext_props_del(gpucontext_props *p);

/** Opens a device.
 *
 * `GPUARRAY_DEVICE` in the environment (`cpu`, `cuda`, `cuda0`, `cuda1`, ...)
 * takes the place of "cuda" and of NULL; an explicit "cpu" is the CPU.
 *
 * \param res where the context goes, with one reference; NULL on error
 * \param name "cuda", "cuda0", "cuda1", ..., "cpu", or NULL: the first GPU that
 * works, else the CPU
 * \param props properties, or NULL for the defaults; owned by this call: they
 * are freed whether it succeeds or not
 * \returns #GA_NO_ERROR; #GA_INVALID_ERROR for an unknown name;
 * #GA_UNSUPPORTED_ERROR for "opencl"; #GA_NODEV_ERROR when there is no such
 * device; #GA_LOAD_ERROR when its driver is not there; #GA_IMPL_ERROR when the
 * driver fails; #GA_MEMORY_ERROR; #GA_VALUE_ERROR when `res` is NULL */
GPUARRAY_PUBLIC int gpucontext_init(gpucontext **res, const char *name, gpucontext_props *props);

/** Gives a reference back; the last one closes the context, once its buffers
 * and kernels are gone too.
 *
 * \param ctx a context, may be NULL */
GPUARRAY_PUBLIC void gpucontext_deref(gpucontext *ctx);

/* What gpucontext_property() answers, and the type that `res` points to. */
#define GA_CTX_PROP_DEVNAME          1  /**< char[256]: name of the device */
#define GA_CTX_PROP_LMEMSIZE         3  /**< size_t: shared memory of a block */
#define GA_CTX_PROP_NUMPROCS         4  /**< unsigned int: processors */
#define GA_CTX_PROP_BIN_ID           7  /**< const char *: what kernels are built for */
#define GA_CTX_PROP_ERRBUF           8  /**< gpudata *: zeroed, 8 bytes or more */
#define GA_CTX_PROP_TOTAL_GMEM       9  /**< size_t: memory */
#define GA_CTX_PROP_FREE_GMEM        10 /**< size_t: memory that is free */
#define GA_CTX_PROP_NATIVE_FLOAT16   11 /**< int: always 0 */
#define GA_CTX_PROP_MAXGSIZE0        12 /**< size_t: blocks in a grid, axis 0 */
#define GA_CTX_PROP_MAXGSIZE1        13 /**< size_t: axis 1 */
#define GA_CTX_PROP_MAXGSIZE2        14 /**< size_t: axis 2 */
#define GA_CTX_PROP_MAXLSIZE0        15 /**< size_t: threads in a block, axis 0 */
#define GA_CTX_PROP_MAXLSIZE1        16 /**< size_t: axis 1 */
#define GA_CTX_PROP_MAXLSIZE2        17 /**< size_t: axis 2 */
#define GA_CTX_PROP_UNIQUE_ID        19 /**< char[16]: tells devices apart */
#define GA_CTX_PROP_LARGEST_MEMBLOCK 20 /**< size_t: largest allocation likely to work */

/** Asks for a property of a context.
 *
 * \param ctx a context
 * \param prop_id a GA_CTX_PROP_ value
 * \param res where the answer goes, of the property's type
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for a NULL argument, or for a property
 * of buffers or kernels; #GA_INVALID_ERROR for an unknown one; #GA_MEMORY_ERROR;
 * #GA_IMPL_ERROR when the driver fails */
GPUARRAY_PUBLIC int gpucontext_property(gpucontext *ctx, int prop_id, void *res);

/** The calling thread's last message, as gpuarray_error_message() gives it.
 *
 * \param ctx ignored, may be NULL
 * \param err an error code; its fixed text serves when there is no message
 * \returns the text, valid until the thread's next failing call */
GPUARRAY_PUBLIC const char *gpucontext_error(gpucontext *ctx, int err);

/** The device a context is on, as GPUARRAY_DEVICE would name it.
 *
 * \param ctx a context
 * \returns "cpu", "cuda0", "cuda1", ...; valid until the context is freed; NULL
 * when `ctx` is */
GPUARRAY_PUBLIC const char *gpucontext_name(gpucontext *ctx);

/** Waits until everything asked of a context so far is done.
 *
 * \param ctx a context
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR when `ctx` is NULL; #GA_INVALID_ERROR while
 * the thread captures (graph.h); #GA_IMPL_ERROR when the device or a kernel on it
 * failed */
GPUARRAY_PUBLIC int gpucontext_sync(gpucontext *ctx);

/* ---- Memory ------------------------------------------------------------ */

#define GA_BUFFER_READ_WRITE 0x00   /**< kernels read and write it */
#define GA_BUFFER_DEV        0x00   /**< it is memory of the device */
#define GA_BUFFER_READ_ONLY  0x01   /**< kernels only read it */
#define GA_BUFFER_WRITE_ONLY 0x02   /**< kernels only write it */
#define GA_BUFFER_INIT       0x04   /**< starts with the contents of `data` */
#define GA_BUFFER_HOST       0x08   /**< memory that the host may address too */
#define GA_BUFFER_MASK       0xffff /**< flags above belong to the device's extension */

/** Allocates memory. Contents are undefined without #GA_BUFFER_INIT.
 *
 * \param ctx a context
 * \param sz bytes; 0 allocates one
 * \param data with #GA_BUFFER_INIT `sz` bytes to copy, may be reused at once;
 * else ignored
 * \param flags GA_BUFFER_ values or'ed
 * \param ret where the code goes, may be NULL: #GA_NO_ERROR; #GA_VALUE_ERROR
 * when `ctx` is NULL, #GA_BUFFER_INIT has no `data`, or read-only meets
 * write-only; #GA_DEVSUP_ERROR for #GA_BUFFER_HOST where there is none;
 * #GA_MEMORY_ERROR; #GA_IMPL_ERROR when the driver fails
 * \returns the buffer with one reference, NULL on error */
GPUARRAY_PUBLIC gpudata *gpudata_alloc(gpucontext *ctx, size_t sz, void *data, int flags, int *ret);

/** Adds a reference.
 *
 * \param b a buffer, may be NULL */
GPUARRAY_PUBLIC void gpudata_retain(gpudata *b);

/** Gives a reference back; the last one frees the memory, after the work that
 * uses it.
 *
 * \param b a buffer, may be NULL */
GPUARRAY_PUBLIC void gpudata_release(gpudata *b);

/** Tells whether two buffers have memory in common.
 *
 * \param a a buffer
 * \param b a buffer
 * \param ret where the code goes, may be NULL: #GA_NO_ERROR; #GA_VALUE_ERROR
 * for a NULL buffer
 * \returns 1 if they share, 0 if not, -1 on error */
GPUARRAY_PUBLIC int gpudata_share(gpudata *a, gpudata *b, int *ret);

/** Copies between buffers of one context. The ranges may overlap: the result is
 * as if the source had been read first. **Sync** none.
 *
 * \param dst a buffer
 * \param dstoff where in it, bytes
 * \param src a buffer
 * \param srcoff where in it, bytes
 * \param sz bytes; 0 does nothing
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for a NULL buffer, different contexts
 * or a range beyond a buffer; #GA_IMPL_ERROR when the device fails */
GPUARRAY_PUBLIC int gpudata_move(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff,
                                 size_t sz);

/** Copies between buffers of any two contexts. **Sync** none between contexts of
 * one kind of device; else it waits for `src`.
 *
 * \param dst a buffer
 * \param dstoff where in it, bytes
 * \param src a buffer
 * \param srcoff where in it, bytes
 * \param sz bytes; 0 does nothing
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for a NULL buffer or a range beyond a
 * buffer; #GA_INVALID_ERROR between contexts while the thread captures on one of them
 * (graph.h); #GA_MEMORY_ERROR; #GA_IMPL_ERROR when a device fails */
GPUARRAY_PUBLIC int gpudata_transfer(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff,
                                     size_t sz);

/** Copies to the host. **Sync** waits for the work on the buffer.
 *
 * \param dst host memory
 * \param src a buffer
 * \param srcoff where in it, bytes
 * \param sz bytes; 0 does nothing
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for a NULL argument or a range beyond
 * the buffer; #GA_INVALID_ERROR while the thread captures (graph.h); #GA_IMPL_ERROR
 * when the device or a kernel on it failed */
GPUARRAY_PUBLIC int gpudata_read(void *dst, gpudata *src, size_t srcoff, size_t sz);

/** Copies from the host. **Sync** `src` may be reused when it returns.
 *
 * \param dst a buffer
 * \param dstoff where in it, bytes
 * \param src host memory
 * \param sz bytes; 0 does nothing
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for a NULL argument or a range beyond
 * the buffer; #GA_IMPL_ERROR when the device fails */
GPUARRAY_PUBLIC int gpudata_write(gpudata *dst, size_t dstoff, const void *src, size_t sz);

/** Sets every byte from an offset to the end of the buffer. **Sync** none.
 *
 * \param dst a buffer
 * \param dstoff first byte to set
 * \param data value of each byte, its low 8 bits
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL or an offset beyond the
 * buffer; #GA_IMPL_ERROR when the device fails */
GPUARRAY_PUBLIC int gpudata_memset(gpudata *dst, size_t dstoff, int data);

/** Waits until everything asked of a buffer so far is done.
 *
 * \param b a buffer
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR when `b` is NULL; #GA_INVALID_ERROR while the
 * thread captures (graph.h); #GA_IMPL_ERROR when the device or a kernel on it failed */
GPUARRAY_PUBLIC int gpudata_sync(gpudata *b);

#define GA_BUFFER_PROP_START  512 /**< first property of buffers */
#define GA_BUFFER_PROP_CTX    512 /**< gpucontext *: not retained */
#define GA_BUFFER_PROP_REFCNT 513 /**< unsigned int */
#define GA_BUFFER_PROP_SIZE   514 /**< size_t: bytes */

/** Asks for a property of a buffer, or of its context.
 *
 * \param buf a buffer
 * \param prop_id a GA_BUFFER_PROP_ or GA_CTX_PROP_ value
 * \param res where the answer goes, of the property's type
 * \returns as gpucontext_property() */
GPUARRAY_PUBLIC int gpudata_property(gpudata *buf, int prop_id, void *res);

/** The context of a buffer.
 *
 * \param b a buffer
 * \returns the context, not retained; NULL for NULL */
GPUARRAY_PUBLIC gpucontext *gpudata_context(gpudata *b);

/* ---- Kernels ----------------------------------------------------------- */

/** What a kernel's source uses, or'ed. #GA_USE_CUDA says that it is CUDA C;
 * the others are taken and not needed. */
typedef enum _ga_usefl {
  GA_USE_SMALL = 0x02,
  GA_USE_DOUBLE = 0x04,
  GA_USE_COMPLEX = 0x08,
  GA_USE_HALF = 0x10,
  GA_USE_CUDA = 0x2000,
  GA_USE_OPENCL = 0x4000
} ga_usefl;

/** Compiles CUDA C and takes one kernel of it. Device code may include
 * "cluda.h", the vocabulary that names types and indices alike on all devices.
 *
 * \param ctx a context
 * \param count number of strings, at least 1
 * \param strings the source, in pieces that are joined
 * \param lengths bytes of each piece; NULL, or 0 for a piece: up to its NUL
 * \param fname name of the kernel
 * \param numargs number of its arguments; 0 declares none: GpuKernel_launch() runs it
 * \param typecodes type of each, #GA_BUFFER for buffers
 * \param flags ga_usefl values or'ed
 * \param ret where the code goes, may be NULL: #GA_NO_ERROR; #GA_VALUE_ERROR
 * for a NULL argument, `count` 0 or declared arguments that the kernel, where it tells,
 * does not take; #GA_DEVSUP_ERROR for #GA_USE_OPENCL;
 * #GA_UNSUPPORTED_ERROR for #GA_USE_COMPLEX or, on the CPU, for CUDA C that it does
 * not have and when there is no C++ compiler; #GA_IMPL_ERROR when it does not compile;
 * #GA_LOAD_ERROR when there is no NVRTC for a GPU; #GA_MEMORY_ERROR
 * \param err_str where the compiler's words go with the numbered source, to be
 * freed with free(); NULL when there are none; may be NULL
 * \returns the kernel with one reference, NULL on error */
GPUARRAY_PUBLIC gpukernel *gpukernel_init(gpucontext *ctx, unsigned int count, const char **strings,
                                          const size_t *lengths, const char *fname,
                                          unsigned int numargs, const int *typecodes, int flags,
                                          int *ret, char **err_str);

/** Adds a reference.
 *
 * \param k a kernel, may be NULL */
GPUARRAY_PUBLIC void gpukernel_retain(gpukernel *k);

/** Gives a reference back; the last one frees the kernel.
 *
 * \param k a kernel, may be NULL */
GPUARRAY_PUBLIC void gpukernel_release(gpukernel *k);

/** Keeps an argument for a call without arguments of its own. One thread at a
 * time may use a kernel this way.
 *
 * \param k a kernel
 * \param i number of the argument
 * \param a the gpudata for a #GA_BUFFER, else the address of the value, which is
 * read at the call
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL or too large an `i` */
GPUARRAY_PUBLIC int gpukernel_setarg(gpukernel *k, unsigned int i, void *a);

/** Runs a kernel. **Sync** none: it is queued.
 *
 * \param k a kernel
 * \param n number of axes of the grid, 1 to 3
 * \param gs blocks along each axis
 * \param ls threads of a block along each axis
 * \param shared bytes of dynamic shared memory
 * \param args the arguments, each as gpukernel_setarg() takes it; NULL: those
 * that were set
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for a NULL argument, a bad `n`, an
 * argument that is not set or not declared, or a grid the device does not have; #GA_INVALID_ERROR
 * for a kernel of module.h, which knows no types; #GA_IMPL_ERROR when the device
 * fails */
GPUARRAY_PUBLIC int gpukernel_call(gpukernel *k, unsigned int n, const size_t *gs, const size_t *ls,
                                   size_t shared, void **args);

#define GA_KERNEL_PROP_START     1024 /**< first property of kernels */
#define GA_KERNEL_PROP_CTX       1024 /**< gpucontext *: not retained */
#define GA_KERNEL_PROP_MAXLSIZE  1025 /**< size_t: threads in a block, at most */
#define GA_KERNEL_PROP_PREFLSIZE 1026 /**< size_t: multiple to choose them in */
#define GA_KERNEL_PROP_NUMARGS   1027 /**< unsigned int */
#define GA_KERNEL_PROP_TYPES     1028 /**< const int *: type of each argument */

/** Asks for a property of a kernel, or of its context.
 *
 * \param k a kernel
 * \param prop_id a GA_KERNEL_PROP_ or GA_CTX_PROP_ value
 * \param res where the answer goes, of the property's type
 * \returns as gpucontext_property() */
GPUARRAY_PUBLIC int gpukernel_property(gpukernel *k, int prop_id, void *res);

/** The context of a kernel.
 *
 * \param k a kernel
 * \returns the context, not retained; NULL for NULL */
GPUARRAY_PUBLIC gpucontext *gpukernel_context(gpukernel *k);

#ifdef __cplusplus
}
#endif
#endif
