/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of many AUX areas in the order of their time. They are printed area by
 * area, as many at once as there are, because the next row of an area is like
 * the one before; what is put in order is their text.
 */
#ifndef PMSCOPE_READ_ORDER_H
#define PMSCOPE_READ_ORDER_H

#include "cli/output.h"

struct order;

/* What is written to @out. NULL when memory is short. */
struct order *order_new(size_t areas, struct output *out);
void order_free(struct order *order);

/*
 * Takes the rows that @held has in its lines; writes those that none can come
 * before any more. False when all is well.
 */
bool order_take(struct order *order, struct output *held);

/* Writes the rows that are left. */
void order_end(struct order *order);

#endif /* PMSCOPE_READ_ORDER_H */
