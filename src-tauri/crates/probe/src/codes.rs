//! From the wrapper's errors back to the driver's own numbers.

use fanfare_rig::{NvmlCode, Reading, Reason};
use nvml_wrapper::error::NvmlError;

/// The number the driver gave, or the nearest one for an error that arose on this side of the call.
pub(crate) fn code(error: NvmlError) -> NvmlCode {
    match error {
        // `NVML_ERROR_FUNCTION_NOT_FOUND`: this library is older than the call.
        NvmlError::FailedToLoadSymbol(_) => NvmlCode(13),
        // Everything that is no return code becomes `NVML_ERROR_UNKNOWN` there.
        error => NvmlCode(nvml_wrapper_sys::bindings::nvmlReturn_t::from(error)),
    }
}

/// A call's result as a reading.
pub(crate) fn reading<T>(result: Result<T, NvmlError>) -> Reading<T> {
    result.map_err(|error| Reason::from(code(error))).into()
}

/// `NVML_VALUE_NOT_AVAILABLE`: some calls succeed and say by their value that they know nothing.
const NOT_AVAILABLE: u32 = u32::MAX;

/// A value as a reading, unless it is the driver's word for none.
pub(crate) fn available(value: Reading<u32>) -> Reading<u32> {
    match value {
        Reading::Measured(NOT_AVAILABLE) => Reading::missing(Reason::NotSupported),
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_return_code_of_the_header_survives_the_wrapper() {
        for number in (1..=30).chain([999]) {
            assert_eq!(code(NvmlError::from(number)), NvmlCode(number));
        }
    }

    #[test]
    fn a_function_the_library_lacks_is_a_sensor_the_rig_lacks() {
        let missing = NvmlError::FailedToLoadSymbol("undefined symbol".into());
        assert_eq!(reading::<u32>(Err(missing)).reason(), Some(Reason::NotSupported));
    }

    #[test]
    fn the_drivers_word_for_no_value_is_no_value() {
        assert_eq!(available(Reading::Measured(u32::MAX)).reason(), Some(Reason::NotSupported));
        assert_eq!(available(Reading::Measured(0)), Reading::Measured(0));
    }
}
