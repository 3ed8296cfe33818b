"""Measures the processor time of a command, which does not depend on other programs on the computer."""
import os
import subprocess

from command_line import Wrong


def processor_ms(command):
    """Returns the user and system time of the command in milliseconds. Raises Wrong if it fails."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Wrong(f"{' '.join(map(str, command))}: exit status {process.returncode}; run it by hand to see why")
    return (used.ru_utime + used.ru_stime) * 1e3
