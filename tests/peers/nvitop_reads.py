"""nvitop reads every card of the simulated driver, and shows a lost one as lost.

Usage: nvitop_reads.py EXPECTED.json [SCREEN.txt]

EXPECTED.json is `fanfare-sim show --json` of the rig on a manual clock. The library is found as NVIDIA's is, as
libnvidia-ml.so.1 on the library path, and the rig by FANFARE_SIM_STATE. The text of nvitop's screen is written to
SCREEN.txt if that is named. Ends with 1 and a message on the first wrong value.
"""

import json
import subprocess
import sys

import nvitop
from nvitop import NA, Device

# nvitop's screen is drawn once and for all within this many seconds.
SCREEN_LIMIT_S = 60


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found!r}, not {expected!r}")


def milliwatts(value):
    return NA if value is None else value


def read(device, card, what):
    with device.oneshot():
        check(f"{what} name", device.name(), card["name"])
        check(f"{what} UUID", device.uuid(), card["uuid"])
        check(f"{what} bus id", device.bus_id(), card["bus_id"])
        check(f"{what} temperature", device.temperature(), card["temperature"])
        check(f"{what} fan", device.fan_speed(), card["fans"][0]["percent"])
        check(f"{what} power", device.power_usage(), milliwatts(card["power_mw"]))
        check(f"{what} limit", device.power_limit(), card["power_limit_mw"])
        check(f"{what} utilisation", device.gpu_utilization(), card["utilization"])
        check(f"{what} memory utilisation", device.memory_utilization(), card["memory_utilization"])
        check(f"{what} memory used", device.memory_used(), card["memory"]["used"])
        check(f"{what} memory total", device.memory_total(), card["memory"]["total"])
        check(f"{what} performance state", device.performance_state(), f"P{card['pstate']}")
        clocks = device.clock_infos()
        check(f"{what} clocks", (clocks.sm, clocks.memory), (card["graphics_mhz"], card["memory_mhz"]))
        check(f"{what} ECC", device.ecc_mode() if hasattr(device, "ecc_mode") else NA, NA)
        found = {pid: process.gpu_memory() for pid, process in device.processes().items()}
        check(f"{what} processes", found, {p["pid"]: p["memory"] for p in card["processes"]})
    snapshot = device.as_snapshot()
    check(f"{what} snapshot", (snapshot.uuid, snapshot.temperature), (card["uuid"], card["temperature"]))


def lost(device, what):
    check(f"{what} name", device.name(), "ERROR: GPU is Lost")
    check(f"{what} temperature", device.temperature(), NA)
    check(f"{what} power", device.power_usage(), NA)


def screen(cards):
    """The text that `nvitop --once` shows, checked for every card."""
    command = [sys.executable, "-m", "nvitop", "--once", "--no-unicode"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SCREEN_LIMIT_S, check=False)
    check("nvitop's exit code", (done.returncode, done.stderr), (0, ""))
    for index, card in enumerate(cards):
        if not card["lost"] and card["bus_id"] not in done.stdout:
            sys.exit(f"nvitop's screen lacks card {index}:\n{done.stdout}")
    shown = done.stdout.count("GPU is Lost")
    check("lost cards on the screen", shown, sum(card["lost"] for card in cards))
    return done.stdout


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        cards = json.load(file)["cards"]
    devices = Device.all()
    check("cards", len(devices), len(cards))
    for index, (device, card) in enumerate(zip(devices, cards)):
        what = f"card {index}"
        if card["lost"]:
            lost(device, what)
        else:
            read(device, card, what)
    text = screen(cards)
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            file.write(text)
    print(f"nvitop {nvitop.__version__}: {len(cards)} cards as expected")


if __name__ == "__main__":
    main()
