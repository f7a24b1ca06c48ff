# SPDX-License-Identifier: GPL-2.0-only
# The branch records of the CPU (LBR, BRBE): part of check.
# shellcheck shell=sh disable=SC2154

# check_branches_of HOW SCOPE FUNCTION ARGS: checks that there are branches in FUNCTION before the
# ends of the runs of SCOPE. `scope-calls ARGS` executes these runs.
check_branches_of()
{
	how=$1 scope=$2 function=$3
	shift 3
	"$pstat" stat -x, -o "$work/csv" -e run_cnt --outliers 0,time --branches --scope "$scope" \
		"${workload}scope-calls" "$@" >"$work/log" 2>&1 </dev/null
	if grep -q 'no branch records' "$work/log"; then
		result CANNOT branches "$how: this CPU has no branch records"
	elif ! grep -q '^outlier,' "$work/csv"; then
		result CANNOT branches "$how: $(tail -n 1 "$work/log")"
	elif grep -q "^outlier,.*,branches,.*$function" "$work/csv"; then
		result PASS branches "$how: $(grep -o ',branches,[0-9]*' "$work/csv" | head -n 1)"
	else
		result DIFFERS branches "$how: no branch in $function"
		put "$(grep '^outlier,' "$work/csv" | head -n 2)"
		put "$(head -n 3 "$work/log")"
	fi
}

check_branches()
{
	heading "branch records"
	path=$(command -v "${workload}scope-calls")
	if [ ! "$path" ]; then
		result CANNOT branches "the workload scope-calls is missing"
		return
	fi
	check_branches_of "a function" "uprobe:$path:work" work -m 3 -k 98
	check_branches_of "a system call" syscall:getppid getppid -m 3 getppid
}
