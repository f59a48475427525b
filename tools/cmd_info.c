/* SPDX-License-Identifier: MIT */
/* gpuarray info: the devices, the libraries that were found, the kernel cache. */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

static void print_device(const char *name, gpucontext *ctx)
{
  char model[256] = "?";
  const char *arch = "?";
  unsigned int processors = 0;
  size_t total = 0, available = 0;
  gpucontext_property(ctx, GA_CTX_PROP_DEVNAME, model);
  gpucontext_property(ctx, GA_CTX_PROP_BIN_ID, (void *)&arch);
  gpucontext_property(ctx, GA_CTX_PROP_NUMPROCS, &processors);
  gpucontext_property(ctx, GA_CTX_PROP_TOTAL_GMEM, &total);
  gpucontext_property(ctx, GA_CTX_PROP_FREE_GMEM, &available);
  printf("  %-12s %s, %s, %u processors, %.1f GiB, %.1f free\n", name, model, arch, processors,
         (double)total / 0x1p30, (double)available / 0x1p30);
}

static void list_device(const char *name)
{
  gpucontext *ctx = NULL;
  if (gpucontext_init(&ctx, name, NULL) != GA_NO_ERROR)
    printf("  %-12s %s\n", name, gpuarray_error_message());
  else
    print_device(name, ctx);
  gpucontext_deref(ctx);
}

static void list_devices(void)
{
  unsigned int n = 0;
  char name[32];
  const char *wanted = getenv("GPUARRAY_DEVICE");
  puts("devices");
  if (wanted != NULL && *wanted != '\0') {
    printf("  GPUARRAY_DEVICE is %s, which takes the place of cuda:\n", wanted);
    list_device("cuda");
  } else if (gpu_get_device_count("cuda", 0, &n) != GA_NO_ERROR) {
    printf("  %-12s %s\n", "cuda", gpuarray_error_message());
  }
  for (unsigned int i = 0; i < n; i++) {
    snprintf(name, sizeof name, "cuda%u", i);
    list_device(name);
  }
  list_device("cpu");
}

static void list_libraries(void)
{
  gpuarray_library lib = {.size = sizeof lib};
  puts("libraries");
  for (unsigned int i = 0; gpuarray_library_get(i, &lib) == GA_NO_ERROR; i++) {
    printf("  %-12s %s\n", lib.name, *lib.path ? lib.path : lib.problem);
    if (*lib.version) printf("  %-12s %s\n", "", lib.version);
    if (*lib.path && *lib.problem) printf("  %-12s %s\n", "", lib.problem);
  }
}

int cmd_info(int argc, char **argv)
{
  if (argc > 1) return tool_error(TOOL_USAGE, "info takes no arguments, got '%s'", argv[1]);
  printf("gpuarray %s\n", gpuarray_version());
  list_devices();
  list_libraries();
  tool_print_cache();
  return TOOL_DONE;
}
