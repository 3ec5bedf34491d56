/* SPDX-License-Identifier: GPL-3.0-or-later */
/* System calls that leave errno alone: for children that share their parent's memory, and with it errno, which the
 * parent goes on using. The result is the kernel's: -errno for a failure. Where RAW_SYSCALL is not defined there is
 * none. Private to rounds/. */
#ifndef PLIMSOLL_ROUNDS_RAW_SYSCALL_H
#define PLIMSOLL_ROUNDS_RAW_SYSCALL_H

#if defined(__x86_64__) && !defined(__ILP32__)
#define RAW_SYSCALL

static inline long raw_syscall(long number, long a, long b, long c, long d)
{
    register long r10 __asm__("r10") = d;
    long result;

    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
    return result;
}

#elif defined(__aarch64__)
#define RAW_SYSCALL

static inline long raw_syscall(long number, long a, long b, long c, long d)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;

    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory", "cc");
    return x0;
}

#endif
#endif
