// SPDX-License-Identifier: MIT
// <cuda/std/...> for kernels compiled for the CPU: the machine's own standard library,
// whose headers the text's own includes bring (lib/cpu/hostcuda_compile.c).

namespace std
{
}
namespace cuda
{
namespace std
{
using namespace ::std;
}
} // namespace cuda
