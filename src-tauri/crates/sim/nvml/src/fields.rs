//! Many figures in one call; each has its own return code.

use fanfare_sim_state::Symbol;
use fanfare_sim_state::physics::STEP_NS;
use fanfare_sim_state::reading::wall_us;
use nvml_wrapper_sys::bindings::{self as sys, field_id};

use crate::abi::{Handle, Out};
use crate::codes::{Code, INVALID_ARGUMENT, NOT_SUPPORTED, Outcome, code};
use crate::gate::{Card, Subject, card_call};

/// Fields in one call; more than exist.
const MOST_FIELDS: i32 = 512;
/// `NVML_FI_DEV_GET_GPU_RECOVERY_ACTION`, newer than the bindings.
const RECOVERY_ACTION: u32 = 230;

/// A field's value with its type.
enum Value {
    Word(u32),
    Long(u64),
}

fn value(card: &Card<'_, '_>, id: u32) -> Outcome<Value> {
    let (r, p) = (&card.reading, &card.profile.power);
    match id {
        field_id::NVML_FI_DEV_PERF_POLICY_POWER => Ok(Value::Long(r.capped_ns)),
        field_id::NVML_FI_DEV_PERF_POLICY_THERMAL => Ok(Value::Long(r.thermal_ns)),
        field_id::NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION => r.energy_mj.map(Value::Long).ok_or(NOT_SUPPORTED),
        field_id::NVML_FI_DEV_NVLINK_LINK_COUNT
        | field_id::NVML_FI_DEV_PCIE_REPLAY_COUNTER
        | field_id::NVML_FI_DEV_PCIE_REPLAY_ROLLOVER_COUNTER => Ok(Value::Word(0)),
        field_id::NVML_FI_DEV_POWER_AVERAGE => r.power_mw.map(Value::Word).ok_or(NOT_SUPPORTED),
        field_id::NVML_FI_DEV_POWER_INSTANT => r.power_instant_mw.map(Value::Word).ok_or(NOT_SUPPORTED),
        field_id::NVML_FI_DEV_POWER_MIN_LIMIT => Ok(Value::Word(p.min_mw)),
        field_id::NVML_FI_DEV_POWER_MAX_LIMIT => Ok(Value::Word(p.max_mw)),
        field_id::NVML_FI_DEV_POWER_DEFAULT_LIMIT => Ok(Value::Word(p.default_mw)),
        field_id::NVML_FI_DEV_POWER_CURRENT_LIMIT | field_id::NVML_FI_DEV_POWER_REQUESTED_LIMIT => {
            Ok(Value::Word(r.power_limit_mw))
        }
        RECOVERY_ACTION => Ok(Value::Word(r.recovery)),
        // Memory temperature, T.Limit values, NVLink counters: not on GeForce.
        _ => Err(NOT_SUPPORTED),
    }
}

fn fill(card: &mut Card<'_, '_>, asked: sys::nvmlFieldValue_t) -> sys::nvmlFieldValue_t {
    let slot = Some(card.slot);
    let target = Symbol::field(asked.fieldId);
    let injected = target.and_then(|field| card.session.conditions().error(field, slot));
    let outcome = injected.map_or_else(|| value(card, asked.fieldId), Err);
    let at = card.session.now() / STEP_NS * STEP_NS;
    let timestamp = wall_us(card.session.world().config(), at);
    let (kind, value) = match &outcome {
        Ok(Value::Word(word)) => (
            sys::nvmlValueType_enum_NVML_VALUE_TYPE_UNSIGNED_INT,
            sys::nvmlValue_t { ullVal: u64::from(*word) },
        ),
        Ok(Value::Long(long)) => {
            (sys::nvmlValueType_enum_NVML_VALUE_TYPE_UNSIGNED_LONG_LONG, sys::nvmlValue_t { ullVal: *long })
        }
        Err(_) => (sys::nvmlValueType_enum_NVML_VALUE_TYPE_UNSIGNED_INT, sys::nvmlValue_t { ullVal: 0 }),
    };
    sys::nvmlFieldValue_t {
        timestamp: i64::try_from(timestamp).unwrap_or(i64::MAX),
        latencyUsec: 0,
        valueType: kind,
        nvmlReturn: code(outcome.map(drop)),
        value,
        ..asked
    }
}

/// Fills each element by its field id.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetFieldValues(
    device: Handle,
    count: i32,
    values: Out<sys::nvmlFieldValue_t>,
) -> Code {
    card_call(Symbol::DeviceGetFieldValues, Subject::Handle(device), |card| {
        if !(1..=MOST_FIELDS).contains(&count) {
            return Err(INVALID_ARGUMENT);
        }
        for index in 0..usize::try_from(count).unwrap_or(0) {
            let asked = values.get_at(index)?;
            values.put_at(index, fill(card, asked))?;
        }
        Outcome::Ok(())
    })
}
