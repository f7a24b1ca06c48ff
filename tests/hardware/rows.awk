# SPDX-License-Identifier: GPL-2.0-only
# Prints the rows of `perf stat -x ';'` or `pstat stat -x ';'` without counts and times, which
# differ between runs: the fields before the count, whether the event was counted, its unit and
# name, and on a separate line the name of the metric.
function metric(name)
{
	sub(/[KMGT]\/sec/, "/sec", name)
	if (name != "")
		print "metric " name
}
BEGIN { FS = ";" }
/^#/ || NF < 7 { next }
{
	count = $(NF - 6)
	if (count == "" && $(NF - 5) == "") {
		metric($NF)
		next
	}
	row = ""
	for (i = 1; i < NF - 6; i++)
		row = row ($i ~ /^-?[0-9]+[.][0-9]+$/ ? "N" : $i) ";"
	print row (count ~ /^</ || count == "" ? count : "N") ";" $(NF - 5) ";" $(NF - 4)
	if (count !~ /^</)
		metric($NF)
}
