use fanfare_units::DayCut;
use jiff::civil::date;
use tempfile::tempdir;

use super::*;
use crate::{
    Quantity, Recorder, Retention,
    fixtures::{MIDNIGHT, Rig, extremes, from_level, power, power_between, recorder},
};

const RIG: Rig = Rig::at_midnight();
const HOUR: u64 = 3_600;
const DAY: u64 = 24 * HOUR;

/// How many sweeps an answer's first curve stands for.
fn counted(answer: &Answer) -> u32 {
    answer.curves[0].points.iter().flatten().map(|fold| fold.count).sum()
}

#[test]
fn what_waits_in_memory_is_answered_with_what_is_written_and_sealed() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 0..HOUR + 70);
    assert!(recorder.held() > 0);
    let answer = recorder.query(&power_between(&RIG, HOUR - 30, HOUR + 70, 2_000)).unwrap();
    let expected: Vec<_> = (3_570..3_670).map(|second| (second, Some((second, second)))).collect();
    assert_eq!((extremes(&RIG, &answer), answer.level, answer.step), (expected, Level::Raw, None));
}

#[test]
fn a_day_of_seconds_is_two_thousand_points_that_lose_no_second() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 0..DAY);
    let answer = recorder.query(&power_between(&RIG, 0, DAY, 2_000)).unwrap();
    assert_eq!((answer.level, answer.step), (Level::Raw, Some(Duration::from_millis(43_200))));
    assert_eq!((answer.times_us.len(), counted(&answer)), (2_000, 86_400));
    let points = extremes(&RIG, &answer);
    // Steps of 43.2 s: seconds 0 to 43, then 44 to 86; the last begins at 86,356.8.
    assert_eq!((points[0], points[1]), ((0, Some((0, 43))), (43, Some((44, 86)))));
    assert_eq!(points[1_999], (86_356, Some((86_357, 86_399))));
    // The same day from its minutes, and from its hours.
    let minutes = recorder.query(&power_between(&RIG, 0, DAY, 1_440)).unwrap();
    assert_eq!((minutes.level, counted(&minutes)), (Level::Minute, 86_400));
    assert_eq!(extremes(&RIG, &minutes)[1_439], (86_340, Some((86_340, 86_399))));
    let hours = recorder.query(&power_between(&RIG, 0, DAY, 24)).unwrap();
    assert_eq!((hours.level, counted(&hours)), (Level::Hour, 86_400));
    assert_eq!(extremes(&RIG, &hours)[23], (82_800, Some((82_800, 86_399))));
    assert!((hours.curves[0].points[0].unwrap().mean() - 1_799.5).abs() < 1e-9);
}

#[test]
fn a_spike_of_one_second_in_a_year_stays_visible_and_a_hole_stays_a_hole() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    recorder.flush_lazily();
    // A year of a sweep each six hours, without the days 100 to 129; a spike in day 300.
    let rig = Rig { every: 6 * HOUR, ..RIG };
    let sweeps = (0..365 * 4).map(|n| n * 6 * HOUR).filter(|second| !(100..130).contains(&(second / DAY)));
    for second in sweeps {
        recorder.record(&rig.sweep(second, &[(power(), Some(50_000))])).unwrap();
        if second == 300 * DAY {
            recorder.record(&rig.sweep(second + 1_234, &[(power(), Some(115_000))])).unwrap();
        }
    }
    recorder.flush().unwrap();
    assert_eq!(recorder.verify().unwrap().findings, Vec::<String>::new());
    for level in [Level::Minute, Level::Hour] {
        let question = from_level(level, power_between(&rig, 0, 365 * DAY, 2_000));
        let answer = recorder.query(&question).unwrap();
        assert!(answer.times_us.len() <= 2_000);
        assert_eq!(counted(&answer), 335 * 4 + 1, "{level:?}");
        let points = extremes(&rig, &answer);
        let spikes: Vec<_> = points
            .iter()
            .filter(|(_, point)| *point == Some((115_000, 115_000)) || *point == Some((50_000, 115_000)))
            .collect();
        assert_eq!(spikes.len(), 1, "{level:?}");
        assert!((spikes[0].0 - 300 * 86_400).abs() <= 15_768, "within its step: {spikes:?}");
        // The thirty days are one time without a value; nothing stands between 99 d 18 h and 130 d but it.
        let hole: Vec<_> = points
            .iter()
            .filter(|(s, _)| (99 * 86_400 + 70_000..130 * 86_400 - 20_000).contains(s))
            .collect();
        assert!(hole.iter().all(|(_, point)| point.is_none()) && !hole.is_empty(), "{level:?}: {hole:?}");
    }
}

#[test]
fn where_samples_are_gone_minutes_serve_and_where_those_are_gone_hours() {
    let folder = tempdir().unwrap();
    let retention = Retention { raw_days: 1, minute_days: 2 };
    let mut recorder = Recorder::open(folder.path(), retention, Timestamp::UNIX_EPOCH).unwrap().recorder;
    let rig = Rig { every: 600, ..RIG };
    rig.run(&mut recorder, 0..5 * DAY + 600);
    // Day 1 has hours alone, day 3 minutes, the last day samples.
    let day_1 = recorder.query(&power_between(&rig, DAY, DAY + 2 * HOUR, 2_000)).unwrap();
    assert_eq!(
        extremes(&rig, &day_1),
        [(86_400, Some((86_400, 89_400))), (90_000, Some((90_000, 93_000)))],
        "an hour stands for six sweeps"
    );
    let day_3 = recorder.query(&power_between(&rig, 3 * DAY, 3 * DAY + HOUR, 2_000)).unwrap();
    // One sweep in ten minutes: the minutes between have none, and are gaps.
    assert_eq!(extremes(&rig, &day_3).iter().filter(|(_, point)| point.is_some()).count(), 6);
    assert_eq!(counted(&day_3), 6);
    // Over the borders each sweep counts once, whatever it is read from.
    let all = recorder.query(&from_level(Level::Raw, power_between(&rig, 0, 5 * DAY, 2_000))).unwrap();
    assert_eq!(counted(&all), 5 * 144);
    let all = recorder.query(&from_level(Level::Minute, power_between(&rig, 0, 5 * DAY, 2_000))).unwrap();
    assert_eq!(counted(&all), 5 * 144);
    let all = recorder.query(&power_between(&rig, 0, 5 * DAY, 5)).unwrap();
    assert_eq!((all.level, counted(&all)), (Level::Hour, 5 * 144));
}

#[test]
fn many_series_are_answered_on_the_same_times() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    let heat = Series::new("GPU-1", Quantity::Temperature);
    let why = Series::new("GPU-1", Quantity::Throttle);
    let never = Series::new("GPU-9", Quantity::Power);
    for second in 0..2 * HOUR {
        let throttled = if second == 1_800 { 0x2c } else { 0x4 };
        let value = i64::try_from(second).unwrap();
        let values = [
            (power(), Some(value)),
            (heat.clone(), (second >= HOUR).then_some(60)),
            (why.clone(), Some(throttled)),
        ];
        recorder.record(&RIG.sweep(second, &values)).unwrap();
    }
    let series = vec![heat, never, why, power()];
    for (points, level) in [(1_000, Level::Raw), (120, Level::Minute), (2, Level::Hour)] {
        let question = Question { series: series.clone(), ..power_between(&RIG, 0, 2 * HOUR, points) };
        let answer = recorder.query(&question).unwrap();
        assert_eq!((answer.level, answer.times_us.len()), (level, points));
        let curve = |n: usize| &answer.curves[n].points;
        let half = points / 2;
        assert!(curve(0)[..half].iter().all(Option::is_none) && curve(0)[half..].iter().all(Option::is_some));
        assert!(curve(1).iter().all(Option::is_none));
        // The bits of one second are there, and those that all seconds have.
        let bits: Vec<_> = curve(2).iter().flatten().map(|fold| (fold.min, fold.max)).collect();
        assert_eq!(bits.iter().filter(|bits| **bits == (0x4, 0x2c)).count(), 1, "{level:?}");
        assert_eq!(bits.iter().filter(|bits| **bits == (0x4, 0x4)).count(), points - 1);
        assert_eq!(curve(3).iter().flatten().map(|fold| fold.max).max(), Some(7_199));
    }
}

#[test]
fn a_card_that_fell_silent_for_minutes_has_a_gap_at_every_level() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 0..600);
    RIG.run(&mut recorder, 1_200..3_700);
    for (points, level) in [(2_000, Level::Raw), (300, Level::Raw), (60, Level::Minute)] {
        let answer = recorder.query(&power_between(&RIG, 0, HOUR, points)).unwrap();
        assert_eq!(answer.level, level);
        let points = extremes(&RIG, &answer);
        let gaps: Vec<_> = points.iter().filter(|(_, point)| point.is_none()).collect();
        assert_eq!(gaps.len(), 1, "{level:?}: {gaps:?}");
        assert!((599..1_200).contains(&gaps[0].0), "{level:?}: {gaps:?}");
    }
}

#[test]
fn seconds_that_jitter_leave_no_false_gap() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    // Sweeps of one second that come up to 400 ms late.
    for second in 0..3_000_u64 {
        let mut sweep = RIG.sweep(second, &[(power(), Some(1))]);
        let late = Duration::from_millis(second * 7_919 % 400);
        sweep.at.boottime = fanfare_units::Boottime::since_boot(Duration::from_secs(second) + late);
        sweep.at.wall += late;
        recorder.record(&sweep).unwrap();
    }
    // 1,500 moments as they are; 3,000 in steps of 1.5 s.
    for (to, points) in [(1_500, 1_500), (3_000, 2_000)] {
        let answer = recorder.query(&power_between(&RIG, 0, to, 2_000)).unwrap();
        assert!(answer.curves[0].points.iter().all(Option::is_some), "{to}");
        assert_eq!((answer.times_us.len(), u64::from(counted(&answer))), (points, to));
    }
}

#[test]
fn a10_a_day_has_as_many_hours_as_its_zone_gives_it() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    recorder.flush_lazily();
    // A sweep every ten minutes from 2024-03-29 to 04-02 and from 10-25 to 10-29, UTC.
    for (boot, begun) in [('a', "2024-03-29T00:00:00Z"), ('b', "2024-10-25T00:00:00Z")] {
        let booted = begun.parse::<Timestamp>().unwrap().as_second();
        Rig { boot, booted, every: 600, ..RIG }.run(&mut recorder, 0..4 * DAY);
    }
    recorder.flush().unwrap();
    for (zone, day, hours) in [
        ("Europe/Paris", date(2024, 10, 27), 25),
        ("Europe/Paris", date(2024, 3, 31), 23),
        ("Asia/Shanghai", date(2024, 10, 27), 24),
        ("Asia/Shanghai", date(2024, 3, 31), 24),
    ] {
        let (from, to) = DayCut::new(zone, 0).unwrap().bounds(day).unwrap();
        let question = Question { series: vec![power()], from, to, points: hours, level: None };
        let answer = recorder.query(&question).unwrap();
        assert_eq!((answer.level, answer.times_us.len()), (Level::Hour, hours), "{zone} {day}");
        assert!(answer.curves[0].points.iter().all(|point| point.is_some_and(|fold| fold.count == 6)));
    }
}

#[test]
fn a_question_of_nothing_is_answered_with_nothing() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    RIG.run(&mut recorder, 0..100);
    let backwards = Question { from: RIG.wall(50), to: RIG.wall(10), ..power_between(&RIG, 0, 0, 100) };
    let elsewhere = power_between(&Rig { booted: MIDNIGHT + 864_000, ..RIG }, 0, 100, 100);
    let no_points = power_between(&RIG, 0, 0, 0);
    for question in [backwards, elsewhere, no_points] {
        let answer = recorder.query(&question).unwrap();
        assert_eq!((answer.times_us.len(), answer.curves.len()), (0, 1), "{question:?}");
    }
    // No points is one, and more than the most is the most.
    let one = Question { points: 0, ..power_between(&RIG, 0, 100, 0) };
    assert_eq!(recorder.query(&one).unwrap().times_us.len(), 1);
}

#[test]
fn who_has_a_card_is_recorded_as_bits() {
    let folder = tempdir().unwrap();
    let mut recorder = recorder(folder.path());
    let tenancy = Series::new("GPU-1", Quantity::Tenancy);
    for (second, bits) in [(0, 1), (1, 2), (2, 2)] {
        recorder.record(&RIG.sweep(second, &[(tenancy.clone(), Some(bits))])).unwrap();
    }
    let minute = from_level(Level::Minute, power_between(&RIG, 0, 60, 1));
    let question = Question { series: vec![tenancy], ..minute };
    let answer = recorder.query(&question).unwrap();
    // Free and rented within a minute: no bit that all have, both that any has.
    let point = answer.curves[0].points[0].unwrap();
    assert_eq!((point.min, point.max, point.count), (0, 3, 3));
}
