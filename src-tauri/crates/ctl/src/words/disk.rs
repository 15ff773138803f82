//! What became of what must be remembered, in words.

use fanfare_engine::{Disk, FileHealth, Unstored};

use super::Language;

/// A sentence for each thing that is not as it should be, with the next step.
pub(crate) fn disk(disk: &Disk, language: Language) -> Vec<String> {
    let unstored = disk.unstored.as_ref().map(|unstored| match unstored {
        Unstored::Newer(detail) => newer(detail, language),
        Unstored::Refused(detail) => refused(detail, language),
    });
    let set_aside = disk.set_aside.as_deref().map(|file| set_aside(file, language));
    let settings_reset = (!disk.settings_reset.is_empty()).then(|| settings_reset(language).to_owned());
    let ledger = file(&disk.ledger, &LEDGER, language);
    let history = file(&disk.history, &HISTORY, language);
    [unstored, set_aside, settings_reset].into_iter().chain(ledger).chain(history).flatten().collect()
}

/// What is said of one more file, in English and in Chinese; `{}` stands for the error's own words.
struct File {
    newer: [&'static str; 2],
    refused: [&'static str; 2],
    set_aside: [&'static str; 2],
}

const HISTORY: File = File {
    newer: [
        "A newer Fanfare has written the history: update this one; until then nothing is recorded ({})",
        "历史记录由更新版本的 Fanfare 写入：请更新本程序；在此之前不会记录任何读数（{}）",
    ],
    refused: [
        "What is read cannot be recorded: see that the data directory can be written and has room ({})",
        "读数无法记录：请检查数据目录是否可写、是否有空间（{}）",
    ],
    set_aside: [
        "The history was damaged: it was set aside and began anew ({})",
        "历史记录已损坏：已将其移开，重新开始记录（{}）",
    ],
};

const LEDGER: File = File {
    newer: [
        "A newer Fanfare has written the ledger: update this one; until then no hour of energy is kept ({})",
        "账本由更新版本的 Fanfare 写入：请更新本程序；在此之前不会保存电量（{}）",
    ],
    refused: [
        "Closed hours of energy cannot be kept: see that the data directory can be written and has room ({})",
        "每小时的电量无法保存：请检查数据目录是否可写、是否有空间（{}）",
    ],
    set_aside: [
        "The ledger was damaged: it was set aside and began anew; copies of it lie beside it ({})",
        "账本已损坏：已将其移开，重新开始记账；其备份在同一目录中（{}）",
    ],
};

fn file(health: &FileHealth, words: &File, language: Language) -> [Option<String>; 2] {
    let said = |[english, chinese]: [&'static str; 2], detail: &str| {
        language.pick(english, chinese).replace("{}", detail)
    };
    let unstored = health.unstored.as_ref().map(|unstored| match unstored {
        Unstored::Newer(detail) => said(words.newer, detail),
        Unstored::Refused(detail) => said(words.refused, detail),
    });
    [unstored, health.set_aside.as_deref().map(|aside| said(words.set_aside, aside))]
}

fn newer(detail: &str, language: Language) -> String {
    match language {
        Language::English => format!(
            "A newer Fanfare has written the settings and the list of cards: update this one; until then nothing is kept ({detail})"
        ),
        Language::Chinese => {
            format!(
                "设置和显卡清单由更新版本的 Fanfare 写入：请更新本程序；在此之前不会保存任何内容（{detail}）"
            )
        }
    }
}

fn refused(detail: &str, language: Language) -> String {
    match language {
        Language::English => format!(
            "The list of cards cannot be kept on disk: see that the data directory can be written and has room ({detail})"
        ),
        Language::Chinese => {
            format!("显卡清单无法保存到磁盘：请检查数据目录是否可写、是否有空间（{detail}）")
        }
    }
}

fn set_aside(file: &str, language: Language) -> String {
    match language {
        Language::English => format!(
            "The file with settings and cards was damaged: it was set aside, and settings and the list of cards began anew ({file})"
        ),
        Language::Chinese => {
            format!("保存设置和显卡的文件已损坏：已将其移开，设置和显卡清单从头开始（{file}）")
        }
    }
}

const fn settings_reset(language: Language) -> &'static str {
    language.pick(
        "Damaged settings have their defaults again: see Settings in the window",
        "损坏的设置已恢复默认：请在窗口的“设置”中查看",
    )
}

#[cfg(test)]
mod tests {
    use fanfare_engine::settings::Section;

    use super::*;

    #[test]
    fn all_is_well_in_no_words_and_each_trouble_in_its_own() {
        assert_eq!(disk(&Disk::default(), Language::English), [""; 0]);
        let all = Disk {
            unstored: Some(Unstored::Newer("version 99".into())),
            set_aside: Some("/data/state.db.damaged".into()),
            settings_reset: vec![Section::Money],
            ..Disk::default()
        };
        let said = disk(&all, Language::English);
        assert_eq!(said.len(), 3);
        assert!(said[0].contains("update this one") && said[0].contains("version 99"), "{said:?}");
        assert!(said[1].contains("began anew") && said[1].contains("/data/state.db.damaged"), "{said:?}");
        let both = FileHealth {
            unstored: Some(Unstored::Refused("disk is full".into())),
            set_aside: Some("/data/x.db.damaged".into()),
        };
        let files = Disk { history: both.clone(), ledger: both, ..Disk::default() };
        let said = disk(&files, Language::English);
        assert_eq!(said.len(), 4);
        assert!(said[0].contains("energy cannot be kept") && said[0].ends_with("(disk is full)"), "{said:?}");
        assert!(said[2].contains("cannot be recorded") && said[2].ends_with("(disk is full)"), "{said:?}");
        assert!(disk(&files, Language::Chinese)[3].contains("历史记录已损坏"));
        let refused = Disk { unstored: Some(Unstored::Refused("disk is full".into())), ..Disk::default() };
        assert!(disk(&refused, Language::Chinese)[0].contains("是否有空间（disk is full）"));
    }
}
