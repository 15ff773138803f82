/** Names of NVML's return codes, from `nvmlReturn_t` in NVIDIA's `nvml.h`: for a report, so they are not translated. */
const NAMES: Readonly<Record<number, string>> = {
  1: "UNINITIALIZED",
  2: "INVALID_ARGUMENT",
  3: "NOT_SUPPORTED",
  4: "NO_PERMISSION",
  6: "NOT_FOUND",
  7: "INSUFFICIENT_SIZE",
  8: "INSUFFICIENT_POWER",
  9: "DRIVER_NOT_LOADED",
  10: "TIMEOUT",
  11: "IRQ_ISSUE",
  12: "LIBRARY_NOT_FOUND",
  13: "FUNCTION_NOT_FOUND",
  14: "CORRUPTED_INFOROM",
  15: "GPU_IS_LOST",
  16: "RESET_REQUIRED",
  17: "OPERATING_SYSTEM",
  18: "LIB_RM_VERSION_MISMATCH",
  19: "IN_USE",
  20: "MEMORY",
  21: "NO_DATA",
  23: "INSUFFICIENT_RESOURCES",
  28: "GPU_NOT_FOUND",
  29: "INVALID_STATE",
  999: "UNKNOWN",
};

/** The number with its name, or the number alone for a code newer than the table. */
export function nvmlName(code: number): string {
  const name = NAMES[code];
  return name === undefined ? String(code) : `${String(code)} ${name}`;
}
