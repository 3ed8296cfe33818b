"""Two network namespaces and a shaped line between them, for two ranks that talk TCP. Needs root and iproute2.

The line is a veth pair with `tc netem` if the kernel has it. Otherwise it is two TUN devices with a relay between them:
this program reads each packet, holds it back for the delay and the load of the line, and writes it to the other side.
"""
import fcntl
import heapq
import os
import select
import struct
import subprocess
import threading
import time

NAMES = ("brokkr-a", "brokkr-b")  # names of the namespaces, and of the computers that the ranks see
ADDRESSES = ("10.77.0.1", "10.77.0.2")
SUBNET = "10.77.0.0/24"
MTU = 60000  # few packets, because a relay costs time for each
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000


def ip(*words, check=True):
    return subprocess.run(["ip", *words], check=check, capture_output=True, text=True)


class Relay(threading.Thread):
    """Carries packets between two TUN devices, one after another. Each takes its time on the line, and the delay."""

    def __init__(self, delay_s, bytes_per_s):
        super().__init__(daemon=True)
        self.delay, self.rate = delay_s, bytes_per_s
        self.files, self.devices, self.ends = [], [], False
        for number in range(2):
            file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            device = f"brokkr{number}"
            fcntl.ioctl(file, TUNSETIFF, struct.pack("16sH22x", device.encode(), IFF_TUN | IFF_NO_PI))
            self.files.append(file)
            self.devices.append(device)

    def run(self):
        waiting, number, free = [], 0, [0.0, 0.0]  # free: the time at which each direction's line is free
        while not self.ends:
            now = time.monotonic()
            while waiting and waiting[0][0] <= now:
                _, _, to, packet = heapq.heappop(waiting)
                try:
                    os.write(self.files[to], packet)
                except OSError:
                    pass  # the device is down: TCP sends again
            late = waiting[0][0] - now if waiting else 0.1
            for file in select.select(self.files, [], [], max(0.0, min(late, 0.1)))[0]:
                side = self.files.index(file)
                try:
                    packet = os.read(file, MTU + 64)
                except OSError:
                    continue
                free[side] = max(free[side], time.monotonic()) + len(packet) / self.rate
                number += 1
                heapq.heappush(waiting, (free[side] + self.delay, number, 1 - side, packet))

    def close(self):
        self.ends = True
        self.join()
        for file in self.files:
            os.close(file)


class Network:
    """A context in which the namespaces exist."""

    def __init__(self, delay_us, gb_per_s):
        self.delay_us, self.gb_per_s = delay_us, gb_per_s
        self.relay, self.kind = None, ""

    def __enter__(self):
        self.__exit__()
        for name in NAMES:
            ip("netns", "add", name)
        try:
            devices = self.netem() or self.tun()
            for name, device, address in zip(NAMES, devices, ADDRESSES):
                ip("link", "set", device, "netns", name, check=False)
                for words in (["addr", "add", f"{address}/24", "dev", device], ["link", "set", device, "mtu", str(MTU), "up"],
                              ["link", "set", "lo", "up"]):
                    ip("-n", name, *words)
        except Exception:
            self.__exit__()
            raise
        if self.relay:
            self.relay.start()
        return self

    def netem(self):
        """veth with netem at both ends; None where the kernel lacks it."""
        devices = ("brokkr0", "brokkr1")
        ip("link", "add", devices[0], "type", "veth", "peer", "name", devices[1])
        for device in devices:
            shaped = subprocess.run(["tc", "qdisc", "add", "dev", device, "root", "netem", "delay", f"{self.delay_us}us", "rate",
                                     f"{self.gb_per_s * 8}gbit", "limit", "100000"], capture_output=True, text=True)
            if shaped.returncode != 0:
                print(f"tc netem: {shaped.stderr.strip()}; a relay between TUN devices takes its place")
                ip("link", "del", devices[0])
                return None
        self.kind = "veth, tc netem"
        return devices

    def tun(self):
        self.relay = Relay(self.delay_us * 1e-6, self.gb_per_s * 1e9)
        self.kind = "TUN devices, relay"
        return self.relay.devices

    def __exit__(self, *_):
        for name in NAMES:
            ip("netns", "del", name, check=False)
        if self.relay:
            self.relay.close()
            self.relay = None

    def command(self, agent, mpirun, words):
        """`mpirun` with a rank in each namespace, running `words`; it starts in the first one. `agent`: a file for the
        program that starts ranks on the other computer."""
        agent.write_text("#!/bin/sh\n# Open MPI calls this as it would call ssh: the host, then a command.\nshift\n"
                         f"exec ip netns exec {NAMES[1]} unshare --uts sh -c \"hostname {NAMES[1]}; $*\"\n")
        agent.chmod(0o755)
        options = {"btl": "tcp,self", "btl_tcp_if_include": SUBNET, "oob_tcp_if_include": SUBNET,
                   "plm_rsh_agent": str(agent), "orte_keep_fqdn_hostnames": "1"}
        mca = [word for name, value in options.items() for word in ("--mca", name, value)]
        start = [mpirun, "--allow-run-as-root", "--bind-to", "none", *mca, "--host", ",".join(f"{a}:1" for a in ADDRESSES), "-n", "2", *map(str, words)]
        inside = "hostname " + NAMES[0] + "; exec \"$@\""
        return ["ip", "netns", "exec", NAMES[0], "unshare", "--uts", "sh", "-c", inside, "sh", *start]
