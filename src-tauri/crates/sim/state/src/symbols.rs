//! The symbols of the simulated library: one number each, for counters, hangs and injected errors.
//!
//! `field:N` stands for the value of field N inside `nvmlDeviceGetFieldValues`: an error injected there is
//! returned for that field alone, as the driver does. Field targets are neither counted nor hung.

use std::fmt;
use std::str::FromStr;

use crate::error::StateError;

macro_rules! symbols {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// A symbol of the simulated library, or one field inside `nvmlDeviceGetFieldValues`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum Symbol {
            $(#[doc = concat!("`", $name, "`")] $variant),+
        }

        impl Symbol {
            /// Every symbol, in the order of its number.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name as exported.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

/// How many symbols and fields there are.
pub const SYMBOL_COUNT: usize = Symbol::ALL.len();

symbols! {
    // System.
    Init = "nvmlInit",
    InitV2 = "nvmlInit_v2",
    InitWithFlags = "nvmlInitWithFlags",
    Shutdown = "nvmlShutdown",
    ErrorString = "nvmlErrorString",
    SystemGetDriverVersion = "nvmlSystemGetDriverVersion",
    SystemGetNVMLVersion = "nvmlSystemGetNVMLVersion",
    SystemGetCudaDriverVersion = "nvmlSystemGetCudaDriverVersion",
    SystemGetCudaDriverVersionV2 = "nvmlSystemGetCudaDriverVersion_v2",
    SystemGetProcessName = "nvmlSystemGetProcessName",
    // Look-up.
    DeviceGetCount = "nvmlDeviceGetCount",
    DeviceGetCountV2 = "nvmlDeviceGetCount_v2",
    DeviceGetHandleByIndex = "nvmlDeviceGetHandleByIndex",
    DeviceGetHandleByIndexV2 = "nvmlDeviceGetHandleByIndex_v2",
    DeviceGetHandleByUUID = "nvmlDeviceGetHandleByUUID",
    DeviceGetHandleByPciBusId = "nvmlDeviceGetHandleByPciBusId",
    DeviceGetHandleByPciBusIdV2 = "nvmlDeviceGetHandleByPciBusId_v2",
    DeviceGetHandleBySerial = "nvmlDeviceGetHandleBySerial",
    // Identity.
    DeviceGetName = "nvmlDeviceGetName",
    DeviceGetUUID = "nvmlDeviceGetUUID",
    DeviceGetPciInfoV3 = "nvmlDeviceGetPciInfo_v3",
    DeviceGetPciInfoExt = "nvmlDeviceGetPciInfoExt",
    DeviceGetBrand = "nvmlDeviceGetBrand",
    DeviceGetIndex = "nvmlDeviceGetIndex",
    DeviceGetMinorNumber = "nvmlDeviceGetMinorNumber",
    DeviceGetSerial = "nvmlDeviceGetSerial",
    DeviceGetBoardPartNumber = "nvmlDeviceGetBoardPartNumber",
    DeviceGetBoardId = "nvmlDeviceGetBoardId",
    DeviceGetMultiGpuBoard = "nvmlDeviceGetMultiGpuBoard",
    DeviceGetVbiosVersion = "nvmlDeviceGetVbiosVersion",
    DeviceGetArchitecture = "nvmlDeviceGetArchitecture",
    DeviceGetCudaComputeCapability = "nvmlDeviceGetCudaComputeCapability",
    DeviceGetNumGpuCores = "nvmlDeviceGetNumGpuCores",
    DeviceGetMemoryBusWidth = "nvmlDeviceGetMemoryBusWidth",
    DeviceGetPersistenceMode = "nvmlDeviceGetPersistenceMode",
    DeviceSetPersistenceMode = "nvmlDeviceSetPersistenceMode",
    DeviceGetComputeMode = "nvmlDeviceGetComputeMode",
    DeviceGetDisplayMode = "nvmlDeviceGetDisplayMode",
    DeviceGetDisplayActive = "nvmlDeviceGetDisplayActive",
    DeviceGetDriverModelV2 = "nvmlDeviceGetDriverModel_v2",
    DeviceGetDriverModel = "nvmlDeviceGetDriverModel",
    DeviceGetMigMode = "nvmlDeviceGetMigMode",
    DeviceIsMigDeviceHandle = "nvmlDeviceIsMigDeviceHandle",
    DeviceGetMaxMigDeviceCount = "nvmlDeviceGetMaxMigDeviceCount",
    DeviceGetEccMode = "nvmlDeviceGetEccMode",
    DeviceGetTotalEccErrors = "nvmlDeviceGetTotalEccErrors",
    DeviceGetAccountingMode = "nvmlDeviceGetAccountingMode",
    // Thermal.
    DeviceGetTemperature = "nvmlDeviceGetTemperature",
    DeviceGetTemperatureVersioned = "nvmlDeviceGetTemperatureV",
    DeviceGetTemperatureThreshold = "nvmlDeviceGetTemperatureThreshold",
    DeviceGetMarginTemperature = "nvmlDeviceGetMarginTemperature",
    // Power.
    DeviceGetPowerUsage = "nvmlDeviceGetPowerUsage",
    DeviceGetPowerManagementMode = "nvmlDeviceGetPowerManagementMode",
    DeviceGetPowerManagementLimit = "nvmlDeviceGetPowerManagementLimit",
    DeviceGetPowerManagementDefaultLimit = "nvmlDeviceGetPowerManagementDefaultLimit",
    DeviceGetPowerManagementLimitConstraints = "nvmlDeviceGetPowerManagementLimitConstraints",
    DeviceGetEnforcedPowerLimit = "nvmlDeviceGetEnforcedPowerLimit",
    DeviceSetPowerManagementLimit = "nvmlDeviceSetPowerManagementLimit",
    DeviceGetTotalEnergyConsumption = "nvmlDeviceGetTotalEnergyConsumption",
    // Clocks and load.
    DeviceGetClockInfo = "nvmlDeviceGetClockInfo",
    DeviceGetMaxClockInfo = "nvmlDeviceGetMaxClockInfo",
    DeviceGetClock = "nvmlDeviceGetClock",
    DeviceGetPerformanceState = "nvmlDeviceGetPerformanceState",
    DeviceGetPowerState = "nvmlDeviceGetPowerState",
    DeviceGetCurrentClocksThrottleReasons = "nvmlDeviceGetCurrentClocksThrottleReasons",
    DeviceGetCurrentClocksEventReasons = "nvmlDeviceGetCurrentClocksEventReasons",
    DeviceGetSupportedClocksThrottleReasons = "nvmlDeviceGetSupportedClocksThrottleReasons",
    DeviceGetSupportedClocksEventReasons = "nvmlDeviceGetSupportedClocksEventReasons",
    DeviceGetUtilizationRates = "nvmlDeviceGetUtilizationRates",
    DeviceGetEncoderUtilization = "nvmlDeviceGetEncoderUtilization",
    DeviceGetDecoderUtilization = "nvmlDeviceGetDecoderUtilization",
    DeviceGetViolationStatus = "nvmlDeviceGetViolationStatus",
    // Memory.
    DeviceGetMemoryInfo = "nvmlDeviceGetMemoryInfo",
    DeviceGetMemoryInfoV2 = "nvmlDeviceGetMemoryInfo_v2",
    DeviceGetBAR1MemoryInfo = "nvmlDeviceGetBAR1MemoryInfo",
    // Fans.
    DeviceGetNumFans = "nvmlDeviceGetNumFans",
    DeviceGetFanSpeed = "nvmlDeviceGetFanSpeed",
    DeviceGetFanSpeedV2 = "nvmlDeviceGetFanSpeed_v2",
    DeviceGetFanSpeedRPM = "nvmlDeviceGetFanSpeedRPM",
    DeviceGetTargetFanSpeed = "nvmlDeviceGetTargetFanSpeed",
    DeviceGetMinMaxFanSpeed = "nvmlDeviceGetMinMaxFanSpeed",
    DeviceGetFanControlPolicyV2 = "nvmlDeviceGetFanControlPolicy_v2",
    DeviceSetFanSpeedV2 = "nvmlDeviceSetFanSpeed_v2",
    DeviceSetDefaultFanSpeedV2 = "nvmlDeviceSetDefaultFanSpeed_v2",
    DeviceSetFanControlPolicy = "nvmlDeviceSetFanControlPolicy",
    // Pcie.
    DeviceGetCurrPcieLinkGeneration = "nvmlDeviceGetCurrPcieLinkGeneration",
    DeviceGetMaxPcieLinkGeneration = "nvmlDeviceGetMaxPcieLinkGeneration",
    DeviceGetGpuMaxPcieLinkGeneration = "nvmlDeviceGetGpuMaxPcieLinkGeneration",
    DeviceGetCurrPcieLinkWidth = "nvmlDeviceGetCurrPcieLinkWidth",
    DeviceGetMaxPcieLinkWidth = "nvmlDeviceGetMaxPcieLinkWidth",
    DeviceGetPcieThroughput = "nvmlDeviceGetPcieThroughput",
    DeviceGetPcieReplayCounter = "nvmlDeviceGetPcieReplayCounter",
    DeviceGetPcieSpeed = "nvmlDeviceGetPcieSpeed",
    DeviceGetPcieLinkMaxSpeed = "nvmlDeviceGetPcieLinkMaxSpeed",
    // Nvlink.
    DeviceGetNvLinkState = "nvmlDeviceGetNvLinkState",
    // Processes.
    DeviceGetComputeRunningProcesses = "nvmlDeviceGetComputeRunningProcesses",
    DeviceGetComputeRunningProcessesV2 = "nvmlDeviceGetComputeRunningProcesses_v2",
    DeviceGetComputeRunningProcessesV3 = "nvmlDeviceGetComputeRunningProcesses_v3",
    DeviceGetGraphicsRunningProcesses = "nvmlDeviceGetGraphicsRunningProcesses",
    DeviceGetGraphicsRunningProcessesV2 = "nvmlDeviceGetGraphicsRunningProcesses_v2",
    DeviceGetGraphicsRunningProcessesV3 = "nvmlDeviceGetGraphicsRunningProcesses_v3",
    DeviceGetMPSComputeRunningProcessesV3 = "nvmlDeviceGetMPSComputeRunningProcesses_v3",
    DeviceGetProcessUtilization = "nvmlDeviceGetProcessUtilization",
    // Fields.
    DeviceGetFieldValues = "nvmlDeviceGetFieldValues",
    // Events.
    EventSetCreate = "nvmlEventSetCreate",
    EventSetFree = "nvmlEventSetFree",
    EventSetWaitV2 = "nvmlEventSetWait_v2",
    DeviceRegisterEvents = "nvmlDeviceRegisterEvents",
    DeviceGetSupportedEventTypes = "nvmlDeviceGetSupportedEventTypes",
    // Topology.
    DeviceGetTopologyCommonAncestor = "nvmlDeviceGetTopologyCommonAncestor",
    DeviceGetTopologyNearestGpus = "nvmlDeviceGetTopologyNearestGpus",
    SystemGetTopologyGpuSet = "nvmlSystemGetTopologyGpuSet",
    DeviceGetCpuAffinity = "nvmlDeviceGetCpuAffinity",
    // Field values, as targets of injected errors only.
    Field74 = "field:74",
    Field75 = "field:75",
    Field82 = "field:82",
    Field83 = "field:83",
    Field91 = "field:91",
    Field94 = "field:94",
    Field95 = "field:95",
    Field185 = "field:185",
    Field186 = "field:186",
    Field187 = "field:187",
    Field188 = "field:188",
    Field189 = "field:189",
    Field190 = "field:190",
    Field192 = "field:192",
    Field193 = "field:193",
    Field194 = "field:194",
    Field195 = "field:195",
    Field196 = "field:196",
    Field230 = "field:230",
}

impl Symbol {
    /// The number that stands in the state file.
    #[must_use]
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// The symbol with that number.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// The target that stands for the value of field `id` of `nvmlDeviceGetFieldValues`.
    #[must_use]
    pub fn field(id: u32) -> Option<Self> {
        Self::ALL.iter().copied().find(|symbol| symbol.field_id() == Some(id))
    }

    /// The field id, if this stands for one.
    #[must_use]
    pub fn field_id(self) -> Option<u32> {
        self.name().strip_prefix("field:").and_then(|id| id.parse().ok())
    }

    /// Whether the call changes a card, so that it is logged and needs the privilege.
    #[must_use]
    pub const fn is_set(self) -> bool {
        matches!(
            self,
            Self::DeviceSetPersistenceMode
                | Self::DeviceSetPowerManagementLimit
                | Self::DeviceSetFanSpeedV2
                | Self::DeviceSetDefaultFanSpeedV2
                | Self::DeviceSetFanControlPolicy
        )
    }

    /// Whether the call only opens or closes the library, without touching a card.
    #[must_use]
    pub const fn is_lifecycle(self) -> bool {
        matches!(self, Self::Init | Self::InitV2 | Self::InitWithFlags | Self::Shutdown | Self::ErrorString)
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Symbol {
    type Err = StateError;

    fn from_str(name: &str) -> Result<Self, StateError> {
        Self::ALL
            .iter()
            .copied()
            .find(|symbol| symbol.name() == name)
            .ok_or_else(|| StateError::UnknownSymbol { name: name.to_owned() })
    }
}

impl TryFrom<&str> for Symbol {
    type Error = StateError;

    fn try_from(name: &str) -> Result<Self, StateError> {
        name.parse()
    }
}

impl PartialEq<str> for Symbol {
    fn eq(&self, name: &str) -> bool {
        self.name() == name
    }
}

impl PartialEq<&str> for Symbol {
    fn eq(&self, name: &&str) -> bool {
        self.name() == *name
    }
}

impl serde::Serialize for Symbol {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_lead_back_to_the_symbol() {
        for (index, symbol) in Symbol::ALL.iter().enumerate() {
            assert_eq!(symbol.number() as usize, index);
            assert_eq!(Symbol::from_number(symbol.number()), Some(*symbol));
            assert_eq!(symbol.name().parse::<Symbol>().ok(), Some(*symbol), "{symbol} is named twice");
        }
        assert_eq!(Symbol::from_number(u32::MAX), None);
        assert!("nvmlDeviceGetMagic".parse::<Symbol>().is_err());
    }

    #[test]
    fn exactly_the_set_calls_are_set_calls() {
        for symbol in Symbol::ALL {
            assert_eq!(symbol.is_set(), symbol.name().starts_with("nvmlDeviceSet"), "{symbol}");
        }
    }

    #[test]
    fn fields_are_found_by_their_id() {
        assert_eq!(Symbol::field(185), Some(Symbol::Field185));
        assert_eq!(Symbol::field(1), None);
        assert_eq!(Symbol::DeviceGetName.field_id(), None);
    }
}
