/* SPDX-License-Identifier: MIT */
/* The line table of a kernel's object (DWARF version 2 to 4, which is asked for
 * when a checked kernel is compiled). It is a program for a small machine whose
 * registers are address, file and line; run once, its rows are kept, sorted by
 * address. Everything is read through a cursor that stops at the end, so a
 * damaged table gives fewer rows and nothing worse. */
#include "hostcuda_lines.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
  uintptr_t address;
  unsigned int file, line; /* line 0: the end of a sequence */
} row;

struct ga_hc_lines {
  row *rows;
  size_t n, cap;
  char **files;
  unsigned int nfile;
  int failed;
};

/* ---- reading ----------------------------------------------------------------- */

typedef struct cursor {
  const unsigned char *p, *end;
} cursor;

static uint64_t fixed(cursor *c, unsigned int n)
{
  uint64_t v = 0;
  if ((size_t)(c->end - c->p) < n) {
    c->p = c->end;
    return 0;
  }
  for (unsigned int i = 0; i < n; i++) v |= (uint64_t)c->p[i] << 8 * i;
  c->p += n;
  return v;
}

static uint64_t unsigned_leb(cursor *c)
{
  uint64_t v = 0;
  for (unsigned int shift = 0; c->p < c->end; shift += 7) {
    unsigned char b = *c->p++;
    if (shift < 64) v |= (uint64_t)(b & 127) << shift;
    if (!(b & 128)) break;
  }
  return v;
}

static int64_t signed_leb(cursor *c)
{
  uint64_t v = 0;
  unsigned int shift = 0;
  unsigned char b = 0;
  while (c->p < c->end) {
    b = *c->p++;
    if (shift < 64) v |= (uint64_t)(b & 127) << shift;
    shift += 7;
    if (!(b & 128)) break;
  }
  if ((b & 64) && shift < 64) v |= ~(uint64_t)0 << shift;
  return (int64_t)v;
}

static const char *string(cursor *c)
{
  const char *s = (const char *)c->p;
  const unsigned char *nul = memchr(c->p, 0, (size_t)(c->end - c->p));
  if (nul == NULL) {
    c->p = c->end;
    return "";
  }
  c->p = nul + 1;
  return s;
}

/* ---- the result ---------------------------------------------------------------- */

static void add_row(ga_hc_lines *l, uintptr_t address, unsigned int file, unsigned int line)
{
  if (l->n == l->cap) {
    size_t cap = l->cap != 0 ? 2 * l->cap : 256;
    row *rows = realloc(l->rows, cap * sizeof *rows);
    if (rows == NULL) {
      l->failed = 1;
      return;
    }
    l->rows = rows;
    l->cap = cap;
  }
  l->rows[l->n++] = (row){address, file, line};
}

static void add_file(ga_hc_lines *l, const char *name)
{
  char **files = realloc(l->files, (l->nfile + 1) * sizeof *files);
  if (files != NULL) l->files = files;
  char *copy = files != NULL ? strdup(name) : NULL;
  if (copy == NULL)
    l->failed = 1;
  else
    l->files[l->nfile++] = copy;
}

/* ---- one unit -------------------------------------------------------------------- */

typedef struct header {
  unsigned int version, min_inst, line_range, opcode_base, file0;
  int line_base;
  unsigned char lengths[256];
} header;

/* Reads a unit's header; leaves the cursor at its program. 0: not for us. */
static int read_header(ga_hc_lines *l, cursor *c, header *h)
{
  memset(h, 0, sizeof *h);
  h->version = (unsigned int)fixed(c, 2);
  if (h->version < 2 || h->version > 4) return 0;
  uint64_t length = fixed(c, 4);
  if (length > (uint64_t)(c->end - c->p)) return 0;
  const unsigned char *program = c->p + length;
  h->min_inst = (unsigned int)fixed(c, 1);
  if (h->version >= 4) fixed(c, 1);
  fixed(c, 1);
  h->line_base = (int8_t)fixed(c, 1);
  h->line_range = (unsigned int)fixed(c, 1);
  h->opcode_base = (unsigned int)fixed(c, 1);
  for (unsigned int i = 1; i < h->opcode_base; i++) h->lengths[i] = (unsigned char)fixed(c, 1);
  while (c->p < program && *string(c) != '\0') {
  }
  h->file0 = l->nfile;
  for (;;) {
    const char *name = c->p < program ? string(c) : "";
    if (*name == '\0') break;
    add_file(l, name);
    for (int i = 0; i < 3; i++) unsigned_leb(c);
  }
  c->p = program;
  return h->line_range != 0 && h->opcode_base != 0;
}

typedef struct machine {
  uintptr_t address;
  unsigned int file;
  int64_t line;
} machine;

static void emit(ga_hc_lines *l, const header *h, const machine *m, int ends)
{
  add_row(l, m->address, h->file0 + m->file - 1, ends || m->line <= 0 ? 0 : (unsigned int)m->line);
}

static void extended(ga_hc_lines *l, cursor *c, const header *h, machine *m)
{
  enum { END_SEQUENCE = 1, SET_ADDRESS = 2, DEFINE_FILE = 3 };
  uint64_t n = unsigned_leb(c);
  if (n == 0 || n > (uint64_t)(c->end - c->p)) {
    c->p = c->end;
    return;
  }
  cursor body = {c->p, c->p + n};
  unsigned int op = (unsigned int)fixed(&body, 1);
  c->p += n;
  if (op == END_SEQUENCE) {
    emit(l, h, m, 1);
    *m = (machine){0, 1, 1};
  } else if (op == SET_ADDRESS) {
    m->address = (uintptr_t)fixed(&body, (unsigned int)(n - 1 < 8 ? n - 1 : 8));
  } else if (op == DEFINE_FILE) {
    add_file(l, string(&body));
  }
}

static void standard(ga_hc_lines *l, cursor *c, const header *h, machine *m, unsigned int op)
{
  enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, SET_FILE, CONST_ADD_PC = 8, FIXED_ADVANCE_PC };
  switch (op) {
  case COPY: emit(l, h, m, 0); break;
  case ADVANCE_PC: m->address += (uintptr_t)unsigned_leb(c) * h->min_inst; break;
  case ADVANCE_LINE: m->line += signed_leb(c); break;
  case SET_FILE: m->file = (unsigned int)unsigned_leb(c); break;
  case CONST_ADD_PC: m->address += (255 - h->opcode_base) / h->line_range * h->min_inst; break;
  case FIXED_ADVANCE_PC: m->address += (uintptr_t)fixed(c, 2); break;
  default:
    for (unsigned int i = 0; i < h->lengths[op]; i++) unsigned_leb(c);
  }
}

static void run_program(ga_hc_lines *l, cursor *c, const header *h)
{
  machine m = {0, 1, 1};
  while (c->p < c->end && !l->failed) {
    unsigned int op = *c->p++;
    if (op >= h->opcode_base) {
      unsigned int k = op - h->opcode_base;
      m.address += k / h->line_range * h->min_inst;
      m.line += h->line_base + (int)(k % h->line_range);
      emit(l, h, &m, 0);
    } else if (op == 0) {
      extended(l, c, h, &m);
    } else {
      standard(l, c, h, &m, op);
    }
  }
}

/* ---- the object -------------------------------------------------------------------- */

/* The section .debug_line of a 64-bit object. */
static int find_section(cursor *c, const unsigned char *elf, size_t size)
{
  Elf64_Ehdr e;
  Elf64_Shdr names, s;
  if (size < sizeof e || memcmp(elf, ELFMAG, SELFMAG) != 0 || elf[EI_CLASS] != ELFCLASS64) return 0;
  memcpy(&e, elf, sizeof e);
  if (e.e_shoff > size || (size - e.e_shoff) / sizeof s < e.e_shnum || e.e_shstrndx >= e.e_shnum)
    return 0;
  memcpy(&names, elf + e.e_shoff + e.e_shstrndx * sizeof s, sizeof names);
  for (unsigned int i = 0; i < e.e_shnum; i++) {
    static const char want[] = ".debug_line";
    memcpy(&s, elf + e.e_shoff + i * sizeof s, sizeof s);
    uint64_t at = names.sh_offset + s.sh_name;
    if (at > size || size - at < sizeof want || memcmp(elf + at, want, sizeof want) != 0) continue;
    if (s.sh_offset > size || size - s.sh_offset < s.sh_size || (s.sh_flags & SHF_COMPRESSED))
      return 0;
    *c = (cursor){elf + s.sh_offset, elf + s.sh_offset + s.sh_size};
    return 1;
  }
  return 0;
}

/* By address; at one address the end of a sequence comes first. */
static int compare(const void *a, const void *b)
{
  const row *x = a, *y = b;
  if (x->address != y->address) return x->address < y->address ? -1 : 1;
  return (x->line != 0) - (y->line != 0);
}

ga_hc_lines *ga_hc_lines_read(const void *elf, size_t size)
{
  cursor all;
  header h;
  if (!find_section(&all, elf, size)) return NULL;
  ga_hc_lines *l = calloc(1, sizeof *l);
  if (l == NULL) return NULL;
  while (all.p < all.end && !l->failed) {
    uint64_t n = fixed(&all, 4);
    if (n == 0xffffffffu || n > (uint64_t)(all.end - all.p)) break;
    cursor unit = {all.p, all.p + n};
    all.p += n;
    if (read_header(l, &unit, &h)) run_program(l, &unit, &h);
  }
  if (l->failed) {
    ga_hc_lines_free(l);
    return NULL;
  }
  if (l->n > 1) qsort(l->rows, l->n, sizeof *l->rows, compare);
  return l;
}

void ga_hc_lines_free(ga_hc_lines *l)
{
  if (l == NULL) return;
  for (unsigned int i = 0; i < l->nfile; i++) free(l->files[i]);
  free(l->files);
  free(l->rows);
  free(l);
}

int ga_hc_lines_find(const ga_hc_lines *l, uintptr_t address, const char **file, unsigned int *line)
{
  size_t low = 0, high = l != NULL ? l->n : 0;
  while (low < high) { /* the last row at or before the address */
    size_t mid = low + (high - low) / 2;
    if (l->rows[mid].address <= address)
      low = mid + 1;
    else
      high = mid;
  }
  if (low == 0 || l->rows[low - 1].line == 0 || l->rows[low - 1].file >= l->nfile) return 0;
  *file = l->files[l->rows[low - 1].file];
  *line = l->rows[low - 1].line;
  return 1;
}
