#!/bin/sh
# Run by start-lane.mjs in new mount, pid and ipc namespaces: makes a lane of them, a machine beside the
# machine. What is installed is seen; what a test writes to /etc, /var, /home, /root, /opt, /run, /tmp goes
# with the lane, and no other lane sees it: users, services, processes, files that an earlier run left.
#   $1 checkout, $2 directory of what is kept between runs, $3 number of the lane,
#   $4 its control group or nothing, then the command
set -eu
checkout=$1 kept=$2 number=$3 group=$4
shift 4
# Processor time is counted by it.
[ -z "$group" ] || echo 0 >"$group/cgroup.procs"
name_service=$(cat /etc/resolv.conf 2>/dev/null || :)
hosts=$(cat /etc/hosts)
mount -t proc proc /proc
mount -t tmpfs -o mode=755 lane /mnt
mkdir /mnt/checkout /mnt/kept
mount --bind "$checkout" /mnt/checkout
mount --bind "$kept" /mnt/kept
for place in etc var home root opt run; do
  [ -d "/$place" ] || continue
  mkdir -p "/mnt/$place/upper" "/mnt/$place/work"
  chmod --reference="/$place" "/mnt/$place/upper"
  chown --reference="/$place" "/mnt/$place/upper"
  mount -t overlay overlay \
    -o "lowerdir=/$place,upperdir=/mnt/$place/upper,workdir=/mnt/$place/work" "/$place"
done
mount -t tmpfs -o mode=1777 tmp /tmp
mount -t tmpfs -o mode=1777 shm /dev/shm
# Where these are mounted one by one, the layer shows what lies under them.
printf '%s\n' "$name_service" >/etc/resolv.conf
printf '%s\n' "$hosts" >/etc/hosts
# The kernel counts some limits by uid, whatever the namespace: numbers of other lanes are taken here.
taken=20000
while [ "$taken" -lt $((20000 + number * 250)) ]; do
  echo "lane$taken:x:$taken:"
  taken=$((taken + 1))
done >>/etc/group
mkdir -p "$checkout" /var/cache/berth-test
mount --bind /mnt/checkout "$checkout"
mount --bind /mnt/kept /var/cache/berth-test
cd "$checkout"
# Not exec: the first process of a pid namespace takes in what others leave.
"$@" &
wait $!
