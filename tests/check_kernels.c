/* SPDX-License-Identifier: MIT */
/* The generated kernels, run on the host (tests/host_kernel.h): maps of every class against a
 * loop over the stage as it was given. Skipped where there is no C++ compiler. */
#include "tests/host_kernel.h"
#include "tests/kernel_memory.h"

/* One multiprocessor: a few thousand vectors fill it. */
static const ga_target target = {1, 227 * 1024, 0, 0, 0};

/* float32 + float32, float32 + int16 to float64 and to float32, int8 + int8, float32 + int8 to
 * float64, float32 < int16, of int8 and of uint8 min(max(a*b, a - b), a + b), of int8 abs and
 * square besides */
enum { PLAIN, MIXED, HALVED, NARROW, WIDENED, TRUTHS, SIGNED, UNSIGNED };

typedef struct map_case {
  const char *name;
  enum ga_class cls;
  int mixed; /* one of these */
  unsigned int nd;
  size_t dims[5];
  ssize_t a[5], b[5], o[5]; /* strides in elements */
  int aoff, boff, ooff;     /* in bytes */
} map_case;

#define L(...)  \
  {             \
    __VA_ARGS__ \
  }
#define MAP(name, cls, mixed, nd, dims, a, b, o, ...)           \
  {                                                             \
    name, GA_CLASS_##cls, mixed, nd, dims, a, b, o, __VA_ARGS__ \
  }

static const map_case maps[] = {
    MAP("0-d", CONTIG, PLAIN, 0, L(0), L(0), L(0), L(0), 0, 0, 0),
    MAP("one element", CONTIG, PLAIN, 2, L(1, 1), L(1, 1), L(1, 1), L(1, 1), 0, 0, 0),
    MAP("none", CONTIG, PLAIN, 2, L(3, 0), L(0, 1), L(0, 1), L(0, 1), 0, 0, 0),
    MAP("31", CONTIG, PLAIN, 1, L(31), L(1), L(1), L(1), 0, 0, 0),
    MAP("1025", CONTIG, PLAIN, 1, L(1025), L(1), L(1), L(1), 0, 0, 0),
    MAP("all shifted alike", CONTIG, PLAIN, 1, L(1033), L(1), L(1), L(1), 4, 4, 4),
    MAP("inputs shifted apart", CONTIG, PLAIN, 1, L(1033), L(1), L(1), L(1), 4, 8, 12),
    MAP("b stays", CONTIG, PLAIN, 1, L(517), L(1), L(0), L(1), 4, 0, 0),
    MAP("unaligned", CONTIG, PLAIN, 1, L(301), L(1), L(1), L(1), 1, 0, 0),
    MAP("unaligned output", CONTIG, PLAIN, 1, L(301), L(1), L(1), L(1), 0, 0, 3),
    MAP("mixed", CONTIG, MIXED, 1, L(1031), L(1), L(1), L(1), 0, 0, 0),
    MAP("mixed shifted", CONTIG, MIXED, 1, L(1031), L(1), L(1), L(1), 4, 2, 8),
    MAP("mixed shifted odd", CONTIG, MIXED, 1, L(1031), L(1), L(1), L(1), 12, 14, 0),
    MAP("merged 2-d", CONTIG, PLAIN, 2, L(33, 31), L(31, 1), L(31, 1), L(31, 1), 0, 0, 0),
    MAP("f order merged", CONTIG, PLAIN, 2, L(33, 31), L(1, 33), L(1, 33), L(1, 33), 0, 0, 0),
    MAP("both reversed", CONTIG, PLAIN, 1, L(333), L(-1), L(-1), L(-1), 0, 0, 0),
    MAP("b reversed", STRIDED, PLAIN, 1, L(333), L(1), L(-1), L(1), 0, 0, 0),
    MAP("row broadcast", INNER, PLAIN, 2, L(37, 64), L(64, 1), L(0, 1), L(64, 1), 0, 0, 0),
    MAP("column broadcast", INNER, PLAIN, 2, L(37, 65), L(65, 1), L(1, 0), L(65, 1), 0, 0, 0),
    MAP("outer", INNER, PLAIN, 2, L(37, 65), L(1, 0), L(0, 1), L(65, 1), 4, 4, 8),
    MAP("slices", INNER, PLAIN, 2, L(29, 63), L(64, 1), L(65, 1), L(63, 1), 4, 0, 0),
    MAP("slices in 3-d", INNER, PLAIN, 3, L(5, 7, 40), L(1000, 48, 1), L(999, 44, 1), L(280, 40, 1),
        0, 8, 0),
    MAP("slices in 4-d", INNER, PLAIN, 4, L(3, 4, 5, 33), L(2000, 500, 40, 1), L(2001, 333, 64, 1),
        L(660, 165, 33, 1), 0, 0, 0),
    MAP("slices in 5-d", INNER, PLAIN, 5, L(2, 3, 2, 3, 35), L(4000, 1300, 600, 40, 1),
        L(5000, 1400, 500, 64, 1), L(630, 210, 105, 35, 1), 0, 0, 0),
    MAP("mixed slices", INNER, MIXED, 2, L(29, 63), L(64, 1), L(65, 1), L(63, 1), 4, 2, 8),
    MAP("rows with gaps", INNER, PLAIN, 2, L(29, 63), L(63, 1), L(0, 1), L(65, 1), 4, 0, 8),
    MAP("rows with gaps, in step", INNER, PLAIN, 2, L(29, 63), L(65, 1), L(69, 1), L(65, 1), 8, 8,
        8),
    MAP("mixed rows with gaps", INNER, MIXED, 2, L(29, 63), L(63, 1), L(64, 1), L(67, 1), 4, 2, 8),
    MAP("narrow rows with gaps", INNER, NARROW, 2, L(29, 63), L(63, 1), L(64, 1), L(65, 1), 3, 0,
        5),
    MAP("narrow rows with gaps, in step", INNER, NARROW, 2, L(29, 99), L(101, 1), L(117, 1),
        L(101, 1), 5, 5, 5),
    MAP("narrow rows with gaps + column", INNER, NARROW, 3, L(3, 5, 40), L(1000, 41, 1), L(5, 1, 0),
        L(700, 50, 1), 1, 2, 15),
    MAP("narrow rows compared with a wide column", INNER, TRUTHS, 2, L(29, 64), L(1, 0), L(64, 1),
        L(64, 1), 4, 0, 0),
    MAP("narrow rows of eights compared with a wide column", INNER, TRUTHS, 3, L(3, 9, 72),
        L(9, 1, 0), L(1000, 80, 1), L(800, 80, 1), 4, 0, 0),
    MAP("wide rows compared with a narrow column", INNER, TRUTHS, 2, L(29, 72), L(76, 1), L(1, 0),
        L(88, 1), 0, 2, 8),
    MAP("rows compared, all of vectors", INNER, TRUTHS, 2, L(29, 80), L(84, 1), L(88, 1), L(80, 1),
        0, 0, 0),
    MAP("unaligned rows", INNER, PLAIN, 2, L(9, 63), L(64, 1), L(65, 1), L(63, 1), 2, 0, 0),
    MAP("odd rows + row", INNER, PLAIN, 2, L(29, 63), L(63, 1), L(0, 1), L(63, 1), 4, 8, 12),
    MAP("mixed odd rows + column", INNER, MIXED, 2, L(29, 63), L(63, 1), L(1, 0), L(63, 1), 4, 2,
        8),
    MAP("short rows + row", STRIDED, PLAIN, 2, L(333, 3), L(3, 1), L(0, 1), L(3, 1), 4, 0, 8),
    MAP("laps of an outer sum", INNER, NARROW, 2, L(1500, 65), L(1, 0), L(0, 1), L(65, 1), 3, 5, 2),
    MAP("laps of rows + column", INNER, PLAIN, 2, L(517, 33), L(33, 1), L(1, 0), L(33, 1), 4, 8,
        12),
    MAP("laps of planes + channel", INNER, PLAIN, 3, L(49, 5, 77), L(385, 77, 1), L(0, 1, 0),
        L(385, 77, 1), 0, 4, 8),
    MAP("laps of short rows + row", STRIDED, NARROW, 2, L(10001, 7), L(7, 1), L(0, 1), L(7, 1), 1,
        0, 15),
    MAP("laps of a mixed outer sum", INNER, MIXED, 2, L(521, 33), L(0, 1), L(1, 0), L(33, 1), 4, 2,
        8),
    MAP("laps of reversed rows", STRIDED, NARROW, 3, L(501, 3, 41), L(123, 41, -1), L(0, 41, -1),
        L(123, 41, 1), 4, 2, 8),
    MAP("laps along a middle axis", INNER, NARROW, 3, L(7, 400, 65), L(26000, 65, 1), L(65, 0, 1),
        L(26000, 65, 1), 3, 5, 2),
    MAP("laps of short rows along a middle axis", STRIDED, NARROW, 3, L(9, 3001, 7), L(21007, 7, 1),
        L(7, 0, 1), L(21007, 7, 1), 1, 0, 15),
    MAP("laps of reversed rows along a middle axis", STRIDED, NARROW, 4, L(3, 2, 500, 67),
        L(70000, 34000, 67, -1), L(134, 67, 0, 1), L(67000, 33500, 67, 1), 66, 2, 8),
    MAP("laps of rows with gaps along a middle axis", INNER, PLAIN, 3, L(5, 700, 33),
        L(30000, 34, 1), L(33, 0, 1), L(23100, 33, 1), 4, 8, 12),
    MAP("steps of 2", STRIDED, PLAIN, 1, L(1025), L(2), L(2), L(1), 0, 4, 0),
    MAP("narrow steps of 3 and back", STRIDED, NARROW, 1, L(1037), L(3), L(-5), L(1), 1, 2, 5),
    MAP("mixed steps, one stays", STRIDED, MIXED, 1, L(1031), L(0), L(7), L(1), 4, 6, 8),
    MAP("a step and neighbours shifted", STRIDED, MIXED, 1, L(519), L(2), L(1), L(1), 0, 2, 0),
    MAP("views of rows", INNER, PLAIN, 3, L(3, 37, 64), L(2800, 70, 1), L(2800, 70, 1),
        L(2368, 64, 1), 4, 12, 0),
    MAP("views of rows with ends", INNER, PLAIN, 2, L(37, 67), L(70, 1), L(71, 1), L(68, 1), 8, 4,
        0),
    MAP("transposed", TILE, PLAIN, 2, L(45, 45), L(45, 1), L(1, 45), L(45, 1), 0, 0, 0),
    MAP("transposed of 70 by 33", TILE, PLAIN, 2, L(70, 33), L(1, 70), L(1, 71), L(33, 1), 4, 8,
        12),
    MAP("transposed of 131 by 67", TILE, PLAIN, 2, L(131, 67), L(1, 131), L(67, 1), L(67, 1), 4, 8,
        12),
    MAP("transposed of 67 by 131", TILE, PLAIN, 2, L(67, 131), L(1, 68), L(1, 67), L(131, 1), 0, 4,
        8),
    MAP("transposed mixed", TILE, MIXED, 2, L(70, 33), L(33, 1), L(1, 71), L(33, 1), 0, 2, 0),
    MAP("transposed words of two sizes", TILE, HALVED, 2, L(70, 96), L(1, 72), L(96, 1), L(96, 1),
        8, 4, 0),
    MAP("narrow words transposed", TILE, HALVED, 2, L(96, 160), L(160, 1), L(1, 96), L(160, 1), 0,
        0, 0),
    MAP("narrow words transposed, a column", TILE, NARROW, 2, L(96, 160), L(1, 0), L(1, 96),
        L(160, 1), 3, 0, 0),
    MAP("words of two sizes transposed, a column off words", TILE, HALVED, 3, L(3, 96, 70),
        L(101, 1, 0), L(6720, 1, 96), L(6720, 70, 1), 4, 0, 0),
    MAP("transposed in 4-d", TILE, PLAIN, 4, L(3, 40, 5, 17), L(3400, 1, 40, 200),
        L(3400, 85, 17, 1), L(3400, 85, 17, 1), 0, 0, 0),
    MAP("transposed, a step of 2", TILE, PLAIN, 2, L(40, 40), L(2, 80), L(80, 1), L(40, 1), 0, 0,
        0),
    MAP("transposed backwards", TILE, PLAIN, 2, L(40, 40), L(-1, 40), L(40, 1), L(40, 1), 0, 0, 0),
    MAP("transposed unaligned", TILE, PLAIN, 2, L(40, 40), L(1, 40), L(40, 1), L(40, 1), 1, 0, 0),
    MAP("output in f order", TILE, PLAIN, 2, L(40, 50), L(50, 1), L(50, 1), L(1, 40), 0, 0, 0),
    MAP("narrow", STRIDED, PLAIN, 2, L(1000, 3), L(4, 1), L(0, 1), L(3, 1), 0, 0, 0),
    MAP("3-d shuffled", STRIDED, PLAIN, 3, L(7, 11, 13), L(1, 7, 77), L(13, 91, 1), L(143, 13, 1),
        0, 0, 0),
    MAP("crossed along two axes", TILE, PLAIN, 3, L(17, 19, 37), L(1, 680, 17), L(740, 1, 20),
        L(760, 40, 1), 4, 0, 8),
    MAP("narrow ones crossed along two axes", TILE, NARROW, 3, L(17, 39, 70), L(1, 1270, 18),
        L(2831, 1, 40), L(2760, 70, 1), 3, 6, 1),
    MAP("narrow ones crossed by words", TILE, NARROW, 3, L(36, 44, 72), L(1, 2592, 36),
        L(3168, 1, 44), L(3168, 72, 1), 0, 0, 0),
    MAP("narrow ones crossed by words, inputs shifted", TILE, NARROW, 3, L(36, 44, 72),
        L(1, 2592, 36), L(3168, 1, 44), L(3168, 72, 1), 3, 1, 0),
    MAP("narrow ones turned", TILE, NARROW, 2, L(130, 301), L(301, 1), L(1, 131), L(301, 1), 3, 2,
        5),
    MAP("narrow ones turned, no column", TILE, NARROW, 2, L(126, 227), L(0, 1), L(1, 127),
        L(229, 1), 0, 1, 0),
    MAP("both narrow ones turned", TILE, NARROW, 2, L(131, 150), L(1, 133), L(1, 131), L(150, 1), 1,
        2, 7),
    MAP("narrow rows of whole sectors turned", TILE, NARROW, 2, L(125, 320), L(320, 1), L(1, 125),
        L(320, 1), 0, 3, 0),
    MAP("short narrow rows turned", TILE, NARROW, 3, L(3, 125, 65), L(8125, 65, 1), L(8125, 1, 125),
        L(8125, 65, 1), 1, 2, 3),
    MAP("narrow ones turned, lines backwards", TILE, NARROW, 2, L(130, 301), L(301, 1), L(1, -131),
        L(301, 1), 3, 2, 5),
    MAP("narrow ones turned, rows backwards beside", TILE, NARROW, 2, L(130, 301), L(305, -1),
        L(1, 131), L(301, 1), 303, 2, 5),
    MAP("narrow ones turned by words, into rows with gaps", TILE, NARROW, 2, L(130, 301), L(303, 1),
        L(1, 132), L(302, 1), 3, 0, 1),
    MAP("narrow ones turned, steps of 2 beside", TILE, NARROW, 2, L(130, 301), L(605, 2), L(1, 133),
        L(301, 1), 1, 3, 0),
    MAP("turned beside rows off vectors", TILE, PLAIN, 2, L(35, 301), L(305, 1), L(1, 37),
        L(301, 1), 4, 8, 12),
    MAP("turned beside rows backwards", TILE, PLAIN, 2, L(35, 301), L(301, -1), L(1, 37), L(301, 1),
        1200, 0, 4),
    MAP("33 channels to rows", TILE, PLAIN, 2, L(33, 517), L(1, 33), L(517, 1), L(520, 1), 4, 0, 8),
    MAP("rows to 60 channels backwards", TILE, PLAIN, 3, L(3, 301, 60), L(18060, -1, 301),
        L(18060, 1, 301), L(18060, 60, 1), 1200, 4, 0),
    MAP("bytes turned into wide ones", TILE, WIDENED, 2, L(140, 133), L(133, 1), L(1, 141),
        L(133, 1), 4, 3, 8),
    MAP("mixed ones turned", TILE, MIXED, 2, L(70, 133), L(133, 1), L(1, 71), L(133, 1), 4, 6, 8),
    MAP("mixed ones turned, rows of whole sectors", TILE, MIXED, 2, L(63, 140), L(140, 1), L(1, 63),
        L(140, 1), 0, 2, 0),
    MAP("short axes of boxes", STRIDED, PLAIN, 4, L(9, 70, 20, 5), L(350, 5, 3150, 1),
        L(7000, 100, 5, 1), L(7000, 100, 5, 1), 0, 4, 8),
    MAP("short axes of boxes backwards", STRIDED, PLAIN, 5, L(5, 3, 7, 11, 6),
        L(1, -5, 15, -105, 1155), L(1386, 462, 66, 6, 1), L(1386, 462, 66, 6, 1), 5000, 0, 0),
    MAP("short axes of mixed boxes", STRIDED, MIXED, 4, L(9, 70, 21, 5), L(351, 5, 3160, 1),
        L(350, 5, 3150, 1), L(7350, 105, 5, 1), 0, 2, 8),
    MAP("odd boxes in three orders", TILE, PLAIN, 3, L(35, 19, 43), L(1, 35, 665), L(43, 1505, 1),
        L(817, 43, 1), 0, 0, 0),
    MAP("far along a short axis", STRIDED, PLAIN, 4, L(28, 20, 2, 9), L(1, 504, 252, 28),
        L(0, 0, 1, 0), L(360, 18, 9, 1), 0, 0, 0),
    MAP("narrow ones in boxes beside a short row", STRIDED, NARROW, 4, L(5, 60, 32, 3),
        L(1, 5, 300, 9600), L(0, 0, 0, 1), L(5760, 96, 3, 1), 0, 0, 0),
    MAP("narrow ones crossed backwards", TILE, NARROW, 3, L(37, 45, 70), L(-1, 2590, 37),
        L(3150, -1, 45), L(3150, 70, 1), 0, 0, 0),
    MAP("mixed ones crossed along two axes", TILE, MIXED, 4, L(17, 3, 39, 35),
        L(-2, 25000, 1190, 34), L(5000, 1600, 1, 40), L(5000, 1400, 35, 1), 4, 2, 8),
    MAP("small narrow matrices", TILE, NARROW, 3, L(37, 16, 19), L(304, 19, 1), L(304, 1, 16),
        L(304, 19, 1), 3, 1, 0),
    MAP("small narrow matrices that fill boxes", TILE, NARROW, 3, L(37, 16, 16), L(256, 1, 16),
        L(256, 16, 1), L(256, 16, 1), 3, 1, 0),
    MAP("slim narrow matrices", TILE, NARROW, 3, L(2, 20, 260), L(5200, 260, 1), L(5200, 1, 20),
        L(5200, 260, 1), 4, 0, 8),
    MAP("slim narrow matrices, turned back", TILE, NARROW, 3, L(2, 260, 20), L(5200, 1, 260),
        L(5200, 20, 1), L(5200, 20, 1), 0, 4, 0),
    MAP("small matrices of three axes", STRIDED, NARROW, 4, L(29, 7, 5, 17), L(595, 1, 119, 7),
        L(595, 85, 17, 1), L(595, 85, 17, 1), 5, 3, 1),
    MAP("small matrices", TILE, PLAIN, 3, L(11, 16, 20), L(320, 1, 16), L(0, 20, 1), L(320, 20, 1),
        4, 0, 8),
    MAP("tiny narrow matrices", STRIDED, NARROW, 3, L(95, 5, 7), L(35, 7, 1), L(35, 1, 5),
        L(35, 7, 1), 0, 5, 1),
    MAP("odd narrow channels to rows", TILE, NARROW, 2, L(41, 1030), L(1, 41), L(1031, 1),
        L(1030, 1), 3, 1, 5),
    MAP("rows to odd narrow channels", TILE, NARROW, 2, L(1030, 27), L(1, 1033), L(27, 1), L(27, 1),
        1, 2, 7),
    MAP("narrow channels 6 apart to rows", STRIDED, NARROW, 2, L(5, 2050), L(1, 6), L(1, 5),
        L(2050, 1), 3, 0, 2),
    MAP("narrow channels 28 apart to odd rows", TILE, NARROW, 2, L(27, 1501), L(1, 28), L(1, 27),
        L(1501, 1), 1, 4, 5),
    MAP("rows to 60 narrow channels", TILE, NARROW, 2, L(700, 60), L(1, 700), L(1, 1500), L(60, 1),
        0, 4, 8),
    MAP("rows to 50 narrow channels in two orders", TILE, NARROW, 3, L(9, 130, 50), L(6500, 1, 130),
        L(1, 9, 1170), L(6500, 50, 1), 2, 5, 3),
    MAP("narrow channels with gaps to rows with gaps", TILE, NARROW, 2, L(50, 1001), L(1, 60),
        L(1, 0), L(1003, 1), 5, 1, 2),
    MAP("backward rows to narrow channels", TILE, NARROW, 3, L(3, 901, 20), L(18020, 1, -901),
        L(0, -1, 901), L(18020, 20, 1), 17119, 900, 0),
    MAP("24 narrow channels to rows together", TILE, NARROW, 2, L(24, 2061), L(1, 24), L(2064, 1),
        L(2064, 1), 8, 3, 4),
    MAP("28 narrow channels, as words, into rows", TILE, NARROW, 3, L(28, 41, 130), L(1, 28, 1148),
        L(130, 0, 1), L(5412, 132, 1), 4, 3, 1),
    MAP("narrow rows together in two orders", TILE, NARROW, 3, L(24, 41, 130), L(1, 24, 984),
        L(130, -3120, 1), L(5412, 132, 1), 8, 124800, 8),
    MAP("rows together to 52 narrow channels", TILE, NARROW, 3, L(3, 1032, 52), L(53664, 1, 1032),
        L(53664, 52, 1), L(53664, 52, 1), 8, 5, 4),
    MAP("rows together to odd narrow channels", TILE, NARROW, 2, L(1032, 61), L(1, 1032), L(61, 1),
        L(64, 1), 0, 5, 7),
    MAP("150 narrow channels to rows", TILE, NARROW, 2, L(150, 2061), L(1, 150), L(2064, 1),
        L(2064, 1), 3, 1, 5),
    MAP("rows to 150 narrow channels", TILE, NARROW, 2, L(1030, 150), L(1, 1033), L(150, 1),
        L(150, 1), 1, 2, 7),
    MAP("narrow items change places", STRIDED, NARROW, 3, L(150, 70, 7), L(7, 1060, 1),
        L(490, 7, 1), L(490, 7, 1), 2, 0, 3),
    MAP("narrow items, backwards", STRIDED, NARROW, 4, L(2, 50, 90, 11), L(49500, 11, -550, 1),
        L(0, 990, 11, 1), L(49500, 990, 11, 1), 48950, 4, 9),
    MAP("narrow short axes far apart", TILE, NARROW, 5, L(17, 6, 8, 4, 16),
        L(1, 17, 102, 816, 3264), L(3072, 512, 64, 16, 1), L(3072, 512, 64, 16, 1), 3, 0, 5),
    MAP("narrow lines whole vectors apart", TILE, NARROW, 3, L(32, 33, 56), L(33, 1, 1056),
        L(1848, 56, 1), L(1848, 56, 1), 3, 1, 8),
    MAP("narrow lines whole vectors apart, backwards", TILE, NARROW, 4, L(3, 29, 33, 56),
        L(0, 33, 1, -960), L(91872, 1056, 1, 2112), L(53592, 1848, 56, 1), 52805, 0, 0),
    MAP("short narrow lines with gaps whole vectors apart", TILE, NARROW, 3, L(7, 64, 150),
        L(1, 8, 512), L(9600, 150, 1), L(9600, 150, 1), 2, 4, 1),
    MAP("narrow ones crossed beside one of few", TILE, NARROW, 4, L(50, 17, 9, 40),
        L(1, 450, 50, 7650), L(17, 1, 0, 0), L(6120, 360, 40, 1), 1, 3, 0),
    MAP("one narrow element for two that crosses", STRIDED, NARROW, 4, L(36, 5, 60, 2),
        L(600, 120, 2, 1), L(1, 36, 180, 0), L(600, 120, 2, 1), 1, 3, 0),
    MAP("one element for three that crosses", STRIDED, PLAIN, 3, L(33, 130, 3), L(390, 3, 1),
        L(1, 33, 0), L(390, 3, 1), 4, 0, 8),
    MAP("woven to planes", STRIDED, PLAIN, 3, L(2, 3, 601), L(1803, 1, 3), L(0, 1, 0),
        L(1803, 601, 1), 4, 0, 8),
    MAP("planes to woven", STRIDED, PLAIN, 3, L(3, 601, 4), L(2404, 1, 601), L(2404, 4, 1),
        L(2500, 4, 1), 12, 8, 4),
    MAP("mixed planes to woven", STRIDED, MIXED, 4, L(2, 3, 257, 5), L(3855, 1285, 1, 257),
        L(3860, 1286, 5, 1), L(3855, 1285, 5, 1), 4, 6, 8),
    MAP("mixed woven to planes", STRIDED, MIXED, 3, L(2, 8, 300), L(2400, 1, 8), L(2401, 1, 8),
        L(2404, 300, 1), 0, 2, 8),
    MAP("bytes compared", CONTIG, SIGNED, 1, L(1033), L(1), L(1), L(1), 3, 8, 5),
    MAP("bytes compared with a number", CONTIG, SIGNED, 1, L(517), L(1), L(0), L(1), 1, 3, 0),
    MAP("bytes compared, neither off vectors", CONTIG, UNSIGNED, 1, L(1030), L(1), L(1), L(1), 0, 0,
        0),
    MAP("bytes of rows compared with a column", INNER, SIGNED, 3, L(3, 5, 64), L(320, 64, 1),
        L(5, 1, 0), L(320, 64, 1), 0, 0, 0),
    MAP("bytes of rows with gaps compared", INNER, UNSIGNED, 2, L(29, 63), L(63, 1), L(64, 1),
        L(65, 1), 3, 0, 5),
    MAP("laps of bytes compared", INNER, SIGNED, 2, L(1500, 65), L(66, 1), L(1, 0), L(65, 1), 3, 5,
        2),
    MAP("bytes compared backwards", STRIDED, UNSIGNED, 2, L(95, 43), L(43, -1), L(86, 2), L(43, 1),
        4083, 3, 1),
    MAP("bytes compared, in steps of 3", STRIDED, SIGNED, 1, L(1037), L(3), L(-5), L(1), 1, 2, 5),
    MAP("bytes compared in short rows", STRIDED, SIGNED, 2, L(333, 7), L(7, 1), L(0, 1), L(7, 1), 1,
        0, 9),
    MAP("wide rows backwards beside narrow ones", STRIDED, HALVED, 2, L(29, 63), L(64, -1),
        L(63, 1), L(63, 1), 252, 2, 8),
    MAP("wide rows in steps of 2 beside narrow ones", STRIDED, MIXED, 2, L(29, 63), L(127, 2),
        L(64, -1), L(63, 1), 4, 124, 8),
    MAP("short rows of 2 bytes backwards", STRIDED, HALVED, 2, L(203, 13), L(13, 1), L(13, -1),
        L(13, 1), 4, 26, 8),
    MAP("rows of 2 bytes backwards", STRIDED, HALVED, 2, L(41, 301), L(301, 1), L(305, -1),
        L(301, 1), 4, 700, 8),
    MAP("longer rows of 2 bytes backwards", STRIDED, HALVED, 2, L(41, 321), L(321, 1), L(325, -1),
        L(321, 1), 4, 700, 8),
    MAP("short rows of 2 bytes in steps of 2", STRIDED, HALVED, 3, L(21, 5, 30), L(150, 30, 1),
        L(400, 61, -2), L(150, 30, 1), 0, 120, 0),
    MAP("5-d", STRIDED, PLAIN, 5, L(2, 3, 4, 5, 6), L(2, 4, 12, 48, 240), L(360, -120, 30, -6, 1),
        L(720, 240, 60, 12, 2), 0, 0, 0),
    MAP("unaligned steps", STRIDED, PLAIN, 1, L(333), L(2), L(2), L(1), 1, 0, 0),
};
#define NMAPS (sizeof maps / sizeof maps[0])

#define LESS(a, b) ((a) < (b) ? (a) : (b))
#define MORE(a, b) ((a) > (b) ? (a) : (b))

static char compare(char x, char y)
{
  const int8_t a = (int8_t)x, b = (int8_t)y, product = (int8_t)(a * b), d = (int8_t)(a - b);
  const int8_t s = (int8_t)(a + b), size = (int8_t)(s < 0 ? -s : s),
               r = LESS(MORE(product, d), size);
  return (char)(-r + r * r);
}

static char compare_unsigned(char x, char y)
{
  const uint8_t a = (uint8_t)x, b = (uint8_t)y, product = (uint8_t)(a * b), d = (uint8_t)(a - b);
  const uint8_t s = (uint8_t)(a + b);
  return (char)LESS(MORE(product, d), s);
}

/* What those two say. */
static int box_compare(stage_box *b, int x, int y, int mixed)
{
  int sum = box_op(b, GA_OP_add, x, y), r;
  if (mixed == SIGNED) sum = box_op(b, GA_OP_absolute, sum, -1);
  r = box_op(b, GA_OP_maximum, box_op(b, GA_OP_multiply, x, y), box_op(b, GA_OP_subtract, x, y));
  r = box_op(b, GA_OP_minimum, r, sum);
  if (mixed != SIGNED) return r;
  return box_op(b, GA_OP_add, box_op(b, GA_OP_negative, r, -1), box_op(b, GA_OP_square, r, -1));
}

static void check_map(const ga_stage *st, const mem *m, const char *before, int mixed,
                      const char *name)
{
  size_t pos[GA_MAXND] = {0};
  char *want = malloc(m[2].size);
  memcpy(want, before, m[2].size);
  ssize_t base = m[2].base - m[2].all;
  if (count(st, 2) != 0) do {
      float a;
      memcpy(&a, m[0].base + at(st, 0, pos), 4);
      if (mixed >= SIGNED) {
        const char *x = m[0].base + at(st, 0, pos), *y = m[1].base + at(st, 1, pos);
        *(want + base + at(st, 2, pos)) =
            mixed == SIGNED ? compare(*x, *y) : compare_unsigned(*x, *y);
      } else if (mixed == NARROW) {
        *(want + base + at(st, 2, pos)) =
            (char)(*(m[0].base + at(st, 0, pos)) + *(m[1].base + at(st, 1, pos)));
      } else if (mixed == TRUTHS) {
        int16_t b;
        memcpy(&b, m[1].base + at(st, 1, pos), 2);
        *(want + base + at(st, 2, pos)) = a < (float)b;
      } else if (mixed == WIDENED) {
        double d = (double)a + *(const int8_t *)(m[1].base + at(st, 1, pos));
        memcpy(want + base + at(st, 2, pos), &d, 8);
      } else if (mixed == MIXED) {
        int16_t b;
        memcpy(&b, m[1].base + at(st, 1, pos), 2);
        double d = (double)a + b;
        memcpy(want + base + at(st, 2, pos), &d, 8);
      } else if (mixed == HALVED) {
        int16_t b;
        memcpy(&b, m[1].base + at(st, 1, pos), 2);
        float c = a + (float)b;
        memcpy(want + base + at(st, 2, pos), &c, 4);
      } else {
        float b, c;
        memcpy(&b, m[1].base + at(st, 1, pos), 4);
        c = a + b;
        memcpy(want + base + at(st, 2, pos), &c, 4);
      }
    } while (next(st, pos, 2));
  for (size_t i = 0; i < m[2].size; i++)
    ck_assert_msg(want[i] == m[2].all[i], "%s: byte %zd differs", name, (ssize_t)i - base);
  free(want);
}

START_TEST(maps_match_the_loop)
{
  const map_case *c = &maps[_i];
  stage_box b;
  mem m[3];
  char *base[3], *before;
  enum ga_class cls;
  enum ga_dtype types[3] = {GA_DT_FLOAT32,
                            c->mixed == MIXED || c->mixed == HALVED ? GA_DT_INT16 : GA_DT_FLOAT32,
                            c->mixed == MIXED ? GA_DT_FLOAT64 : GA_DT_FLOAT32};
  if (c->mixed == TRUTHS) types[1] = GA_DT_INT16, types[2] = GA_DT_BOOL;
  if (c->mixed == WIDENED) types[1] = GA_DT_INT8, types[2] = GA_DT_FLOAT64;
  if (c->mixed == UNSIGNED) types[0] = types[1] = types[2] = GA_DT_UINT8;
  if (c->mixed == NARROW || c->mixed == SIGNED) types[0] = types[1] = types[2] = GA_DT_INT8;
  const ssize_t *strides[3] = {c->a, c->b, c->o};
  const int offsets[3] = {c->aoff, c->boff, c->ooff};
  if (!host_kernel_available()) return;
  box_init(&b, c->nd, c->dims, NULL);
  for (int i = 0; i < 3; i++) {
    ssize_t s[5];
    for (int k = 0; k < 5; k++) s[k] = strides[i][k] * ga_dtypes[types[i]].size;
    box_operand(&b, types[i], s, i == 2 ? BOX_OUT : BOX_IN);
    b.operands[i].offset = offsets[i];
    m[i] = mem_new(&b.st, (unsigned int)i);
    base[i] = m[i].base;
  }
  int x = box_load(&b, 0, 0), y = box_load(&b, 1, 0);
  if (c->mixed == MIXED || c->mixed == WIDENED) {
    x = box_cast(&b, GA_DT_FLOAT64, x);
    y = box_cast(&b, GA_DT_FLOAT64, y);
  }
  if (c->mixed == HALVED || c->mixed == TRUTHS) y = box_cast(&b, GA_DT_FLOAT32, y);
  box_store(&b, 2,
            c->mixed >= SIGNED   ? box_compare(&b, x, y, c->mixed)
            : c->mixed == TRUTHS ? box_node(&b, GA_OP_less, GA_DT_BOOL, 0, x, y, -1, -1)
                                 : box_op(&b, GA_OP_add, x, y));
  before = malloc(m[2].size);
  memcpy(before, m[2].all, m[2].size);
  host_kernel_run(&b.st, base, NULL, &target, 0, &cls);
  ck_assert_msg(cls == c->cls, "%s: class %d, not %d", c->name, (int)cls, (int)c->cls);
  check_map(&b.st, m, before, c->mixed, c->name);
  free(before);
  for (int i = 0; i < 3; i++) free(m[i].all);
}
END_TEST

/* The truths of a and b, of a stage's loop, its outputs in this order, and that of the last: where
 * a is less, its complement, elsewhere b. */
static const enum ga_op compares[] = {GA_OP_equal,      GA_OP_not_equal, GA_OP_less,
                                      GA_OP_less_equal, GA_OP_greater,   GA_OP_greater_equal};
#define NCOMPARES (sizeof compares / sizeof compares[0])
#define PAIRS     (256 * 256 + 5)

static char compared(size_t op, int a, int b)
{
  const int truths[] = {a == b, a != b, (a < b), (a <= b), (a > b), (a >= b)};
  return (char)(op < NCOMPARES ? truths[op] : a < b ? ~a : b);
}

/* All pairs of bytes, b off vectors; _i: signed or not. */
START_TEST(bytes_compare_as_numbers)
{
  const enum ga_dtype type = _i ? GA_DT_INT8 : GA_DT_UINT8;
  static char mem[NCOMPARES + 3][PAIRS + 16];
  char *base[NCOMPARES + 3];
  int less = -1;
  stage_box b;
  if (!host_kernel_available()) return;
  box_init(&b, 1, (size_t[]){PAIRS}, NULL);
  for (size_t i = 0; i < NCOMPARES + 3; i++) {
    const enum ga_dtype own = i < 2 || i == NCOMPARES + 2 ? type : GA_DT_BOOL;
    base[i] = mem[i] + (16 - (uintptr_t)mem[i] % 16) % 16;
    if (i == 1) base[i]++;
    box_operand(&b, own, (ssize_t[]){1}, i < 2 ? BOX_IN : BOX_OUT);
  }
  for (size_t k = 0; k < PAIRS; k++) base[0][k] = (char)k, base[1][k] = (char)(k >> 8);
  const int x = box_load(&b, 0, 0), y = box_load(&b, 1, 0);
  for (size_t i = 0; i < NCOMPARES; i++) {
    const int truth = box_node(&b, compares[i], GA_DT_BOOL, 0, x, y, -1, -1);
    if (compares[i] == GA_OP_less) less = truth;
    box_store(&b, (int)i + 2, truth);
  }
  const int flipped = box_op(&b, GA_OP_invert, x, -1);
  box_store(&b, NCOMPARES + 2, box_node(&b, GA_OP_where, type, 0, less, flipped, y, -1));
  host_kernel_run(&b.st, base, NULL, &target, 0, NULL);
  for (size_t i = 0; i <= NCOMPARES; i++)
    for (size_t k = 0; k < PAIRS; k++) {
      const char p = base[0][k], q = base[1][k];
      const char want = _i ? compared(i, (signed char)p, (signed char)q)
                           : compared(i, (unsigned char)p, (unsigned char)q);
      ck_assert_msg(base[i + 2][k] == want, "output %zu of pair %zu", i, k);
    }
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(maps_match_the_loop, NMAPS),
    CASE_LOOP(bytes_compare_as_numbers, 2),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("kernels: no C++ compiler; nothing was run\n");
  return test_main("kernels", cases);
}
