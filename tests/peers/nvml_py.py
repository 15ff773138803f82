"""nvidia-ml-py reads every card of the simulated driver, and a lost one fails alone.

Usage: nvml_py.py EXPECTED.json

EXPECTED.json is `fanfare-sim show --json` of the rig on a manual clock. The library is found as NVIDIA's is, as
libnvidia-ml.so.1 on the library path, and the rig by FANFARE_SIM_STATE. Ends with 1 and a message on the first
wrong value.
"""

import json
import sys

import pynvml as nv


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found!r}, not {expected!r}")


def refused(what, code, call, *arguments):
    try:
        found = call(*arguments)
    except nv.NVMLError as error:
        check(what, error.value, code)
    else:
        sys.exit(f"{what}: {found!r}, not the error {code}")


def power(handle, card, what):
    if card["power_mw"] is None:
        refused(f"{what} power", nv.NVML_ERROR_NOT_SUPPORTED, nv.nvmlDeviceGetPowerUsage, handle)
        refused(f"{what} energy", nv.NVML_ERROR_NOT_SUPPORTED, nv.nvmlDeviceGetTotalEnergyConsumption, handle)
    else:
        check(f"{what} power", nv.nvmlDeviceGetPowerUsage(handle), card["power_mw"])
        check(f"{what} energy", nv.nvmlDeviceGetTotalEnergyConsumption(handle), card["energy_mj"])
    check(f"{what} limit", nv.nvmlDeviceGetEnforcedPowerLimit(handle), card["power_limit_mw"])


def memory(handle, card, what):
    info = nv.nvmlDeviceGetMemoryInfo(handle, version=nv.nvmlMemory_v2)
    found = {"total": info.total, "reserved": info.reserved, "used": info.used, "free": info.free}
    check(f"{what} memory", found, card["memory"])


def clocks(handle, card, what):
    for kind, key in [
        (nv.NVML_CLOCK_GRAPHICS, "graphics_mhz"),
        (nv.NVML_CLOCK_SM, "graphics_mhz"),
        (nv.NVML_CLOCK_MEM, "memory_mhz"),
        (nv.NVML_CLOCK_VIDEO, "video_mhz"),
    ]:
        check(f"{what} clock {kind}", nv.nvmlDeviceGetClockInfo(handle, kind), card[key])
    check(f"{what} reasons", nv.nvmlDeviceGetCurrentClocksEventReasons(handle), card["reasons"])
    check(f"{what} performance state", nv.nvmlDeviceGetPerformanceState(handle), card["pstate"])


def fans(handle, card, what):
    check(f"{what} fans", nv.nvmlDeviceGetNumFans(handle), len(card["fans"]))
    for number, fan in enumerate(card["fans"]):
        check(f"{what} fan {number}", nv.nvmlDeviceGetFanSpeed_v2(handle, number), fan["percent"])


def processes(handle, card, what):
    running = nv.nvmlDeviceGetComputeRunningProcesses(handle)
    found = [(process.pid, process.usedGpuMemory) for process in running]
    check(f"{what} processes", found, [(p["pid"], p["memory"]) for p in card["processes"]])


def fields(handle, card, what):
    ids = [nv.NVML_FI_DEV_MEMORY_TEMP, nv.NVML_FI_DEV_POWER_AVERAGE, nv.NVML_FI_DEV_POWER_INSTANT]
    hot, average, instant = nv.nvmlDeviceGetFieldValues(handle, ids)
    check(f"{what} memory temperature", hot.nvmlReturn, nv.NVML_ERROR_NOT_SUPPORTED)
    if card["power_mw"] is not None:
        check(f"{what} average power", average.value.uiVal, card["power_mw"])
        check(f"{what} instant power", instant.value.uiVal, card["power_instant_mw"])


def read(handle, card, what):
    check(f"{what} name", nv.nvmlDeviceGetName(handle), card["name"])
    check(f"{what} UUID", nv.nvmlDeviceGetUUID(handle), card["uuid"])
    check(f"{what} bus id", nv.nvmlDeviceGetPciInfo(handle).busId, card["bus_id"])
    check(f"{what} temperature", nv.nvmlDeviceGetTemperature(handle, nv.NVML_TEMPERATURE_GPU), card["temperature"])
    rates = nv.nvmlDeviceGetUtilizationRates(handle)
    check(f"{what} utilisation", (rates.gpu, rates.memory), (card["utilization"], card["memory_utilization"]))
    check(f"{what} link", nv.nvmlDeviceGetCurrPcieLinkGeneration(handle), card["pcie_gen"])
    for part in (power, memory, clocks, fans, processes, fields):
        part(handle, card, what)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rig = json.load(file)
    nv.nvmlInit()
    check("driver", nv.nvmlSystemGetDriverVersion(), rig["driver"])
    check("cards", nv.nvmlDeviceGetCount(), len(rig["cards"]))
    for index, card in enumerate(rig["cards"]):
        what = f"card {index}"
        if card["lost"]:
            lost = nv.NVML_ERROR_GPU_IS_LOST
            refused(f"{what} by index", lost, nv.nvmlDeviceGetHandleByIndex, index)
            refused(f"{what} by UUID", lost, nv.nvmlDeviceGetHandleByUUID, card["uuid"].encode())
        else:
            read(nv.nvmlDeviceGetHandleByIndex(index), card, what)
    nv.nvmlShutdown()
    print(f"nvidia-ml-py: {len(rig['cards'])} cards as expected")


if __name__ == "__main__":
    main()
