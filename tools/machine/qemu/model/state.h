/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State and configuration that the model adds to an Arm CPU: what cpu.h
 * includes. Each part has its own header.
 */
#ifndef TARGET_ARM_PMSCOPE_STATE_H
#define TARGET_ARM_PMSCOPE_STATE_H

#include "kinds_state.h"
#include "spe_state.h"
#include "pmss_state.h"
#include "power_state.h"
#include "sync_state.h"

#endif
