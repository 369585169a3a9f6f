/** Numbers of users that this machine has made up to here, and those that it may still make (`scripts/lanes/set-up.sh`). */
const FIRST_UID = 20_000
const ROOM = 120

/**
 * In mount namespaces of its own: /etc is a copy, so users are its own. Numbers that this machine
 * may give are taken there: what runs under one is ended and counted by the number alone.
 */
const SET_UP = `set -eu
copy=$(mktemp -d)
mount -t tmpfs -o mode=755 etc "$copy"
cp -a /etc/. "$copy"
taken=$((${FIRST_UID} + $(grep -c '^lane' /etc/group || :)))
last=$((taken + ${ROOM}))
while [ "$taken" -lt "$last" ]; do
  echo "lane$taken:x:$taken:"
  taken=$((taken + 1))
done >>"$copy/group"
mount --bind "$copy" /etc
umount -l "$copy"
rmdir "$copy"
exec "$@"`

/** Words that stand before a command which sees users of its own, as on another machine. */
export const ownMachine = (): readonly string[] => [
  ...['/usr/bin/unshare', '--mount', '--propagation', 'private', '--'],
  ...['/bin/sh', '-c', SET_UP, 'machine'],
]
