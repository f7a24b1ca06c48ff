# SPDX-License-Identifier: GPL-2.0-only
# Prints the events that the kernel opened, from the output of `perf stat -vv` or `pstat stat -vv`:
# one line for each attr, with the number of times that it occurs. Only the fields that determine
# what an event counts are kept.
function number(text)
{
	sub(/^0x/, "", text)
	return text
}
/^perf_event_attr:/ {
	type = config = 0
	more = ""
	next
}
$1 == "type" { type = number($2) }
$1 == "config" { config = number($2) }
/^ +(config[123]|exclude_(user|kernel|hv|idle|host|guest)|precise_ip|pinned|exclusive) / ||
/^ +\{ .*, config[12] \} / {
	# perf names the two members of a union: { bp_addr, config1 }
	name = $1 == "{" ? $3 : $1
	more = more " " name "=" number($NF)
}
# With pid 0, perf opens an additional event to find out what the kernel supports.
/^sys_perf_event_open: .* = [0-9]+$/ && !/ pid 0 / { opened[type ":" config more]++ }
END {
	for (attr in opened)
		print attr " x " opened[attr]
}
