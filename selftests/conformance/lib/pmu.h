/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PMU and its snapshots, as the tests use them. */
#pragma once

#include "conf.h"

#define MAX_EVENT_COUNTERS 31

/* PMCR_EL0.N as the current Exception level sees it. */
unsigned event_counters(void);

u64 read_counter(unsigned n);
void write_counter(unsigned n, u64 value);
void write_event_type(unsigned n, u64 type);
u64 read_event_type(unsigned n);

/* PMEVCNTSVR<n>_EL1 for n from 0 to 30. */
u64 read_saved(unsigned n);

/* Starts counters: their mask, and PMCR_EL0.E in addition to the other bits. */
void start_counters(u64 mask);
void stop_counters(void);

/* Executes about n instructions without side effects. */
void work(unsigned n);

/*
 * Writes 1 to PMSSCR_EL1.SS, keeps NC, and waits for 0; returns the register's
 * last value.
 */
u64 capture(void);

/*
 * PMSSE and SSE fields for each outcome of Table D13-10, written at the highest
 * Exception level: PMECR_EL1.SSE.
 */
#define SSE_DISABLED	 0
#define SSE_PROHIBITED	 2
#define SSE_ALLOWED	 3
void set_sse(unsigned sse);

/* PMSSCR_EL1.{NC,SS} */
#define STATUS_CAPTURED	 0UL
#define STATUS_NOT_CAPTURED PMSSCR_NC
