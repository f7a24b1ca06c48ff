# SPDX-License-Identifier: GPL-2.0-only
# Known counts: part of check.
# shellcheck shell=sh disable=SC2154

# An iteration of spin is two instructions. The cost of its start and end does not depend on the
# number of iterations.
TURNS=${TURNS:-20000000}

# count TOOL ARGS: prints the counts of the events, one per line
count()
{
	tool=$1
	shift
	"$tool" stat -x ';' -o "$work/csv" "$@" >/dev/null 2>"$work/log" </dev/null
	awk -F';' '!/^#/ && NF { print $1 }' "$work/csv"
}

median()
{
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# median_of_three TOOL ARGS: the cost of the start differs by a few instructions between runs,
# because the kernel puts stack and libraries at other addresses
median_of_three()
{
	for _ in 1 2 3; do
		count "$@"
	done | median
}

# difference TOOL ARGS: prints the number of instructions of 2 * TURNS minus that of TURNS
difference()
{
	tool=$1
	shift
	one=$(median_of_three "$tool" "$@" "${workload}spin" $TURNS)
	two=$(median_of_three "$tool" "$@" "${workload}spin" $((2 * TURNS)))
	case $one$two in
	*[!0-9]* | '') echo "${one:-$(tail -n 1 "$work/log")}" ;;
	*) echo $((two - one)) ;;
	esac
}

# near A B PERMILLE: checks that two numbers differ by at most PERMILLE thousandths
near()
{
	awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN {
		d = a > b ? a - b : b - a
		exit !(d * 1000 <= most * b)
	}'
}

check_exact()
{
	how=$1
	shift
	found=$(difference "$pstat" "$@")
	expected=$((2 * TURNS))
	case $found in
	*[!0-9-]*) result CANNOT exact "$how: $found" ;;
	# On some CPUs, an interrupt may count as an instruction of user space.
	*) if near "$found" $expected 1; then
		result PASS exact "$how: $TURNS iterations are $found instructions"
	   else
		result DIFFERS exact "$how: $TURNS iterations are $found instructions instead of $expected"
	   fi ;;
	esac
}

# Checks whether five counts of pstat and five of perf are the same, as far as they vary.
check_beside()
{
	event=$1 most=$2
	: >"$work/by-perf"
	: >"$work/by-pstat"
	for _ in 1 2 3 4 5; do
		count "$perf" -e "$event" "${workload}spin" $TURNS >>"$work/by-perf"
		count "$pstat" -e "$event" "${workload}spin" $TURNS >>"$work/by-pstat"
	done
	if grep -q '<' "$work/by-perf"; then
		result CANNOT noise "$event: perf does not count it either"
		return
	fi
	a=$(median <"$work/by-pstat") b=$(median <"$work/by-perf")
	if near "$a" "$b" "$most"; then
		result PASS noise "$event: pstat $a, perf $b (medians of 5)"
	else
		result DIFFERS noise "$event: pstat $a, perf $b (medians of 5)"
	fi
}

# With more events than counters, the kernel lets events take turns, and the counts are scaled.
check_multiplexing()
{
	events=$(awk 'BEGIN { for (i = 1; i < 24; i++) printf "instructions:u,"; print "instructions:u" }')
	"$pstat" stat -x ';' -o "$work/csv" -e "$events" "${workload}spin" $((20 * TURNS)) \
		>/dev/null 2>&1 </dev/null
	awk -F';' -v expected=$((40 * TURNS)) '
		/^#/ || !NF { next }
		{ n++ }
		$1 ~ /^</ { lost++ }
		$1 !~ /^</ && ($1 < expected * 0.8 || $1 > expected * 1.2) { wrong++ }
		$5 < 100 { shared++ }
		END {
			if (lost == n)
				print "CANNOT 24 events: none of them is counted here"
			else if (!shared)
				print "CANNOT 24 events: this machine has counters for all of them"
			else if (wrong)
				print "DIFFERS 24 events: counts that are more than 20 % off: " wrong
			else
				print "PASS 24 events took turns: counts that are right: " n - lost
		}' "$work/csv" >"$work/verdict"
	read -r word text <"$work/verdict"
	result "$word" multiplex "$text"
}

# The runs of a BPF program. Their number is known, and instructions are counted in each run.
check_bpf_program()
{
	# shellcheck disable=SC2016
	script='"$0" stat -b $BPF_ID -x ";" -o "$1" -e run_cnt,instructions "$2" --id $BPF_ID --runs 1000'
	if ! "${workload}bpf-run" sh -c "$script" "$pstat" "$work/csv" "${workload}bpf-run" \
		>/dev/null 2>"$work/log" </dev/null; then
		result CANNOT bpf "-b: $(grep -m 1 . "$work/log")"
		return
	fi
	awk -F';' '!/^#/ && NF { print $1 }' "$work/csv" >"$work/values"
	runs=$(sed -n 1p "$work/values") instructions=$(sed -n 2p "$work/values")
	if [ "$runs" != 1000 ]; then
		result DIFFERS bpf "-b: 1000 runs are counted as $runs"
	elif [ "${instructions#<}" != "$instructions" ]; then
		result CANNOT bpf "-b: 1000 runs are right, but instructions are $instructions"
	else
		result PASS bpf "-b: 1000 runs of $((instructions / 1000)) instructions"
	fi
}

check_counts()
{
	heading "counts that are known"
	check_exact "one command" -e instructions:u
	check_exact "in a group" -e '{instructions:u}'
	check_exact "--bpf-counters" --bpf-counters -e instructions:u
	check_exact "modifier b" -e instructions:ub
	if [ "$has_perf" ]; then
		check_beside instructions:u 1
		check_beside branches:u 1
		check_beside cycles:u 50
		check_beside task-clock 200
	fi
	check_multiplexing
	check_bpf_program
}
