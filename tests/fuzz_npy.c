/* SPDX-License-Identifier: MIT */
/* Any bytes as a .npy file: they load or they are refused with one line; what
 * loads is saved, and loads again to the same thing. */
#include "tests/fuzz.h"

#include <string.h>
#include <unistd.h>

#include "gpuarray.h"

const char fuzz_corpus[] = "npy";

static gpucontext *ctx;
static char path[64], saved[80];

static void clean_up(void)
{
  unlink(path);
  unlink(saved);
  gpucontext_deref(ctx);
}

static void set_up(void)
{
  FUZZ_REQUIRE(gpucontext_init(&ctx, "cpu", NULL) == GA_NO_ERROR);
  snprintf(path, sizeof path, "/tmp/fuzz_npy.%ld", (long)getpid());
  snprintf(saved, sizeof saved, "%s.saved", path);
  atexit(clean_up);
}

static void require_same(const GpuArray *a, const GpuArray *b)
{
  FUZZ_REQUIRE(a->nd == b->nd && a->typecode == b->typecode);
  size_t size = GpuArray_ITEMSIZE(a);
  for (unsigned int i = 0; i < a->nd; i++) {
    FUZZ_REQUIRE(a->dimensions[i] == b->dimensions[i]);
    size *= a->dimensions[i];
  }
  char *x = calloc(1, size + 1), *y = calloc(1, size + 1);
  FUZZ_REQUIRE(x != NULL && y != NULL);
  FUZZ_REQUIRE(GpuArray_tohost(x, size, a->typecode, a) == GA_NO_ERROR);
  FUZZ_REQUIRE(GpuArray_tohost(y, size, b->typecode, b) == GA_NO_ERROR);
  FUZZ_REQUIRE(memcmp(x, y, size) == 0);
  free(x);
  free(y);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  GpuArray a, b;
  if (ctx == NULL) set_up();
  FILE *f = fopen(path, "wb");
  FUZZ_REQUIRE(f != NULL && fwrite(data, 1, size, f) == size && fclose(f) == 0);
  if (GpuArray_load(&a, ctx, path) != GA_NO_ERROR) {
    const char *message = gpuarray_error_message();
    FUZZ_REQUIRE(a.data == NULL && *message != '\0' && strchr(message, '\n') == NULL);
    return 0;
  }
  FUZZ_REQUIRE(GpuArray_save(saved, &a) == GA_NO_ERROR);
  FUZZ_REQUIRE(GpuArray_load(&b, ctx, saved) == GA_NO_ERROR);
  require_same(&a, &b);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  return 0;
}
