// SPDX-License-Identifier: GPL-2.0-or-later
/* The data that the samples of a row load and store. */
#include "rows/rows.h"

static bool is_same_object(const struct row_used *x, const struct row_used *y)
{
	return x->length == y->length &&
	       (!x->length || !memcmp(x->object, y->object, x->length));
}

static struct row_used *append(struct row_data *data,
			       const struct row_used *used)
{
	struct row_used *new;

	if (array_one_more(data->all, data->nr))
		return NULL;
	new = &data->all[data->nr++];
	*new = *used;
	new->samples = new->own = 0;
	return new;
}

static struct row_used *place_of(struct row_data *data,
				 const struct row_used *used)
{
	for (size_t i = 0; i < data->nr; i++)
		if (data->all[i].key == used->key)
			return &data->all[i];
	if (data->nr < ROW_DATA_MAX)
		return append(data, used);
	for (size_t i = 0; i < data->nr; i++)
		if (is_same_object(&data->all[i], used))
			return &data->all[i];
	return &data->others;
}

static void sum_add(struct row_used *sum, const struct row_used *used)
{
	sum->samples += used->samples;
	sum->own += used->own;
}

int row_data_add(struct row *row, const struct row_used *used)
{
	struct row_used *to;

	if (!row->data)
		row->data = calloc(1, sizeof(*row->data));
	to = row->data ? place_of(row->data, used) : NULL;
	if (to)
		sum_add(to, used);
	return to ? 0 : -ENOMEM;
}

int row_data_join(struct row *row, const struct row_data *other)
{
	int ret = 0;

	for (size_t i = 0; i < other->nr && !ret; i++)
		ret = row_data_add(row, &other->all[i]);
	if (!ret)
		sum_add(&row->data->others, &other->others);
	return ret;
}

/* Of one object: what all of its members have. */
static struct row_used object_sum(const struct row_data *data,
				  const struct row_used *object)
{
	struct row_used sum = *object;

	sum.member = NULL;
	sum.samples = sum.own = 0;
	for (size_t i = 0; i < data->nr; i++)
		if (is_same_object(&data->all[i], object))
			sum_add(&sum, &data->all[i]);
	return sum;
}

/* What costs more comes first, then what has more samples, then by name. */
static int compare_used(const struct row_used *x, const struct row_used *y)
{
	int length = MIN(x->length, y->length);

	return COMPARE(y->own, x->own) ?: COMPARE(y->samples, x->samples)
		       ?: (length ? memcmp(x->object, y->object, length) : 0)
		       ?: COMPARE(x->length, y->length)
		       ?: compare_texts(x->member, y->member);
}

static int compare_objects(const struct row_data *data,
			   const struct row_used *x, const struct row_used *y)
{
	const struct row_used of_x = object_sum(data, x);
	const struct row_used of_y = object_sum(data, y);

	return compare_used(&of_x, &of_y) ?: compare_used(x, y);
}

struct row_costliest row_data_costliest(const struct row *row)
{
	const struct row_data *data = row ? row->data : NULL;
	struct row_costliest most = {};
	struct row_used all, object;

	if (!data)
		return most;
	most.used = data->all;
	all = data->others;
	for (size_t i = 0; i < data->nr; i++) {
		sum_add(&all, &data->all[i]);
		if (compare_objects(data, &data->all[i], most.used) < 0)
			most.used = &data->all[i];
	}
	object = object_sum(data, most.used);
	most.share = all.own ? (double)object.own / all.own
			     : mean_latency(object.samples, all.samples);
	most.has_others = data->nr > 1;
	return most;
}
