# SPDX-License-Identifier: GPL-2.0-only
# Completion for bash: commands, the options in --help, events, metrics, and BPF programs.
# It needs only bash and pstat.

_pstat_commands='stat profile export list progs why compare'

# Prints the options in the help of the command $2 of the pstat $1. An option that requires a value
# ends with "=".
_pstat_options()
{
	"$1" "$2" --help 2>/dev/null | sed -n 's/^ *\(-[^ -],\{0,1\} *\)\{0,1\}\(--[a-z0-9-]*=\{0,1\}\).*/\2/p
		s/^ *\(-[^ -]\)\([, ].*\)\{0,1\}$/\1/p'
}

# Prints the names of events that begin with $2, as the pstat $1 lists them. Forms that the user
# would have to complete are left out.
_pstat_events()
{
	"$1" list --no-desc "$2*" 2>/dev/null | sed '/\[Raw event descriptor\] *$/d; s/\[[^]]*\] *$//; s/ OR /\n/g' | sed -n 's/^ *\([^ ]*[^ ]\) *$/\1/p'
}

# Prints the names of metrics and of groups of metrics that begin with $2.
_pstat_metrics()
{
	"$1" list --no-desc metrics "$2*" 2>/dev/null
	"$1" list --no-desc metricgroup "$2*" 2>/dev/null
}

# Prints the IDs and names of the loaded BPF programs, and the kinds of selectors.
_pstat_progs()
{
	"$1" progs -j 2>/dev/null | sed -n 's/^{"id" : \([0-9]*\),.*"name" : "\([^"]*\)".*/\1\nname:\2/p' | grep -v '^name:$'
	printf '%s\n' all name: tag: type: pinned:
}

# Prints the beginnings of scopes, files for $2, or the points of the file that it names.
_pstat_scopes()
{
	local kind=${2%%:*} file=${2#*:}
	case $2 in
	uprobe:*:* | usdt:*:*) "$1" list scopes --raw-dump "${file%%:*}" 2>/dev/null | grep "^$kind:" ;;
	uprobe:* | usdt:*) compgen -f -- "$file" | sed "s|^|$kind:|" ;;
	*) printf '%s\n' uprobe: usdt: func: tp: syscall: ;;
	esac
}

# Prints the names of the PMUs in sysfs. If $1 is core, it prints only those of kinds of core.
_pstat_pmus()
{
	local pmu
	for pmu in /sys/bus/event_source/devices/*; do
		[[ $1 != core || -e $pmu/cpus || $pmu == */cpu ]] && printf '%s\n' "${pmu##*/}"
	done
}

# Fills COMPREPLY with the lines of stdin that begin with $2, which is the last item of the list $1.
# For bash, a new word begins after a colon or an equals sign, so the part of $1 before it is left
# out.
_pstat_reply()
{
	local before=${1%"$2"} cut='' line
	[[ $COMP_WORDBREAKS == *:* && $1 == *:* ]] && cut=${1%"${1##*:}"}
	[[ $COMP_WORDBREAKS == *=* && ${1#"$cut"} == *=* ]] && cut=${1%"${1##*=}"}
	while IFS= read -r line; do
		[[ $line == "$2"* ]] || continue
		line=$before$line
		COMPREPLY+=("${line#"$cut"}")
	done
}

# Completes the value of an option. $1 is pstat, $2 the option, $3 the beginning of its value, and
# $4 the part of the word before the value. Returns false if the option has no values to offer.
_pstat_value()
{
	local last=${3##*[,\{]}
	case $2 in
	-e | --event) _pstat_reply "$4$3" "$last" < <(_pstat_events "$1" "$last") ;;
	-M | --metrics) _pstat_reply "$4$3" "$last" < <(_pstat_metrics "$1" "$last") ;;
	-b | --bpf-prog) _pstat_reply "$4$3" "$last" < <(_pstat_progs "$1") ;;
	--scope | --start | --stop) _pstat_reply "$4$3" "$3" < <(_pstat_scopes "$1" "$3") ;;
	--cputype) _pstat_reply "$4$3" "$3" < <(_pstat_pmus core) && return 0 ;;
	--pmu-filter | --unit) _pstat_reply "$4$3" "$3" < <(_pstat_pmus all) && return 0 ;;
	--format) _pstat_reply "$4$3" "$3" < <(printf '%s\n' openmetrics prometheus) && return 0 ;;
	*) return 1 ;;
	esac
	compopt -o nospace 2>/dev/null # a comma may follow
	return 0
}

# $3 is a word of letters after one dash. Sets $letter to the first option that has a value, and
# $rest to the text after it. Returns false if no letter has a value.
_pstat_letters()
{
	local letters i
	letters=$("$1" "$2" --help 2>/dev/null | sed -n 's/^ *-\([^ -]\), --[a-z0-9-]*=.*/\1/p' | tr -d '\n')
	for ((i = 1; i < ${#3}; i++)); do
		[[ $letters == *"${3:i:1}"* ]] || continue
		letter=-${3:i:1} rest=${3:i+1}
		return 0
	done
	return 1
}

# Is $3 an option of the command $2 of the pstat $1 whose value is the next word? Sets $option to
# its name.
_pstat_takes_value()
{
	local letter rest
	option=$3
	case $3 in
	--*=*) return 1 ;;
	--*) _pstat_options "$1" "$2" | grep -qxF -e "$3=" ;;
	-?*) _pstat_letters "$1" "$2" "$3" && option=$letter && [[ -z $rest ]] ;;
	*) return 1 ;;
	esac
}

_pstat()
{
	local pstat=$1 command=stat words current previous='' i=1 option letter rest
	local -a words
	COMPREPLY=()
	# bash has split the words at colons and equals signs, so split the line again
	read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
	[[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && words+=("")
	current=${words[${#words[@]} - 1]}
	if [[ ${#words[@]} -eq 2 && $current != -* ]]; then
		_pstat_reply "$current" "$current" < <(printf '%s\n' $_pstat_commands help version)
		compopt -o default 2>/dev/null # or a command to count
		[[ -n $current ]] && mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -c -- "$current")
		return
	fi
	[[ " $_pstat_commands help version " == *" ${words[1]} "* ]] && command=${words[1]} i=2
	if [[ $command == help ]]; then
		((${#words[@]} == 3)) && _pstat_reply "$current" "$current" < <(printf '%s\n' $_pstat_commands help version self)
		return
	fi
	if [[ $command == version ]]; then
		_pstat_reply "$current" "$current" < <(printf '%s\n' -v --build-options)
		return
	fi
	# the counted command is after `--`, or is the first word that is neither option nor value
	for (( ; i < ${#words[@]} - 1; i++ )); do
		previous=
		if [[ $command == @(stat|profile|export) && (${words[i]} == -- || ${words[i]} != -*) ]]; then
			[[ ${words[i]} == -- && i -eq ${#words[@]}-2 ]] && mapfile -t COMPREPLY < <(compgen -c -- "$current")
			compopt -o default 2>/dev/null
			return
		fi
		_pstat_takes_value "$pstat" "$command" "${words[i]}" || continue
		previous=$option
		i=$((i + 1))
		((i < ${#words[@]} - 1)) && previous=
	done
	if [[ -n $previous ]]; then
		_pstat_value "$pstat" "$previous" "$current" || compopt -o default 2>/dev/null
	elif [[ $current == --*=* ]]; then
		if _pstat_value "$pstat" "${current%%=*}" "${current#*=}"; then
			return
		fi
		compopt -o default 2>/dev/null
	elif [[ $current == -[!-]?* ]] && _pstat_letters "$pstat" "$command" "$current" && [[ -n $rest ]]; then
		_pstat_value "$pstat" "$letter" "$rest" "${current%"$rest"}" || compopt -o default 2>/dev/null
	elif [[ $current == -* ]]; then
		_pstat_reply "$current" "$current" < <(_pstat_options "$pstat" "$command")
		[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
	elif [[ $command == list && " ${words[*]} " == *" scopes "* ]]; then
		compopt -o default 2>/dev/null
	elif [[ $command == list ]]; then
		_pstat_reply "$current" "$current" < <(printf '%s\n' hw sw cache tool pmu vendor raw tracepoint metrics metricgroup scopes)
	elif [[ $command == progs ]]; then
		_pstat_reply "$current" "$current" < <(_pstat_progs "$pstat")
	else
		[[ -n $current ]] && mapfile -t COMPREPLY < <(compgen -c -- "$current")
		compopt -o default 2>/dev/null
	fi
}

# the name of pstat as a subcommand of perf
complete -F _pstat pstat perf-pstat
