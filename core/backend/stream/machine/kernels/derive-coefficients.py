#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints assay-function-coefficients.h. Needs mpmath; run by hand when a polynomial changes.

exp: Taylor series of exp on [-ln2/2, ln2/2]. log: series of atanh. erf: Maclaurin series on [-1, 1].
erfc on [1, 28]: (z + 2) exp(z^2) erfc(z) as a Chebyshev fit in t = (z - 2) / (z + 2), written in powers of t.
"""
from mpmath import mp, mpf, chebyfit, erfc, exp, factorial, log, pi, sqrt

mp.dps = 60


def double(x):
    return float(mpf(x)).hex()


def table(name, values):
    print(f'\n#define {name}_N {len(values)}')
    print(f'static const double {name}[{name}_N] = {{')
    for value in values:
        print(f'  {double(value)},')
    print('};')


def split(x, bits):
    """The first `bits` bits of x, and the rest, so that small integers times the first part are exact."""
    from math import frexp, ldexp
    mantissa, exponent = frexp(float(x))
    high = ldexp(int(ldexp(mantissa, bits)), exponent - bits)
    return mpf(high), x - mpf(high)


k = mpf(2)
low, high = [(mpf(z) - k) / (mpf(z) + k) for z in (1, 28)]


def scaled_erfc(t):
    z = k * (1 + t) / (1 - t)
    return exp(z * z) * erfc(z) * (z + k)


ln2_high, ln2_low = split(log(mpf(2)), 33)
print('/* Written by derive-coefficients.py.\n * SPDX-License-Identifier: Apache-2.0\n */')
print('#pragma once\n')
print(f'#define LN2_HIGH {double(ln2_high)}')
print(f'#define LN2_LOW {double(ln2_low)}')
print(f'#define LOG2_E {double(1 / log(mpf(2)))}')
print(f'#define LN2 {double(log(mpf(2)))}')
print(f'#define INV_SQRT2 {double(1 / sqrt(mpf(2)))}')
print(f'#define GELU_A {double(2 * sqrt(2 / pi))}')
print(f'#define GELU_B {double(2 * sqrt(2 / pi) * mpf("0.044715"))}')
# Highest power first, for Horner's scheme.
table('EXP_C', [1 / factorial(n) for n in range(13, 0, -1)])
table('LOG_C', [mpf(2) / (2 * n + 1) for n in range(11, 0, -1)])
table('ERF_C', [2 / sqrt(pi) * (-1) ** n / (factorial(n) * (2 * n + 1)) for n in range(19, -1, -1)])
table('ERFC_C', chebyfit(scaled_erfc, [low, high], 20))
