// SPDX-License-Identifier: MIT
// The toolkit's, where it is installed, with the halves that there are here.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <nv/target>
#include_next <cuda_fp4.h>
