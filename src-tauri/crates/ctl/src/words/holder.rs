//! Words about the program that holds the data directory.

use fanfare_engine::{
    api::{Holder, Kind},
    hold::HeldBy,
};

use super::Language;

/// The program, by what it is.
const fn kind(kind: Kind, language: Language) -> &'static str {
    match kind {
        Kind::Window => language.pick("the window", "窗口"),
        // Between Chinese words stands a blank on either side.
        Kind::Serve => language.pick("fanfarectl serve", " fanfarectl serve "),
        Kind::Command => language.pick("fanfarectl", " fanfarectl "),
    }
}

/// Nobody holds it.
pub(crate) fn free(directory: &str, language: Language) -> String {
    match language {
        Language::English => format!("No program reads the rig ({directory})."),
        Language::Chinese => format!("没有程序在读取主机（{directory}）。"),
    }
}

/// Somebody holds it.
pub(crate) fn held_by(directory: &str, by: &HeldBy, language: Language) -> String {
    let (pid, version, since) =
        (by.holder.pid, &by.holder.version, by.since.strftime("%Y-%m-%d %H:%M:%S UTC"));
    let kind = kind(by.holder.kind, language);
    match language {
        Language::English => {
            format!("Read by {kind}, process {pid}, version {version}, since {since} ({directory}).")
        }
        Language::Chinese => {
            format!("由{kind}读取，进程 {pid}，版本 {version}，始于 {since}（{directory}）。")
        }
    }
}

/// Somebody holds it who has not said who it is.
pub(crate) fn unnamed(directory: &str, language: Language) -> String {
    match language {
        Language::English => format!("A program that has not said which it is holds {directory}."),
        Language::Chinese => format!("某个未表明身份的程序占用着 {directory}。"),
    }
}

/// This program holds it.
pub(crate) fn serving(directory: &str, language: Language) -> String {
    match language {
        Language::English => format!("fanfarectl serve: reading the rig ({directory})"),
        Language::Chinese => format!("fanfarectl serve：正在读取主机（{directory}）"),
    }
}

/// Another program holds the data directory.
pub(crate) const fn held(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("Another program reads this rig already.", "另一个程序已在读取这台主机。"),
        language.pick(
            "Use that one, or end it first; fanfarectl status names it.",
            "请使用该程序，或先将其结束；fanfarectl status 会指出是哪一个。",
        ),
    )
}

/// It is another user's.
pub(crate) const fn other_user(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("A program of another user reads this rig.", "其他用户的程序正在读取这台主机。"),
        language.pick(
            "Run this as that user, or name a data directory of your own with --data-dir.",
            "请以该用户身份运行，或用 --data-dir 指定自己的数据目录。",
        ),
    )
}

/// The data are another user's.
pub(crate) const fn anothers_data(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("These data are another user's.", "这些数据属于其他用户。"),
        language.pick(
            "Run this as that user, or name a data directory of your own with --data-dir.",
            "请以该用户身份运行，或用 --data-dir 指定自己的数据目录。",
        ),
    )
}

/// It is of another version.
pub(crate) const fn other_version(language: Language) -> (&'static str, &'static str) {
    (
        language.pick(
            "The program that reads this rig is of another version.",
            "正在读取这台主机的程序是另一个版本。",
        ),
        language.pick(
            "End it and start it again, so that both are of the version that is installed.",
            "请将其结束并重新启动，使两者均为已安装的版本。",
        ),
    )
}

/// It does not answer.
pub(crate) const fn no_answer(language: Language) -> (&'static str, &'static str) {
    (
        language.pick("The program that reads this rig does not answer.", "正在读取这台主机的程序没有应答。"),
        language.pick(
            "fanfarectl status names it; end it, and try again.",
            "fanfarectl status 会指出是哪一个；请将其结束后重试。",
        ),
    )
}

/// It says nothing: what that is, and the next step for a program that has ended by then.
pub(crate) fn silent(holder: &Holder, language: Language) -> (String, String) {
    let (who, pid) = (named(holder, language), holder.pid);
    match language {
        Language::English => (
            format!("The program that reads this rig does not answer: {who}."),
            format!("Let it go on with kill -CONT {pid}, or end it with kill -KILL {pid}; then try again."),
        ),
        Language::Chinese => (
            format!("正在读取这台主机的程序没有应答：{who}。"),
            format!("请用 kill -CONT {pid} 让它继续，或用 kill -KILL {pid} 将其结束；然后重试。"),
        ),
    }
}

/// It says nothing any more, while this program looks on.
pub(crate) fn fell_silent(holder: &Holder, seconds: u64, language: Language) -> String {
    let (who, pid) = (named(holder, language), holder.pid);
    match language {
        Language::English => format!(
            "The program that reads the rig does not answer ({who}); values are {seconds} s old. Let it go on with \
             kill -CONT {pid}, or end it with kill -KILL {pid}: then this one takes over."
        ),
        Language::Chinese => format!(
            "读取主机的程序没有应答（{who}）；数值已是 {seconds} 秒前的。请用 kill -CONT {pid} 让它继续，\
             或用 kill -KILL {pid} 将其结束：随后由本程序接手。"
        ),
    }
}

/// The program and its process.
fn named(holder: &Holder, language: Language) -> String {
    let (kind, pid) = (kind(holder.kind, language).trim(), holder.pid);
    match language {
        Language::English => format!("{kind}, process {pid}"),
        Language::Chinese => format!("{kind}，进程 {pid}"),
    }
}

/// There is none just now.
pub(crate) fn no_holder(seconds: u64, language: Language) -> String {
    match language {
        Language::English => format!("No program reads the rig just now; values are {seconds} s old"),
        Language::Chinese => format!("目前没有程序读取主机；数值已是 {seconds} 秒前的"),
    }
}

/// An interval was asked for where another program sets it.
pub(crate) const fn pace_is_its_own(language: Language) -> &'static str {
    language.pick(
        "Another program reads the rig, at a pace of its own: --interval-ms has no effect.",
        "另一个程序正以自己的节奏读取主机：--interval-ms 不起作用。",
    )
}
