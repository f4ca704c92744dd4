// Loops that a compiler must unroll.
#pragma once

#if defined(__CUDACC__)
#define TS_UNROLL _Pragma("unroll")
#elif defined(__clang__)
#define TS_UNROLL _Pragma("clang loop unroll(full)")
#else
#define TS_UNROLL _Pragma("GCC unroll 16")
#endif

// The same where a host is better served by a loop: arrays in registers matter to a device only.
#if defined(__CUDACC__)
#define TS_UNROLL_ON_DEVICE _Pragma("unroll")
#define TS_UNROLL_NOT _Pragma("unroll 1")
#else
#define TS_UNROLL_ON_DEVICE
#define TS_UNROLL_NOT
#endif
