// How the engine asks the compiler for vector code: one build that uses what the processor has.
//
// A function marked OCTET_VECTOR_CLONES is compiled for several instruction sets and chosen when
// the program is loaded; what it calls must be OCTET_ALWAYS_INLINE to be compiled with it.
// Multiplications and additions are never fused (-ffp-contract=off), and sums are written in a
// fixed order, so that all clones give the same bits. Only for .cc files of the engine.
#pragma once

#define OCTET_ALWAYS_INLINE static inline __attribute__((always_inline))

// The sanitizers' own start-up code does not expect functions that are chosen at load time.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define OCTET_VECTOR_CLONES __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define OCTET_VECTOR_CLONES
#endif
