//! NVML's return codes, by their short names.

use nvml_wrapper_sys::bindings as sys;

/// A return code.
pub(crate) type Code = sys::nvmlReturn_t;
/// What the inside of a call comes to.
pub(crate) type Outcome<T = ()> = Result<T, Code>;

pub(crate) const SUCCESS: Code = sys::nvmlReturn_enum_NVML_SUCCESS;
pub(crate) const UNINITIALIZED: Code = sys::nvmlReturn_enum_NVML_ERROR_UNINITIALIZED;
pub(crate) const INVALID_ARGUMENT: Code = sys::nvmlReturn_enum_NVML_ERROR_INVALID_ARGUMENT;
pub(crate) const NOT_SUPPORTED: Code = sys::nvmlReturn_enum_NVML_ERROR_NOT_SUPPORTED;
pub(crate) const NO_PERMISSION: Code = sys::nvmlReturn_enum_NVML_ERROR_NO_PERMISSION;
pub(crate) const NOT_FOUND: Code = sys::nvmlReturn_enum_NVML_ERROR_NOT_FOUND;
pub(crate) const INSUFFICIENT_SIZE: Code = sys::nvmlReturn_enum_NVML_ERROR_INSUFFICIENT_SIZE;
pub(crate) const DRIVER_NOT_LOADED: Code = sys::nvmlReturn_enum_NVML_ERROR_DRIVER_NOT_LOADED;
pub(crate) const TIMEOUT: Code = sys::nvmlReturn_enum_NVML_ERROR_TIMEOUT;
pub(crate) const GPU_IS_LOST: Code = sys::nvmlReturn_enum_NVML_ERROR_GPU_IS_LOST;
pub(crate) const LIB_RM_VERSION_MISMATCH: Code = sys::nvmlReturn_enum_NVML_ERROR_LIB_RM_VERSION_MISMATCH;
pub(crate) const INSUFFICIENT_RESOURCES: Code = sys::nvmlReturn_enum_NVML_ERROR_INSUFFICIENT_RESOURCES;
pub(crate) const ARGUMENT_VERSION_MISMATCH: Code = sys::nvmlReturn_enum_NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
pub(crate) const DEPRECATED: Code = sys::nvmlReturn_enum_NVML_ERROR_DEPRECATED;
pub(crate) const UNKNOWN: Code = sys::nvmlReturn_enum_NVML_ERROR_UNKNOWN;

/// The code as a number within an outcome.
pub(crate) fn code(outcome: Outcome) -> Code {
    outcome.err().unwrap_or(SUCCESS)
}
