// One functor per elementwise operation, named as its row in CamelCase.
#pragma once

#include "backends/kernels/functors/activation.h"
#include "backends/kernels/functors/arithmetic.h"
#include "backends/kernels/functors/bits.h"
#include "backends/kernels/functors/division.h"
#include "backends/kernels/functors/logic.h"
#include "backends/kernels/functors/rounding.h"
#include "backends/kernels/functors/ternary.h"
#include "backends/kernels/functors/transcendental.h"
