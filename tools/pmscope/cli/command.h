/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands of the tool: each is one file with one entry. */
#pragma once

/*
 * A command gets its own name as argv[0] and returns the exit status: 0 on
 * success, 1 after a failure was reported on stderr. diff returns 2 if a
 * condition of --fail-if holds.
 */
typedef int (*command_fn)(int argc, char **argv);

int annotate_main(int argc, char **argv);
int archive_main(int argc, char **argv);
int diff_main(int argc, char **argv);
int doctor_main(int argc, char **argv);
int driver_main(int argc, char **argv);
int events_main(int argc, char **argv);
int export_main(int argc, char **argv);
int record_main(int argc, char **argv);
int regs_main(int argc, char **argv);
int report_main(int argc, char **argv);
int script_main(int argc, char **argv);
int stat_main(int argc, char **argv);
int top_main(int argc, char **argv);
int trace_main(int argc, char **argv);
