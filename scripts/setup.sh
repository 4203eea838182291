#!/bin/sh
# setup.sh [check] -- sees that the packages needed to build (with `check`: to test) are there.  Missing ones are
# installed through apt-get where this user may do that; otherwise the one command to run is printed.  Uses no network,
# and takes no time, when everything is there.
set -u

modules="isl libzip jansson libxxhash"
packages="pkg-config libc6-dev libisl-dev libzip-dev libjansson-dev libxxhash-dev"
all="$packages libcriterion-dev"
if [ "${1-}" = check ]; then
	modules="$modules criterion"
	packages=$all
fi

have_all() {
	pkg-config --exists $modules 2>/dev/null && [ -e /usr/include/stdio.h ]
}

if ! have_all; then
	if ! command -v apt-get >/dev/null 2>&1; then
		echo "Packages are missing: pkg-config must find $modules (on Debian: $packages)." >&2
		exit 1
	fi
	sudo=
	if [ "$(id -u)" != 0 ]; then
		sudo=sudo
		if ! sudo -n true 2>/dev/null; then
			echo "Packages are missing. Please run:" >&2
			echo "  sudo apt-get install -y $all" >&2
			exit 1
		fi
	fi
	echo "Installing $packages" >&2
	install="$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $packages"
	# The first try spares the update where the package lists are there and fresh.
	if ! $install </dev/null >/dev/null 2>&1; then
		$sudo apt-get update -q </dev/null >&2 && $install </dev/null >&2
	fi
	if ! have_all; then
		echo "Packages are still missing. Please run: sudo apt-get update && sudo apt-get install -y $all" >&2
		exit 1
	fi
fi
