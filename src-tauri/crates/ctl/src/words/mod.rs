//! Every sentence of the command line, in English and 简体中文. The compiler sees to it that neither misses one.
//!
//! Option help and the hardware report stay English: the first is generated, and the second is read by whoever answers.

mod disk;
pub(crate) mod history;
pub(crate) mod holder;

use std::env;

use fanfare_engine::{Occupancy, ProbeState, Usage};
use fanfare_rig::{NvmlCode, Reason, TroubleCode};

pub(crate) use disk::disk;

use crate::news::Quiet;

/// The user's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    Chinese,
}

impl Language {
    /// By the locale variables, the first that is set and not empty, as `locale(7)` orders them.
    pub(crate) fn of_environment() -> Self {
        let set =
            ["LC_ALL", "LC_MESSAGES", "LANG"].iter().filter_map(env::var_os).find(|value| !value.is_empty());
        Self::of_locale(&set.unwrap_or_default().to_string_lossy())
    }

    fn of_locale(locale: &str) -> Self {
        if locale.starts_with("zh") { Self::Chinese } else { Self::English }
    }

    const fn pick(self, english: &'static str, chinese: &'static str) -> &'static str {
        match self {
            Self::English => english,
            Self::Chinese => chinese,
        }
    }
}

/// The heads of the table's columns.
pub(crate) const fn heads(language: Language) -> [&'static str; 10] {
    match language {
        Language::English => {
            ["Card", "Slot", "Temp", "Fan", "Power", "Load", "VRAM", "Clock", "PCIe", "State"]
        }
        Language::Chinese => ["卡", "插槽", "温度", "风扇", "功耗", "负载", "显存", "频率", "PCIe", "状态"],
    }
}

/// Over everything simulated.
pub(crate) const fn simulated(language: Language) -> &'static str {
    language.pick("SIMULATED RIG: every number here is simulated", "模拟主机：这里的所有数字都是模拟的")
}

/// Under the live table.
pub(crate) const fn leave(language: Language) -> &'static str {
    language.pick("q leaves", "按 q 退出")
}

/// When nothing is wrong with any card's answers; whether they are good ones is another question.
pub(crate) const fn all_answer(language: Language) -> &'static str {
    language.pick("All cards answer", "所有显卡均正常应答")
}

/// Before the first answer.
pub(crate) const fn waiting(language: Language) -> &'static str {
    language.pick("Waiting for the driver", "正在等待驱动程序")
}

/// A rig without a card.
pub(crate) const fn no_cards(language: Language) -> &'static str {
    language.pick(
        "The driver runs but finds no card. Check that the cards are seated and powered, then restart the rig.",
        "驱动程序已运行，但未找到显卡。请检查显卡是否插好并已供电，然后重启主机。",
    )
}

/// What an answering card is used for, as far as anybody says.
pub(crate) fn usage(occupancy: Option<&Occupancy>, language: Language) -> String {
    match occupancy.map(|occupancy| &occupancy.usage) {
        None | Some(Usage::Unknown) => language.pick("unknown", "未知").into(),
        Some(Usage::Idle) => language.pick("idle", "空闲").into(),
        Some(Usage::Busy) => language.pick("busy", "占用").into(),
        Some(Usage::OwnJob) => language.pick("own job", "自用").into(),
        Some(Usage::Rented { platform }) => format!("{} {platform}", language.pick("rented", "已出租")),
    }
}

/// States of a card.
pub(crate) const fn lost(language: Language) -> &'static str {
    language.pick("lost", "掉卡")
}
pub(crate) const fn stuck(language: Language) -> &'static str {
    language.pick("stuck", "无响应")
}
pub(crate) const fn missing(language: Language) -> &'static str {
    language.pick("missing", "缺失")
}
pub(crate) const fn unreached(language: Language) -> &'static str {
    language.pick("unreachable", "无法访问")
}
pub(crate) const fn awaited(language: Language) -> &'static str {
    language.pick("waiting", "等待中")
}
pub(crate) const fn needs_reset(language: Language) -> &'static str {
    language.pick("needs reset", "需要重置")
}
pub(crate) const fn failing(language: Language) -> &'static str {
    language.pick("failing", "出错")
}
/// A card by its number.
pub(crate) fn card(number: usize, language: Language) -> String {
    match language {
        Language::English => format!("Card {number}"),
        Language::Chinese => format!("{number} 号卡"),
    }
}

/// How many of how many cards answer.
pub(crate) fn answering(answering: usize, expected: usize, language: Language) -> String {
    match language {
        Language::English => format!("{answering} of {expected} cards answer"),
        Language::Chinese => format!("{expected} 张卡中有 {answering} 张正常应答"),
    }
}

/// Cards that the driver counts but does not hand out, and why.
pub(crate) fn refused(count: usize, reasons: &str, language: Language) -> String {
    match language {
        Language::English => format!("the driver does not hand out {count} of its cards: {reasons}"),
        Language::Chinese => format!("驱动程序有 {count} 张卡无法访问：{reasons}"),
    }
}

/// Why something is missing.
pub(crate) fn reason(reason: Reason, language: Language) -> String {
    match reason {
        Reason::NotSupported => not_supported(language).into(),
        Reason::NoPermission => no_permission(language).into(),
        Reason::Lost => lost(language).into(),
        Reason::Stuck { .. } => stuck(language).into(),
        Reason::Error { code } => driver_error(code, language),
    }
}

/// When missing cards were last there.
pub(crate) fn last_seen(date: &str, language: Language) -> String {
    match language {
        Language::English => format!("last seen {date}"),
        Language::Chinese => format!("最后一次出现：{date}"),
    }
}

/// Rows for which there is no room.
pub(crate) fn more(count: usize, language: Language) -> String {
    match language {
        Language::English => format!("… {count} more"),
        Language::Chinese => format!("… 另有 {count} 张"),
    }
}

/// Between a card and what is wrong with it.
pub(crate) const fn colon(language: Language) -> &'static str {
    language.pick(": ", "：")
}

/// A driver that answers nothing at all.
fn silence(seconds: u64, language: Language) -> String {
    // Below a second there is no whole one to tell.
    let seconds = seconds.max(1);
    match language {
        Language::English => format!("No answer for {seconds} s: the driver may hang"),
        Language::Chinese => format!("已 {seconds} 秒无应答：驱动程序可能已挂起"),
    }
}

/// Why no sweep comes.
pub(crate) fn quiet(why: &Quiet, seconds: u64, language: Language) -> String {
    match why {
        Quiet::Driver => silence(seconds, language),
        Quiet::Holder(silent) => holder::fell_silent(silent, seconds, language),
        Quiet::NoHolder => holder::no_holder(seconds, language),
        Quiet::Probe(state) => match &**state {
            ProbeState::Trouble { trouble: found } => trouble(found.code, language).0.into(),
            _ => probe(language).0.into(),
        },
    }
}

/// Why the list of cards is not the present one.
pub(crate) const fn roster_stuck(language: Language) -> &'static str {
    language.pick("the driver does not list its cards", "驱动程序未返回显卡列表")
}

/// Reasons under the table.
pub(crate) const fn not_supported(language: Language) -> &'static str {
    language.pick("no such sensor", "没有该传感器")
}
pub(crate) const fn no_permission(language: Language) -> &'static str {
    language.pick("not permitted to this user", "当前用户无权读取")
}
pub(crate) fn driver_error(code: NvmlCode, language: Language) -> String {
    match language {
        Language::English => format!("driver error {code}"),
        Language::Chinese => format!("驱动程序错误 {code}"),
    }
}

/// What a trouble is, and the next step.
pub(crate) const fn trouble(code: TroubleCode, language: Language) -> (&'static str, &'static str) {
    match code {
        TroubleCode::LibraryAbsent => (
            language.pick("No NVIDIA driver library is installed.", "未安装 NVIDIA 驱动程序库。"),
            language.pick(
                "Install the NVIDIA driver and restart the rig; to look around without one, use --profile demo.",
                "请安装 NVIDIA 驱动程序并重启主机；若只想先看看，可使用 --profile demo。",
            ),
        ),
        TroubleCode::LibraryUnusable => (
            language.pick("The file is no NVIDIA driver library.", "该文件不是 NVIDIA 驱动程序库。"),
            language.pick(
                "Install the NVIDIA driver anew; with --nvml-lib, check the path.",
                "请重新安装 NVIDIA 驱动程序；若使用了 --nvml-lib，请检查路径。",
            ),
        ),
        TroubleCode::LibraryTooOld => (
            language.pick("The NVIDIA driver is too old to list its cards.", "NVIDIA 驱动程序过旧，无法列出显卡。"),
            language.pick("Install a current driver and restart the rig.", "请安装较新的驱动程序并重启主机。"),
        ),
        TroubleCode::VersionMismatch => (
            language.pick(
                "The driver was updated while the old one is still loaded.",
                "驱动程序已更新，但旧版本仍在运行。",
            ),
            language.pick("Restart the rig.", "请重启主机。"),
        ),
        TroubleCode::DriverNotLoaded => (
            language.pick("The NVIDIA kernel module is not loaded.", "NVIDIA 内核模块未加载。"),
            language.pick(
                "Run nvidia-smi as root once, or restart the rig; if that does not help, install the driver anew.",
                "请以 root 身份运行一次 nvidia-smi，或重启主机；若无效，请重新安装驱动程序。",
            ),
        ),
        TroubleCode::NoPermission => (
            language.pick("This user may not open the NVIDIA driver.", "当前用户无权访问 NVIDIA 驱动程序。"),
            language.pick(
                "Check the permissions of /dev/nvidiactl; inside a container, pass the cards to it.",
                "请检查 /dev/nvidiactl 的权限；若在容器中，请将显卡传入容器。",
            ),
        ),
        TroubleCode::DriverFailed => (
            language.pick("The NVIDIA driver does not start.", "NVIDIA 驱动程序无法启动。"),
            language.pick(
                "Look into the kernel log (journalctl -k) for lines with NVRM, then restart the rig.",
                "请在内核日志（journalctl -k）中查找含 NVRM 的行，然后重启主机。",
            ),
        ),
    }
}

/// The driver starts but does not tell its cards.
/// No card answers, though the driver names some: what it is, and the next step.
pub(crate) const fn none_answers(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("No card of this rig can be read.", "本机没有一张显卡可以读取。"),
        language.pick(
            "Look into the kernel log (journalctl -k) for NVRM, then restart the rig.",
            "请在内核日志（journalctl -k）中查找 NVRM，然后重启主机。",
        ),
    )
}

pub(crate) const fn not_listed(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("The driver does not list its cards.", "驱动程序未返回显卡列表。"),
        language.pick(
            "One card may hold it up: look into the kernel log (journalctl -k) for NVRM, then restart the rig.",
            "可能有一张显卡使其挂起：请在内核日志（journalctl -k）中查找 NVRM，然后重启主机。",
        ),
    )
}

/// The data directory, or what is in it.
pub(crate) const fn data_directory(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("The data directory cannot be used.", "无法使用数据目录。"),
        language.pick(
            "Check its permissions and the free space, or name another one with --data-dir.",
            "请检查其权限和剩余空间，或用 --data-dir 指定其他目录。",
        ),
    )
}

/// The demo rig cannot be made.
pub(crate) const fn demo(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("The demo rig cannot be started.", "无法启动演示主机。"),
        language.pick(
            "Remove the demo's data directory and try again; if that does not help, install Fanfare anew.",
            "请删除演示数据目录后重试；若无效，请重新安装 Fanfare。",
        ),
    )
}

/// The probe is gone.
pub(crate) const fn probe(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("The program that reads the driver has failed.", "读取驱动程序的组件已失效。"),
        language.pick(
            "Start it again; if it fails again, attach its last words to a question.",
            "请重新启动；若再次失败，请在提问时附上其最后的输出。",
        ),
    )
}

/// Two options that exclude each other.
pub(crate) const fn library_and_demo(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("The demo has a driver library of its own.", "演示模式自带驱动程序库。"),
        language.pick("Leave out --nvml-lib, or --profile demo.", "请去掉 --nvml-lib 或 --profile demo。"),
    )
}

pub(crate) const fn step_reinstall(language: Language) -> &'static str {
    language.pick("Install Fanfare anew: a part of it is missing.", "请重新安装 Fanfare：缺少某个组件。")
}
pub(crate) const fn step_same_version(language: Language) -> &'static str {
    language.pick(
        "Parts of two versions are installed: install Fanfare anew.",
        "安装了不同版本的组件：请重新安装 Fanfare。",
    )
}
#[cfg(test)]
mod tests {
    use fanfare_engine::Source;

    use super::*;

    #[test]
    fn a_locale_names_its_language() {
        for (locale, language) in [
            ("zh_CN.UTF-8", Language::Chinese),
            ("zh", Language::Chinese),
            ("en_US.UTF-8", Language::English),
            ("C", Language::English),
            ("", Language::English),
        ] {
            assert_eq!(Language::of_locale(locale), language, "{locale:?}");
        }
    }

    #[test]
    fn what_a_card_is_used_for_is_said_in_both_languages() {
        let rented = Usage::Rented { platform: "Vast.ai".into() };
        let table = [
            (Usage::Unknown, "unknown", "未知"),
            (Usage::Idle, "idle", "空闲"),
            (Usage::Busy, "busy", "占用"),
            (Usage::OwnJob, "own job", "自用"),
            (rented, "rented Vast.ai", "已出租 Vast.ai"),
        ];
        for (used, english, chinese) in table {
            let occupancy = Some(Occupancy { usage: used, source: Source::Platform });
            assert_eq!(usage(occupancy.as_ref(), Language::English), english);
            assert_eq!(usage(occupancy.as_ref(), Language::Chinese), chinese);
        }
        assert_eq!(usage(None, Language::English), "unknown");
    }
}
