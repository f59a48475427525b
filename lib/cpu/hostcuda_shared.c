/* SPDX-License-Identifier: MIT */
/* How much static shared memory each function declares. Shared variables are
 * thread-local ones of their function, so the object's table of symbols has their
 * sizes and, in their names, their functions:
 *
 *   _ZZN2ns1kIiEEvPT_E4tile   `tile` of ns::k<int>(int *)
 *      |- function ---|       N: nested, E ends it; each name behind its length
 *
 * What a kernel's helpers declare is theirs: each is held to the limit alone. */
#include "hostcuda_shared.h"

#include <ctype.h>
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct function {
  const char *s; /* its encoding, in the object */
  size_t n, bytes;
} function;

typedef struct functions {
  function *all;
  size_t n;
} functions;

/* ---- names ------------------------------------------------------------------------- */

/* The length of the function's encoding in a variable's name; 0: it is in none. */
static size_t encoding(const char *name)
{
  if (strncmp(name, "_ZZ", 3) != 0) return 0;
  for (size_t i = strlen(name); i-- > 4;) {
    if (name[i] != 'E' || !isdigit((unsigned char)name[i + 1])) continue;
    char *end;
    size_t n = strtoul(name + i + 1, &end, 10), left = strlen(end);
    if (n == left || (n < left && end[n] == '_')) return i - 3;
  }
  return 0;
}

/* The function's own name in its encoding: the last ahead of arguments. */
static size_t own_name(const char *s, size_t n, const char **name)
{
  size_t i = strspn(s, "NLKVrRO"), length = 0;
  int nested = i > 0 && s[0] == 'N';
  while (i < n && isdigit((unsigned char)s[i]) && (length == 0 || nested)) {
    char *end;
    length = strtoul(s + i, &end, 10);
    *name = end;
    if (length > n - (size_t)(end - s)) return 0;
    i = (size_t)(end - s) + length;
    i += i < n && s[i] == 'L';
  }
  return length;
}

/* ---- the table of symbols ------------------------------------------------------------ */

static void add(functions *f, const char *s, size_t n, size_t bytes)
{
  for (size_t i = 0; i < f->n; i++)
    if (f->all[i].n == n && memcmp(f->all[i].s, s, n) == 0) {
      f->all[i].bytes += bytes;
      return;
    }
  function *more = realloc(f->all, (f->n + 1) * sizeof *more);
  if (more == NULL) return; /* one limit less is looked at */
  f->all = more;
  f->all[f->n++] = (function){s, n, bytes};
}

static int holds(size_t size, uint64_t at, uint64_t n) { return at <= size && n <= size - at; }

/* Calls `visit` for each thread-local variable of an object. */
static void each_variable(const void *elf, size_t size,
                          void (*visit)(void *arg, const char *name, const Elf64_Sym *sym),
                          void *arg)
{
  const char *data = elf;
  Elf64_Ehdr h;
  if (size < sizeof h) return;
  memcpy(&h, data, sizeof h);
  if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 ||
      h.e_shentsize != sizeof(Elf64_Shdr) ||
      !holds(size, h.e_shoff, (uint64_t)h.e_shnum * sizeof(Elf64_Shdr)))
    return;
  for (unsigned int i = 0; i < h.e_shnum; i++) {
    Elf64_Shdr t, names;
    memcpy(&t, data + h.e_shoff + i * sizeof t, sizeof t);
    if (t.sh_type != SHT_SYMTAB || t.sh_link >= h.e_shnum || !holds(size, t.sh_offset, t.sh_size))
      continue;
    memcpy(&names, data + h.e_shoff + t.sh_link * sizeof names, sizeof names);
    if (!holds(size, names.sh_offset, names.sh_size) || names.sh_size == 0 ||
        data[names.sh_offset + names.sh_size - 1] != '\0')
      continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= t.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym sym;
      memcpy(&sym, data + t.sh_offset + at, sizeof sym);
      if (ELF64_ST_TYPE(sym.st_info) == STT_TLS && sym.st_name < names.sh_size)
        visit(arg, data + names.sh_offset + sym.st_name, &sym);
    }
  }
}

static void add_variable(void *arg, const char *name, const Elf64_Sym *sym)
{
  size_t n = encoding(name);
  if (n != 0) add(arg, name + 3, n, sym->st_size);
}

/* The functions of an object that declare shared memory; to be freed. */
static functions read_object(const void *elf, size_t size)
{
  functions f = {NULL, 0};
  each_variable(elf, size, add_variable, &f);
  return f;
}

static void add_guard(void *arg, const char *name, const Elf64_Sym *sym)
{
  ga_hc_guards *g = arg;
  if (strncmp(name, "_ZGV", 4) != 0) return;
  size_t *more = realloc(g->at, (g->n + 1) * sizeof *more);
  if (more == NULL) return;
  g->at = more;
  g->at[g->n++] = sym->st_value;
}

ga_hc_guards ga_hc_shared_guards(const void *elf, size_t size)
{
  ga_hc_guards g = {NULL, 0};
  each_variable(elf, size, add_guard, &g);
  return g;
}

size_t ga_hc_shared_largest(const void *elf, size_t size, char name[128])
{
  functions f = read_object(elf, size);
  size_t most = 0;
  name[0] = '\0';
  for (size_t i = 0; i < f.n; i++) {
    const char *own = "";
    if (f.all[i].bytes <= most) continue;
    most = f.all[i].bytes;
    size_t n = own_name(f.all[i].s, f.all[i].n, &own);
    if (n > 127) n = 127;
    memcpy(name, own, n);
    name[n] = '\0';
  }
  free(f.all);
  return most;
}

size_t ga_hc_shared_of(const void *elf, size_t size, const char *kernel)
{
  functions f = read_object(elf, size);
  size_t least = SIZE_MAX, end = strcspn(kernel, "<"), begin;
  while (end > 0 && kernel[end - 1] == ' ') end--;
  for (begin = end; begin > 0 && strchr(": &*", kernel[begin - 1]) == NULL;) begin--;
  for (size_t i = 0; i < f.n; i++) {
    const char *own = "";
    size_t n = own_name(f.all[i].s, f.all[i].n, &own);
    if (n == end - begin && memcmp(own, kernel + begin, n) == 0 && f.all[i].bytes < least)
      least = f.all[i].bytes;
  }
  free(f.all);
  return least != SIZE_MAX ? least : 0;
}
