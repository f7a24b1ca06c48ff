# SPDX-License-Identifier: GPL-2.0-only
# What the scripts of the test bed share: where things are kept, Debian's names of the architectures, locks.
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
	*) die "no such architecture: $1 (aarch64, x86_64)" ;;
	esac
}

# recipe FILE...: a short hash of the files that a cache entry is made by, so that another recipe is another entry.
recipe()
{
	cat -- "$@" | sha256sum | cut -c1-12
}

# cached ENTRY ARG...: makes the directory ENTRY, unless it is there, by running this script as `SCRIPT --make ENTRY.new
# ARG...`. Only a finished directory gets the name ENTRY: one process makes it, others wait, and what a killed one left
# behind is thrown away.
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
