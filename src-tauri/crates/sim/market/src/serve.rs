//! The rig's side of a marketplace, over HTTP on the loopback address.
//!
//! Who rents a card is nothing that a driver knows; so it is told apart from the driver, as a platform would: `GET /rig/rentals`
//! answers [`fanfare_sim_state::RigUsage`] as JSON. The address is written to standard output, one line `http://127.0.0.1:PORT`, and
//! to `<state>.addr` beside the state, which goes when this goes. It ends when its standard input ends: whoever started it is gone
//! then.
//!
//! Bounds: 16 connections at once, further ones wait; one request a connection, whose head comes within 2 s and has 16 KiB at most;
//! no body is read. An answer takes some 50 µs, 2 s at most.

use std::{
    fs,
    io::{self, Write},
    net::Ipv4Addr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use axum::{Json, Router, extract::State, http::StatusCode, routing::get};
use fanfare_sim_state::{RigUsage, World};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    time::{sleep, timeout},
};

use crate::Failure;

/// Connections at once.
const CONNECTIONS: usize = 16;
/// How long a request's head may take, and how long its answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a connection may live: its head, its answer and the writing of that.
const CONNECTION: Duration = Duration::from_secs(6);
/// Longest head of a request, in bytes.
const HEAD: usize = 16_384;
/// Pause after the system handed out no connection, as when it is out of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until standard input ends.
pub(crate) fn run(world: World, port: u16) -> Result<(), Failure> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::Serve)?;
    let served = runtime.block_on(serve(world, port)).map_err(Failure::Serve);
    // A call that still waits for the rig's lock is left to the system.
    runtime.shutdown_background();
    served
}

async fn serve(world: World, port: u16) -> io::Result<()> {
    let ended = input_ended()?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let line = format!("http://{}\n", listener.local_addr()?);
    let file = with_suffix(world.path(), ".addr");
    let router = router(world);
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    tell(&line, &file)?;
    tokio::select! {
        () = accept(&listener, &router, &places) => {}
        _ = ended => {}
    }
    // Nobody answers there any more; another's address is not ours to take away.
    if fs::read_to_string(&file).is_ok_and(|told| told == line) {
        fs::remove_file(&file)?;
    }
    Ok(())
}

fn router(world: World) -> Router {
    Router::new().route("/rig/rentals", get(rentals)).with_state(Arc::new(world))
}

async fn rentals(State(world): State<Arc<World>>) -> Result<Json<RigUsage>, StatusCode> {
    let asked = tokio::task::spawn_blocking(move || world.usage());
    match timeout(PATIENCE, asked).await {
        Ok(Ok(Ok(usage))) => Ok(Json(usage)),
        _ => Err(StatusCode::SERVICE_UNAVAILABLE),
    }
}

async fn accept(listener: &TcpListener, router: &Router, places: &Arc<Semaphore>) {
    loop {
        // The place is taken before the connection: further ones wait in the system's queue.
        let Ok(place) = Arc::clone(places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(connection(stream, router.clone(), place));
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

async fn connection(stream: TcpStream, router: Router, _place: OwnedSemaphorePermit) {
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .keep_alive(false)
        .max_buf_size(HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    // A client that goes away or talks nonsense is its own affair.
    let _ = timeout(CONNECTION, served).await;
}

/// Writes the address where it is looked for: whole or not at all, and before anybody is told.
fn tell(line: &str, file: &Path) -> io::Result<()> {
    let draft = with_suffix(file, ".new");
    fs::write(&draft, line)?;
    fs::rename(&draft, file)?;
    let mut out = io::stdout().lock();
    out.write_all(line.as_bytes())?;
    out.flush()
}

/// Ready when standard input has ended. What comes over it is nothing.
fn input_ended() -> io::Result<oneshot::Receiver<()>> {
    let (tell, ended) = oneshot::channel();
    let wait = move || {
        // However it ends, by its end or by an error: nobody is there any more. Nor if nobody waits for this.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        let _ = tell.send(());
    };
    std::thread::Builder::new().name("input".into()).spawn(wait)?;
    Ok(ended)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
