/* SPDX-License-Identifier: MIT */
/** \file
 * What every other header stands on: the versions, the marker of public
 * functions, and the integer types (uint32_t, size_t, ssize_t).
 */
#ifndef GPUARRAY_CONFIG
#define GPUARRAY_CONFIG

#include <gpuarray/abi_version.h>

/** Grows by one when functions are added that a program may want to test for. */
#define GPUARRAY_API_VERSION 2

#if defined(_MSC_VER)
#include <stddef.h>
#include <stdint.h>
#if _MSC_VER < 1900 && !defined(__cplusplus)
#define inline __inline
#endif
#ifndef _SSIZE_T_DEFINED
#define _SSIZE_T_DEFINED
#define ssize_t   intptr_t
#define SSIZE_MAX INTPTR_MAX
#endif
#else
#include <sys/types.h>
#include <stddef.h>
#include <stdint.h>
#endif

/** Marks a function of the library. */
#if defined(GPUARRAY_SHARED)
#if defined(_WIN32)
#if defined(GPUARRAY_BUILDING_DLL)
#define GPUARRAY_PUBLIC __declspec(dllexport)
#else
#define GPUARRAY_PUBLIC __declspec(dllimport)
#endif
#elif defined(__GNUC__) && __GNUC__ >= 4
#define GPUARRAY_PUBLIC __attribute__((visibility("default")))
#endif
#endif
#ifndef GPUARRAY_PUBLIC
#define GPUARRAY_PUBLIC
#endif

#endif
