# SPDX-License-Identifier: GPL-2.0-only
# Functions and directories that the scripts of the test bed share.
# shellcheck shell=bash disable=SC2034

vm_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top_dir=$(cd "$vm_dir/../.." && pwd)
cache_dir=${PSTAT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pstat}/vm

die()
{
	echo "${0##*/}: $*" >&2
	exit 126
}

debian_arch()
{
	case $1 in
	aarch64) echo arm64 ;;
	x86_64) echo amd64 ;;
	*) die "unknown architecture: $1 (use aarch64 or x86_64)" ;;
	esac
}

# recipe FILE...: prints a short hash of the scripts that make a cache entry. If a script changes,
# the entry gets another name and is made again. Comments do not count.
recipe()
{
	grep -hv '^[[:space:]]*#' -- "$@" | sha256sum | cut -c1-12
}

# cached ENTRY ARG...: makes the directory ENTRY, unless it exists, by running this script as
# `SCRIPT --make ENTRY.new ARG...`. One process makes it while others wait, and only a complete
# directory gets the name ENTRY. What a killed process left behind is deleted.
cached()
{
	local entry=$1
	shift

	[[ -d $entry ]] && return
	mkdir -p "${entry%/*}"
	(
		flock 9
		[[ -d $entry ]] && exit
		rm -rf "$entry.new"
		mkdir "$entry.new"
		"$0" --make "$entry.new" "$@" || { rm -rf "$entry.new"; exit 126; }
		mv -T "$entry.new" "$entry"
	) 9>"$entry.lock"
}
