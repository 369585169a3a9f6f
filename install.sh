#!/bin/sh
# Installs Berth on Debian 12 and 13 and Ubuntu 22.04 and 24.04, or takes an installed one to this
# version. Asks nothing and can be run again at any time. What happens here is only what brings the
# pinned Node to the machine; the rest is scripts/install.mjs, which runs on it.
set -eu
umask 022

usage() {
  cat <<'TEXT'
sh install.sh [OPTIONS]
  --from PATH        what to install: a directory or a .tar.gz (default: where this script lies)
  --config FILE      the configuration (default: /etc/berth/berth.toml); written when it is missing
  --no-packages      install no Debian packages
  --no-quotas        leave the file system of the homes as it is: the kernel keeps to no disk quotas
  --no-start         put everything in its place, start nothing
  --health-secs N    seconds a version has until it must serve (default: 90)
  --other-system     try it on another distribution or version all the same
  --uninstall        take the program away; accounts, sites, databases and settings stay
  --purge --yes      with --uninstall: remove Berth's settings, state and logs too; backups stay
  --and-backups      with --purge: remove the backups on this machine too
TEXT
}
fail() {
  printf 'Berth was not installed: %s\n' "$1" >&2
  exit 1
}
wrong() {
  printf '%s\n\n' "$1" >&2
  usage >&2
  exit 2
}

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
from=$here
packages=yes
uninstall=no
purge=no
backups=no
yes=no
other=no
config=/etc/berth/berth.toml
health=90
start=yes
quotas=yes
while [ $# -gt 0 ]; do
  case $1 in
    --from | --config | --health-secs)
      [ $# -ge 2 ] || wrong "$1 needs a value."
      case $1 in
        --from) from=$2 ;;
        --config) config=$2 ;;
        *) health=$2 ;;
      esac
      shift
      ;;
    --no-packages) packages=no ;;
    --no-quotas) quotas=no ;;
    --no-start) start=no ;;
    --other-system) other=yes ;;
    --uninstall) uninstall=yes ;;
    --purge) purge=yes ;;
    --and-backups) backups=yes ;;
    --yes) yes=yes ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) wrong "There is no option $1." ;;
  esac
  shift
done
case $health in '' | 0* | *[!0-9]*) wrong '--health-secs needs a whole number of seconds.' ;; esac
[ "$purge" = no ] || [ "$uninstall" = yes ] || wrong '--purge belongs to --uninstall.'
[ "$purge" = no ] || [ "$yes" = yes ] ||
  wrong '--purge removes all settings, records and logs for good. Add --yes if that is meant.'
[ "$backups" = no ] || [ "$purge" = yes ] || wrong '--and-backups belongs to --uninstall --purge.'

[ "$(id -u)" = 0 ] || fail 'it must be run as root. Run: sudo sh install.sh'
[ -r /etc/os-release ] || fail 'this is no Debian or Ubuntu (there is no /etc/os-release).'
system=$(. /etc/os-release && printf '%s %s' "${ID-unknown}" "${VERSION_ID-}")
case $system in
  'debian 12' | 'debian 13' | 'ubuntu 22.04' | 'ubuntu 24.04') ;;
  *) [ "$other" = yes ] ||
    fail "this is $system; supported are Debian 12 and 13, Ubuntu 22.04 and 24.04. With --other-system it is tried all the same." ;;
esac
case $(uname -m) in
  x86_64) arch=x64 ;;
  aarch64) arch=arm64 ;;
  *) fail "there is no Node for $(uname -m); supported are x86_64 and aarch64." ;;
esac

# One run at a time. The kernel gives the lock back however this ends; nothing that is started keeps it (9>&-).
mkdir -p /run/lock
exec 9>/run/lock/berth-install.lock
flock -n 9 || fail 'another run of install.sh is under way. Wait until it has ended.'

unpacked=
cleanup() { [ -z "$unpacked" ] || rm -rf -- "$unpacked"; }
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

if [ -f "$from" ]; then
  unpacked=$(mktemp -d /var/tmp/berth-install.XXXXXX)
  tar -xzf "$from" -C "$unpacked" --no-same-owner || fail "$from cannot be unpacked."
  set -- "$unpacked"/*/package.json
  if [ -f "$unpacked/package.json" ]; then from=$unpacked; else from=$(dirname -- "$1"); fi
fi
[ "$uninstall" = yes ] || { [ -f "$from/package-lock.json" ] && [ -f "$from/scripts/install.mjs" ]; } ||
  fail "there is no Berth in $from. Name its directory or archive with --from."
[ ! -d "$from" ] || from=$(CDPATH='' cd -- "$from" && pwd -P)

# A directory that others may write to decides nothing about what root runs. The group root is no other:
# archives give it the right to write, as git makes them.
trusted() {
  [ -d "$1" ] && [ -z "$(find "$1" -maxdepth 0 \( -perm /002 -o -perm /020 ! -gid 0 \))" ]
}
[ "$uninstall" = yes ] || trusted "$from" ||
  fail "others than its owner may write to $from, and root would run what lies there. Fix it: chmod go-w $from"

apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" 9>&- </dev/null
}
node=$from/node_modules/node-linux-$arch/bin/node
if [ ! -x "$node" ] && [ "$uninstall" = yes ]; then
  node=/opt/berth/current/node_modules/node-linux-$arch/bin/node
  from=/opt/berth/current
  [ -x "$node" ] || fail 'nothing is installed in /opt/berth.'
fi
if [ ! -x "$node" ]; then
  free=$(df -Pk "$from" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge 1500000 ] ||
    fail "$from has $((free / 1024)) MB left on its file system; about 1500 MB are needed. Make room, or use another directory."
  # Any Node with npm brings the pinned one; it is not used for anything else.
  if ! command -v npm >/dev/null; then
    [ "$packages" = yes ] || fail 'there is no npm, and --no-packages forbids to install it.'
    echo 'Installing Debian packages: nodejs, npm, ca-certificates (they fetch the pinned Node) ...'
    apt update >/dev/null || fail 'the lists of packages cannot be fetched (apt-get update). Check /etc/apt and the network.'
    apt install -y --no-install-recommends -- nodejs npm ca-certificates >/dev/null ||
      fail 'nodejs and npm could not be installed; the reason stands above.'
  fi
  echo 'Installing the packages named in package-lock.json (npm install) ...'
  lock=$(cat "$from/package-lock.json")
  # fetch WHICH NPM...: said either way, since NODE_ENV=production or an .npmrc says otherwise.
  fetch() {
    which=$1
    shift
    (cd "$from" && "$@" install "$which" --include=optional --package-lock --prefer-offline --ignore-scripts --no-audit --no-fund --loglevel=error) 9>&- </dev/null
  }
  status=0
  fetch --omit=dev npm || status=$?
  # Where the build is there already, the tools for making it are not needed. They want a newer Node than
  # Debian's, under which npm leaves parts of them out; Debian's npm finds its own parts by NODE_PATH alone.
  if [ "$status" = 0 ] && [ -x "$node" ] && ! { [ -f "$from/build/handler.js" ] && [ -f "$from/.cache/build.sha256" ]; }; then
    echo 'Installing the tools that build the panel ...'
    fetch --include=dev env "PATH=${node%/*}:$PATH" NODE_PATH=/usr/share/nodejs NODE_NO_WARNINGS=1 \
      "$node" "$(readlink -f -- "$(command -v npm)")" || status=$?
    # The next run would take what is there for whole.
    [ "$status" = 0 ] || rm -f -- "$node"
  fi
  # npm verified what the lock names; it may write other details into it, which the next step must not see.
  printf '%s\n' "$lock" >"$from/package-lock.json"
  [ "$status" = 0 ] || fail 'the packages could not be installed; the reason stands above. Try again.'
  [ -x "$node" ] || fail "npm brought no pinned Node (node-linux-$arch)."
fi

set -- --from "$from" --config "$config" --health-secs "$health"
[ "$packages" = yes ] || set -- "$@" --no-packages
[ "$start" = yes ] || set -- "$@" --no-start
[ "$quotas" = yes ] || set -- "$@" --no-quotas
[ "$uninstall" = no ] || set -- "$@" --uninstall
[ "$purge" = no ] || set -- "$@" --purge
[ "$backups" = no ] || set -- "$@" --and-backups
"$node" "$from/scripts/install.mjs" "$@" 9>&- </dev/null
