/* SPDX-License-Identifier: MIT */
#include "hostcuda_lines.h"
ga_hc_lines *ga_hc_lines_read(const void *elf, size_t size) { (void)elf; (void)size; return NULL; }
void ga_hc_lines_free(ga_hc_lines *l) { (void)l; }
