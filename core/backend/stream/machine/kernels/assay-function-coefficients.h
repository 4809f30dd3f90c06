/* Written by derive-coefficients.py.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#define LN2_HIGH 0x1.62e42fef00000p-1
#define LN2_LOW 0x1.473de6af278edp-34
#define LOG2_E 0x1.71547652b82fep+0
#define LN2 0x1.62e42fefa39efp-1
#define INV_SQRT2 0x1.6a09e667f3bcdp-1
#define GELU_A 0x1.9884533d43651p+0
#define GELU_B 0x1.2444f2a4d8b4bp-4

#define EXP_C_N 13
static const double EXP_C[EXP_C_N] = {
  0x1.6124613a86d09p-33, 0x1.1eed8eff8d898p-29, 0x1.ae64567f544e4p-26, 0x1.27e4fb7789f5cp-22,
  0x1.71de3a556c734p-19, 0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-13, 0x1.6c16c16c16c17p-10,
  0x1.1111111111111p-7,  0x1.5555555555555p-5,  0x1.5555555555555p-3,  0x1.0000000000000p-1,
  0x1.0000000000000p+0,
};

#define LOG_C_N 11
static const double LOG_C[LOG_C_N] = {
  0x1.642c8590b2164p-4, 0x1.8618618618618p-4, 0x1.af286bca1af28p-4, 0x1.e1e1e1e1e1e1ep-4,
  0x1.1111111111111p-3, 0x1.3b13b13b13b14p-3, 0x1.745d1745d1746p-3, 0x1.c71c71c71c71cp-3,
  0x1.2492492492492p-2, 0x1.999999999999ap-2, 0x1.5555555555555p-1,
};

#define ERF_C_N 20
static const double ERF_C[ERF_C_N] = {
  -0x1.18cc8a061c479p-62, 0x1.5f7919bc67b8cp-58, -0x1.a2007af3447f6p-54, 0x1.d70b3537f4765p-50,
  -0x1.f56f071a885cfp-46, 0x1.f683ae4a97007p-42, -0x1.d8453cb0c46eap-38, 0x1.9e6ad5e55a730p-34,
  -0x1.51d7181c5d36dp-30, 0x1.fcc5720624c1cp-27, -0x1.5f742ec43e71ap-23, 0x1.b9e6c9dc651a3p-20,
  -0x1.f4d25c3e0c2ebp-17, 0x1.f9a326f9b89b7p-14, -0x1.c02db40040b86p-11, 0x1.565bcd0e6a53fp-8,
  -0x1.b82ce31288b51p-6,  0x1.ce2f21a042be2p-4,  -0x1.812746b0379e7p-2,  0x1.20dd750429b6dp+0,
};

#define ERFC_C_N 20
static const double ERFC_C[ERFC_C_N] = {
  0x1.8b0cc7a27ff11p-21,  -0x1.4e74b69f7f536p-19, 0x1.31d49ac714d8ap-20,  0x1.2ca0a80f899d3p-19,
  0x1.9d0075d249f00p-19,  -0x1.0818ebaceaa6fp-20, -0x1.0ced4a5f91a19p-16, -0x1.6cc3e2fdcf795p-16,
  0x1.1e693ac329b56p-15,  0x1.2efd53be151d6p-13,  0x1.2054357a1575fp-15,  -0x1.5ba446b4006cfp-11,
  -0x1.b6fbf937bb17ap-11, 0x1.9517bb95da705p-9,   0x1.a89eaff7ee6fep-8,   -0x1.606e415543162p-6,
  -0x1.2a88e6107d367p-5,  0x1.1e2deea6b11abp-2,   -0x1.5fd386754eff9p-1,  0x1.058671b52c776p+0,
};
