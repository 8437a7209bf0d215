# SPDX-License-Identifier: GPL-2.0-or-later
# hex.awk - hexadecimal digits to a number, exact up to 53 bits, in any awk.
function number(hex,    i, value) {
	value = 0
	sub(/^0+/, "", hex)
	for (i = 1; i <= length(hex); i++)
		value = value * 16 + \
			index("0123456789abcdef", substr(hex, i, 1)) - 1
	return value
}
