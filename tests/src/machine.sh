# The first process of a machine: machine.sh FOLDER NAME CGROUP
folder="$1" name="$2" cgroup="$3"
mkdir "$folder/opt" "$folder/run" "$folder/var" "$folder/var/lib" "$folder/var/log"
mkdir -m 1777 "$folder/var/tmp"
ln -s /run "$folder/var/run"
cp -a /etc "$folder/etc"
# What is configured here belongs to this machine, not to the new one.
rm -rf "$folder/etc/containerd" "$folder/etc/crio" "$folder/etc/nri" "$folder/etc/cni" "$folder/etc/kubernetes" "$folder/etc/rancher"
rm -f "$folder/etc/resolv.conf"
printf '127.0.0.1 localhost %s\n' "$name" > "$folder/etc/hosts"
: > "$folder/etc/resolv.conf"
hostname "$name"
for own in etc opt run var; do
  mount --bind "$folder/$own" "/$own"
done
# As on a machine that systemd started, so that pods can ask for mounts that propagate.
mount --make-rshared /
# A kubelet wants an address that is not loopback, and a default route.
ip link set lo up
ip link add eth0 type veth peer name eth1
ip address add 203.0.113.1/24 dev eth0
ip link set eth0 up
ip link set eth1 up
ip route add default dev eth0
for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/*; do
  if [ -e "$hierarchy/cgroup.procs" ] && [ ! -L "$hierarchy" ]; then
    case "$hierarchy" in
      # A cgroup of version 2 is no hierarchy of its own.
      /sys/fs/cgroup/*) [ ! -e /sys/fs/cgroup/cgroup.procs ] || continue ;;
    esac
    mkdir "$hierarchy/$cgroup"
  fi
done
echo ready
# Reads until the test ends, at most for an hour.
exec 3<&0
timeout 3600 cat <&3 > /dev/null || true
