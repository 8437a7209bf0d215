# SPDX-License-Identifier: GPL-2.0-or-later
# The devices of the emulated machine (configs/devices/aarch64-softmmu).
CONFIG_ARM_VIRT=y
CONFIG_FSDEV_9P=y
CONFIG_VIRTIO_9P=y
CONFIG_VIRTIO_BLK=y
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_RNG=y
CONFIG_VIRTIO_SERIAL=y
CONFIG_GENERIC_LOADER=y
