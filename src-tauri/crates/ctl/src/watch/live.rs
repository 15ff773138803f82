//! The live table on a terminal.
//!
//! It is drawn on the alternate screen, and only cells that changed are written, so that it does not flicker and leaves nothing
//! behind. It is redrawn when a sweep comes and when the window changes its size, never by a timer.

use crossterm::event::{Event, EventStream, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use fanfare_engine::profile::Profile;
use futures_util::{FutureExt, StreamExt};
use ratatui::DefaultTerminal;

use crate::{
    failure::Failure,
    leaving::Leaving,
    news::RigNews,
    session::Session,
    table::RigTable,
    view::{RigView, is_simulated},
    words::{self, Language},
};

/// Watches until the user leaves, `count` sweeps were shown, or there is nothing to watch.
pub(crate) async fn watch(
    session: &mut Session,
    count: Option<u64>,
    language: Language,
) -> Result<(), Failure> {
    // Restored on every way out, a panic included.
    let mut terminal = ratatui::try_init()?;
    let watched = match Screen::new(&mut terminal, session.profile, count, language) {
        Ok(screen) => screen.run(session).await,
        Err(failure) => Err(failure),
    };
    ratatui::restore();
    watched
}

struct Screen<'a> {
    terminal: &'a mut DefaultTerminal,
    keys: EventStream,
    leaving: Leaving,
    left: u64,
    profile: Profile,
    language: Language,
    view: Option<RigView>,
    silence: Option<String>,
}

impl<'a> Screen<'a> {
    fn new(
        terminal: &'a mut DefaultTerminal,
        profile: Profile,
        count: Option<u64>,
        language: Language,
    ) -> Result<Self, Failure> {
        Ok(Self {
            terminal,
            keys: EventStream::new(),
            leaving: Leaving::new()?,
            left: count.unwrap_or(u64::MAX),
            profile,
            language,
            view: None,
            silence: None,
        })
    }

    async fn run(mut self, session: &mut Session) -> Result<(), Failure> {
        while self.left > 0 {
            self.draw()?;
            tokio::select! {
                news = session.next() => self.take(news?),
                key = self.keys.next().fuse() => match key {
                    Some(Ok(Event::Key(key))) if leaves(key) => return Ok(()),
                    // A new size, or a key that means nothing: the loop draws again.
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return Err(error.into()),
                    None => return Ok(()),
                },
                () = self.leaving.asked() => return Ok(()),
            }
        }
        self.draw()
    }

    fn take(&mut self, news: RigNews) {
        match news {
            RigNews::View(view) => {
                self.view = Some(*view);
                self.silence = None;
                self.left -= 1;
            }
            RigNews::Quiet(why, span) => {
                self.silence = Some(words::quiet(&why, span.as_secs(), self.language));
            }
        }
    }

    fn draw(&mut self) -> Result<(), Failure> {
        let (profile, language, silence) = (self.profile, self.language, self.silence.clone());
        let view = self.view.as_ref();
        self.terminal.draw(|frame| match view {
            Some(view) => {
                let table = RigTable {
                    view,
                    simulated: is_simulated(profile, view),
                    language,
                    silence,
                    foot: Some(words::leave(language)),
                };
                frame.render_widget(&table, frame.area());
            }
            None => {
                let words = silence.unwrap_or_else(|| words::waiting(language).into());
                frame.render_widget(words, frame.area());
            }
        })?;
        Ok(())
    }
}

fn leaves(key: KeyEvent) -> bool {
    let interrupt = key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
    key.kind != KeyEventKind::Release && (interrupt || matches!(key.code, KeyCode::Char('q') | KeyCode::Esc))
}
