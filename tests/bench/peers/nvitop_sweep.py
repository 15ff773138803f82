"""nvitop's side of `sweep_vs_nvitop`: reads the fields of a sweep over every card.

For each number on the standard input, makes so many sweeps and prints the CPU microseconds a sweep. What nvitop's Device has a
method for is read by that method inside `oneshot`; the rest by its own binding of the driver, which is cheaper for it.
"""

import sys
import time

from nvitop import Device, libnvml


def sweep(devices):
    for device in devices:
        with device.oneshot():
            device.temperature()
            device.power_usage()
            device.gpu_utilization()
            device.memory_utilization()
            device.memory_info()
            device.clock_infos()
            device.performance_state()
            device.fan_speed()
            handle = device.handle
            libnvml.nvmlQuery("nvmlDeviceGetTotalEnergyConsumption", handle)
            libnvml.nvmlQuery("nvmlDeviceGetPcieReplayCounter", handle)
            libnvml.nvmlQuery("nvmlDeviceGetCurrentClocksThrottleReasons", handle)
            libnvml.nvmlQuery("nvmlDeviceGetFanSpeed_v2", handle, 1)
            libnvml.nvmlQuery("nvmlDeviceGetCurrPcieLinkGeneration", handle)
            libnvml.nvmlQuery("nvmlDeviceGetCurrPcieLinkWidth", handle)
            libnvml.nvmlQuery("nvmlDeviceGetComputeRunningProcesses", handle)


def main():
    devices = Device.all()
    sweep(devices)
    for line in sys.stdin:
        count = int(line)
        before = time.process_time()
        for _ in range(count):
            sweep(devices)
        print((time.process_time() - before) / count * 1e6, flush=True)


main()
