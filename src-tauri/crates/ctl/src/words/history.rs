//! The history in words.

use fanfare_history::{Compacted, Folding, Level, Quantity, Verified};

use super::Language;

/// Of which time the tables are.
pub(crate) fn between(from: &str, to: &str, language: Language) -> String {
    match language {
        Language::English => format!("{from} to {to} UTC"),
        Language::Chinese => format!("{from} 至 {to}（UTC）"),
    }
}

/// A quantity; of bits what they mean, where they are this program's own.
pub(crate) const fn quantity(quantity: Quantity, language: Language) -> &'static str {
    match quantity {
        Quantity::Temperature => language.pick("temperature", "温度"),
        Quantity::Power => language.pick("power", "功耗"),
        Quantity::PowerLimit => language.pick("power limit", "功耗上限"),
        Quantity::Energy => language.pick("energy counter", "能量计数"),
        Quantity::Utilisation => language.pick("utilisation", "利用率"),
        Quantity::MemoryUtilisation => language.pick("memory activity", "显存活动率"),
        Quantity::MemoryUsed => language.pick("video memory used", "已用显存"),
        Quantity::GraphicsClock => language.pick("graphics clock", "核心频率"),
        Quantity::MemoryClock => language.pick("memory clock", "显存频率"),
        Quantity::FanAsked => language.pick("fan duty asked for", "请求的风扇转速比"),
        Quantity::FanReported => language.pick("fan duty, as the driver reports", "驱动报告的风扇转速比"),
        Quantity::FanSpeed => language.pick("fan speed, as the driver reports", "驱动报告的风扇转速"),
        Quantity::Throttle => language.pick("throttle reasons", "降频原因"),
        Quantity::PerformanceState => language.pick("performance state", "性能状态"),
        Quantity::LinkGeneration => language.pick("PCIe generation", "PCIe 代数"),
        Quantity::LinkWidth => language.pick("PCIe lanes", "PCIe 通道数"),
        Quantity::PcieReplays => language.pick("PCIe packets sent again", "PCIe 重发次数"),
        Quantity::Tenancy => language.pick(
            "who has it (1 nobody, 2 a tenant, 4 the owner's own job, 8 somebody unknown)",
            "使用者（1 无，2 租户，4 自用，8 未知）",
        ),
    }
}

/// The heads of a table's columns.
pub(crate) const fn heads(folding: Folding, language: Language) -> [&'static str; 4] {
    match (folding, language) {
        (Folding::Extremes, Language::English) => ["time (UTC)", "least", "mean", "greatest"],
        (Folding::Bits, Language::English) => ["time (UTC)", "always", "mean", "sometime"],
        (Folding::Extremes, Language::Chinese) => ["时间（UTC）", "最小", "平均", "最大"],
        (Folding::Bits, Language::Chinese) => ["时间（UTC）", "始终", "平均", "曾有"],
    }
}

/// From what a table's rows are made, and how many gaps it has.
pub(crate) fn how_it_was_read(level: Level, step: Option<&str>, gaps: usize, language: Language) -> String {
    let from = match level {
        Level::Raw => language.pick("samples", "采样"),
        Level::Minute => language.pick("minutes", "分钟"),
        Level::Hour => language.pick("hours", "小时"),
    };
    match language {
        Language::English => {
            let rows =
                step.map_or_else(|| "a row each moment".to_owned(), |step| format!("a row each {step}"));
            let gaps = match gaps {
                0 => "no gap".to_owned(),
                1 => "1 gap".to_owned(),
                many => format!("{many} gaps"),
            };
            format!("{rows}, from {from}; {gaps}")
        }
        Language::Chinese => {
            let rows = step.map_or_else(|| "每个时刻一行".to_owned(), |step| format!("每 {step} 一行"));
            let gaps = if gaps == 0 { "无间断".to_owned() } else { format!("{gaps} 处间断") };
            format!("{rows}，取自{from}；{gaps}")
        }
    }
}

/// In place of a table.
pub(crate) const fn nothing_recorded(language: Language) -> &'static str {
    language.pick("nothing was recorded then", "该时段没有记录")
}

/// In place of a row's numbers.
pub(crate) const fn gap(language: Language) -> &'static str {
    language.pick("(gap)", "（间断）")
}

/// A program records just now.
pub(crate) const fn lacks_newest(language: Language) -> &'static str {
    language.pick(
        "Up to the last minute is not shown: the program that records still holds it in memory.",
        "最近至多一分钟的数据未显示：记录程序尚未将其写入磁盘。",
    )
}

/// What a check came to.
pub(crate) fn verified(verified: &Verified, language: Language) -> String {
    let Verified { sweeps, samples, minutes, hours, marks, .. } = verified;
    let findings = u64::try_from(verified.findings.len()).unwrap_or(u64::MAX).saturating_add(verified.more);
    match language {
        Language::English => {
            let result = match findings {
                0 => "Nothing is wrong".to_owned(),
                1 => "1 thing is wrong".to_owned(),
                many => format!("{many} things are wrong"),
            };
            format!(
                "{result}: read {sweeps} sweeps with {samples} values, {minutes} minutes, {hours} hours, {marks} marks."
            )
        }
        Language::Chinese => {
            let result = if findings == 0 {
                "没有问题".to_owned()
            } else {
                format!("发现 {findings} 处问题")
            };
            format!(
                "{result}：已读取 {sweeps} 次采集共 {samples} 个值、{minutes} 个分钟值、{hours} 个小时值、{marks} 个标记。"
            )
        }
    }
}

/// Findings that are not told one by one.
pub(crate) fn more_findings(more: u64, language: Language) -> String {
    match language {
        Language::English => format!("and {more} more"),
        Language::Chinese => format!("另有 {more} 处"),
    }
}

/// While the file is written anew.
pub(crate) const fn compacting(language: Language) -> &'static str {
    language.pick(
        "Writing history.db anew; Ctrl-C leaves it as it is.",
        "正在重写 history.db；按 Ctrl-C 可中止，文件保持原样。",
    )
}

/// While another program writes it anew.
pub(crate) const fn compacting_elsewhere(language: Language) -> &'static str {
    language.pick(
        "The program that records writes history.db anew; Ctrl-C stops waiting for it.",
        "记录程序正在重写 history.db；按 Ctrl-C 可停止等待。",
    )
}

/// It is not waited for any more.
pub(crate) const fn goes_on_elsewhere(language: Language) -> &'static str {
    language.pick("The program that records goes on with it.", "记录程序会继续完成。")
}

/// What writing it anew came to.
pub(crate) fn compacted(compacted: Compacted, language: Language) -> String {
    let [before, after] = [compacted.before, compacted.after].map(megabytes);
    match language {
        Language::English => format!("history.db: {before} MB before, {after} MB now."),
        Language::Chinese => format!("history.db：原为 {before} MB，现为 {after} MB。"),
    }
}

#[expect(clippy::cast_precision_loss, reason = "no file is larger than 2^53 bytes")]
fn megabytes(bytes: u64) -> String {
    format!("{:.2}", bytes as f64 / 1e6)
}

/// A damaged file had to make room for a new one first.
pub(crate) fn set_aside(path: &str, language: Language) -> String {
    match language {
        Language::English => {
            format!("history.db was damaged: it was set aside as {path}, and a new one begun.")
        }
        Language::Chinese => format!("history.db 已损坏：已移至 {path}，并新建了一个。"),
    }
}

/// There is none.
pub(crate) const fn none_yet(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("Nothing has been recorded yet.", "尚无任何记录。"),
        language.pick(
            "The rig is recorded while the window, fanfarectl serve or watch reads it: start one of them, and ask again in a minute.",
            "窗口、fanfarectl serve 或 watch 读取主机时会进行记录：请启动其中之一，一分钟后再试。",
        ),
    )
}

/// A newer program wrote it.
pub(crate) const fn newer(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("A newer Fanfare has written the history.", "历史记录由更新版本的 Fanfare 写入。"),
        language.pick("Update this one; the file was left untouched.", "请更新本程序；该文件未被改动。"),
    )
}

/// An older program wrote it.
pub(crate) const fn older(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("An older Fanfare has written the history.", "历史记录由旧版本的 Fanfare 写入。"),
        language.pick(
            "Start the window or fanfarectl serve once: that brings it up to date.",
            "请启动一次窗口或 fanfarectl serve，即可将其更新。",
        ),
    )
}

/// It cannot be read.
pub(crate) const fn damaged(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("The history is damaged.", "历史记录已损坏。"),
        language.pick(
            "If it cannot be opened, the next program that records sets it aside and begins a new one; closed hours of the energy \
             account lie in another file.",
            "若无法打开，下一个记录程序会将其移开并新建一个；已结算的用电小时保存在另一个文件中。",
        ),
    )
}

/// Another program has it.
pub(crate) const fn locked(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("Another program keeps the history locked.", "另一个程序锁定了历史记录。"),
        language.pick("Try again in a moment.", "请稍后重试。"),
    )
}

/// There is no room for it.
pub(crate) const fn full(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("The disk is full.", "磁盘已满。"),
        language.pick(
            "Make room and try again; the history is as it was.",
            "请腾出空间后重试；历史记录保持原样。",
        ),
    )
}

/// A name that means no card, or several.
pub(crate) const fn unknown_card(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("This names no card, or more than one.", "没有这张显卡，或不止一张。"),
        language.pick(
            "fanfarectl cards shows the cards with their numbers; a UUID may be shortened as long as it is the only one.",
            "fanfarectl cards 会列出显卡及其编号；UUID 可以缩写，但必须唯一。",
        ),
    )
}

/// A stretch of time without any.
pub(crate) const fn bad_range(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("The time to show ends before it begins.", "时间范围的结束早于开始。"),
        language.pick("Name an earlier --from or a later --to.", "请指定更早的 --from 或更晚的 --to。"),
    )
}

/// A file that is there.
pub(crate) const fn exists(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("The file is there already.", "该文件已存在。"),
        language.pick("Name another one, or add --force.", "请指定其他文件，或加上 --force。"),
    )
}

/// Another program tried in vain to write it anew.
pub(crate) const fn not_compacted(language: Language) -> (&'static str, &'static str) {
    (
        language.pick(
            "The program that records could not write history.db anew.",
            "记录程序未能重写 history.db。",
        ),
        language.pick(
            "It takes as much room again for a while, and nobody may read it for long: make room and try again.",
            "重写需要暂时占用同样大小的空间，且期间不能被长时间读取：请腾出空间后重试。",
        ),
    )
}

/// A folder, a device or a pipe.
pub(crate) const fn not_a_file(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("This is no file that could be written over.", "这不是可以覆盖的文件。"),
        language.pick(
            "Name another one, or leave --output out: then it goes to standard output.",
            "请指定其他文件，或省略 --output，改为写到标准输出。",
        ),
    )
}

/// A signal ended it.
pub(crate) const fn interrupted(language: Language) -> &'static str {
    language.pick("Stopped.", "已停止。")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_said_in_both_languages() {
        let found =
            Verified { sweeps: 7, samples: 9, findings: vec!["x".into()], more: 2, ..Verified::default() };
        assert!(
            verified(&found, Language::English)
                .starts_with("3 things are wrong: read 7 sweeps with 9 values")
        );
        assert!(verified(&found, Language::Chinese).starts_with("发现 3 处问题：已读取 7 次采集"));
        assert!(verified(&Verified::default(), Language::English).starts_with("Nothing is wrong"));
        assert_eq!(
            how_it_was_read(Level::Raw, None, 0, Language::English),
            "a row each moment, from samples; no gap"
        );
        assert_eq!(
            how_it_was_read(Level::Hour, Some("1 h"), 2, Language::Chinese),
            "每 1 h 一行，取自小时；2 处间断"
        );
        let compact = Compacted { before: 12_345_678, after: 8_000_000 };
        assert_eq!(compacted(compact, Language::English), "history.db: 12.35 MB before, 8.00 MB now.");
    }
}
