# shellcheck shell=bash
# The Debian and Ubuntu packages that each task needs: the one place that lists them. Sourced by setup.sh.

# packages_of SET: the packages of a set, one a line.
packages_of() {
  case $1 in
    # The probe, the command line and the simulated rig: a C compiler for the linker and for SQLite.
    run) printf '%s\n' gcc libc6-dev ;;
    # The window, to build and to package it.
    window) packages_of run && printf '%s\n' libwebkit2gtk-4.1-dev pkg-config ;;
    lint) packages_of window && printf '%s\n' shellcheck ;;
    # The desktop that the tests start: screen, window manager, bus, keyring, browsers, and letters of both languages; and what tells
    # them which writes a program had flushed.
    test)
      packages_of window
      printf '%s\n' dbus fonts-noto-cjk gnome-keyring locales openbox strace webkit2gtk-driver xauth xvfb
      # Ubuntu ships Chromium as a snap, which no container can install.
      if [[ $(distribution) != ubuntu ]]; then printf '%s\n' chromium; fi
      ;;
    # The programs that Fanfare is tried against.
    peers) packages_of run && printf '%s\n' python3 python3-venv ;;
    # Those that it is measured against, and what counts their calls.
    bench) packages_of peers && printf '%s\n' prometheus strace ;;
    *) echo "setup: there is no set of packages named $1" >&2 && return 2 ;;
  esac
}

# distribution: debian, ubuntu, … as os-release names it.
distribution() {
  sed -n 's/^ID=//p' "${OS_RELEASE:-/etc/os-release}" 2>/dev/null | tr -d '"'
}
