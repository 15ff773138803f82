//! `history_query_vs_prometheus`: a day of one quantity of one card, as 2,000 pairs of the least and the greatest.
//!
//! Ours is the engine's answer as the page gets it, through the request that serves the page, in bytes. Theirs is the text of two
//! questions over HTTP, one for the least and one for the greatest, less a question that nothing answers: that takes the cost of
//! HTTP away.

use std::{path::Path, time::Instant};

use fanfare_engine::{
    Hub,
    api::{CourseQuestion, Reply, Request},
    profile::Profile,
};
use fanfare_history::Quantity;
use fanfare_testkit::{SimRig, hub_setup};
use reqwest::Client;

use super::{
    day::{DAY_S, Day, QUANTITIES},
    prometheus::{Blocks, Server, metric},
};
use crate::{failure::Failure, figure::Figure, rounds::ROUNDS};

/// Points of the answer.
const POINTS: u32 = 2_000;
/// Answers of a round; a side counts by its fastest.
const TRIES: usize = 10;

/// The figure.
pub(super) fn measure(history: &Path, blocks: &Blocks, day: &Day) -> Result<Figure, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let rounds = runtime.block_on(rounds(history, blocks, day))?;
    let how = "a day of one quantity of one card as 2,000 times with least and greatest: the engine's answer as the page gets it, \
               against min_over_time and max_over_time by query_range over HTTP on one connection, less a query that nothing \
               answers; the fastest of ten a round";
    Ok(Figure::beside("history_query_vs_prometheus", &rounds, 0.5, "ms", how))
}

async fn rounds(history: &Path, blocks: &Blocks, day: &Day) -> Result<Vec<(f64, f64)>, Failure> {
    let rig = SimRig::still();
    let hub = Hub::start(hub_setup(history, Profile::Demo, rig.probe()))
        .map_err(|error| Failure::Engine(error.to_string()))?;
    let server = blocks.serve()?;
    let client = Client::builder().no_proxy().build()?;
    server.ready(&client).await?;
    let (ours, theirs) = (
        Ours { hub, question: question(day)? },
        Theirs { server, client, begin_ms: day.begin().as_millisecond() },
    );
    ours.warm().await?;
    let mut rounds = Vec::with_capacity(ROUNDS);
    for round in 0..ROUNDS {
        let pair = if round % 2 == 0 {
            let ours = ours.fastest().await?;
            (ours, theirs.fastest().await?)
        } else {
            let theirs = theirs.fastest().await?;
            (ours.fastest().await?, theirs)
        };
        rounds.push(pair);
    }
    ours.hub.stop().await;
    Ok(rounds)
}

fn question(day: &Day) -> Result<CourseQuestion, Failure> {
    let card = day.cards.first().ok_or(Failure::NoSweeps)?;
    let begin_ms = day.begin().as_millisecond();
    Ok(CourseQuestion {
        uuids: vec![card.parse().map_err(|_| Failure::NoSweeps)?],
        quantities: vec![Quantity::Power],
        from_ms: begin_ms,
        to_ms: begin_ms + i64::try_from(DAY_S).unwrap_or(0) * 1_000,
        points: POINTS,
    })
}

struct Ours {
    hub: Hub,
    question: CourseQuestion,
}

impl Ours {
    /// Asks until the history is open.
    async fn warm(&self) -> Result<(), Failure> {
        let deadline = Instant::now() + std::time::Duration::from_secs(30);
        while self.ask().await.is_err() {
            if Instant::now() > deadline {
                return Err(Failure::Engine("the history does not answer".into()));
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        Ok(())
    }

    async fn ask(&self) -> Result<f64, Failure> {
        let begun = Instant::now();
        let reply = self.hub.ask(Request::Course { question: self.question.clone() }).await;
        let took = begun.elapsed().as_secs_f64() * 1e3;
        match reply {
            // A head, and 2,000 times with a least, a greatest, a mean and a byte each.
            Ok(Reply::Course { block }) if block.0.len() == 24 + 2_000 * 33 => Ok(took),
            other => Err(Failure::Engine(format!("no day was answered: {:?}", other.err()))),
        }
    }

    async fn fastest(&self) -> Result<f64, Failure> {
        let mut fastest = f64::MAX;
        for _ in 0..TRIES {
            fastest = fastest.min(self.ask().await?);
        }
        Ok(fastest)
    }
}

struct Theirs {
    server: Server,
    client: Client,
    begin_ms: i64,
}

impl Theirs {
    async fn fastest(&self) -> Result<f64, Failure> {
        let power = QUANTITIES
            .iter()
            .position(|quantity| *quantity == Quantity::Power)
            .map_or_else(String::new, metric);
        let mut fastest = f64::MAX;
        for _ in 0..TRIES {
            let least = self.ask(&format!("min_over_time({power}{{c=\"0\"}}[43s200ms])"), 2_000).await?;
            let greatest = self.ask(&format!("max_over_time({power}{{c=\"0\"}}[43s200ms])"), 2_000).await?;
            let nothing = self.ask("min_over_time(nothing[43s200ms])", 0).await?;
            fastest = fastest.min(least + greatest - nothing);
        }
        Ok(fastest)
    }

    /// How long one question takes, whose answer has so many points.
    async fn ask(&self, query: &str, points: usize) -> Result<f64, Failure> {
        let second = |ms: i64| format!("{}.{:03}", ms / 1_000, ms % 1_000);
        let (start, end) =
            (self.begin_ms + 43_200, self.begin_ms + i64::try_from(DAY_S).unwrap_or(0) * 1_000);
        let (start, end) = (second(start), second(end));
        let url = reqwest::Url::parse_with_params(
            &format!("{}/api/v1/query_range", self.server.address),
            [("query", query), ("start", &start), ("end", &end), ("step", "43.2")],
        )
        .map_err(|error| Failure::Peer(error.to_string()))?;
        let begun = Instant::now();
        let answer = self.client.get(url).send().await?.bytes().await?;
        let took = begun.elapsed().as_secs_f64() * 1e3;
        let told: serde_json::Value = serde_json::from_slice(&answer)?;
        let values = told["data"]["result"][0]["values"].as_array().map_or(0, Vec::len);
        if told["status"] != "success" || values != points {
            return Err(Failure::Peer(String::from_utf8_lossy(&answer).chars().take(300).collect()));
        }
        Ok(took)
    }
}
