//! The search for the intensity from which on a structure comes down.

use drystone_analysis::words::counted;

use crate::job::Outcome;

/// What is known of an intensity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tried {
    Stands,
    Collapses,
    /// Its run failed: it tells nothing, and nothing more is to be learnt there.
    Failed,
    /// Its run has not ended.
    Open,
}

impl Tried {
    /// By the outcome of its run, where it has ended.
    pub(super) fn of(outcome: Option<&Outcome>) -> Self {
        let Some(outcome) = outcome else {
            return Self::Open;
        };
        match has_collapsed(outcome) {
            Some(true) => Self::Collapses,
            Some(false) => Self::Stands,
            None => Self::Failed,
        }
    }
}

/// Whether a run tells that the structure came down.
pub(super) fn has_collapsed(outcome: &Outcome) -> Option<bool> {
    outcome.flag("collapsed")
}

/// What a search for the first intensity of collapse has found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Enclosed {
    /// The highest intensity below the first collapse at which it stood.
    pub(super) stands: Option<f64>,
    /// The lowest intensity at which it collapsed.
    pub(super) collapses: Option<f64>,
    /// Intensities whose runs failed: the search went round them.
    pub(super) failed: Vec<f64>,
    /// Whether nothing more is to be asked.
    pub(super) is_done: bool,
}

/// Asks about intensities, ascending, up to the first collapse; then between the highest that it stood and the lowest
/// that it did not, until they are closer than `resolution`. Intensities whose runs failed are passed over. Where one is open, the
/// search ends, and goes on when it is asked again.
pub(super) fn enclose(ascending: &[f64], resolution: f64, mut ask: impl FnMut(f64) -> Tried) -> Enclosed {
    let mut found = Enclosed::default();
    for &intensity in ascending {
        if !found.learn(intensity, ask(intensity)) {
            return found;
        }
        if found.collapses.is_some() {
            break;
        }
    }
    while let (Some(stands), Some(collapses)) = (found.stands, found.collapses) {
        // As close as numbers can be is close enough, and rounding of the two is no reason to ask once more.
        if collapses - stands <= resolution * (1.0 + 1e-9) {
            break;
        }
        let before = (found.stands, found.collapses);
        let middle = 0.5 * (stands + collapses);
        // In the middle, and where its run fails, on either side of it.
        for intensity in [middle, 0.5 * (stands + middle), 0.5 * (middle + collapses)] {
            if intensity <= stands || intensity >= collapses {
                continue;
            }
            if !found.learn(intensity, ask(intensity)) {
                return found;
            }
            if (found.stands, found.collapses) != before {
                break;
            }
        }
        if (found.stands, found.collapses) == before {
            break;
        }
    }
    found.is_done = true;
    found
}

impl Enclosed {
    /// Takes in what is known of an intensity; says whether the search can go on.
    fn learn(&mut self, intensity: f64, tried: Tried) -> bool {
        match tried {
            Tried::Stands => self.stands = Some(intensity),
            Tried::Collapses => self.collapses = Some(intensity),
            Tried::Failed if self.failed.contains(&intensity) => {}
            Tried::Failed => self.failed.push(intensity),
            Tried::Open => return false,
        }
        true
    }
}

/// What is said of a search that went round runs that failed.
pub(super) fn gone_round(failed: usize) -> String {
    match failed {
        0 => String::new(),
        n => format!(
            " The search went round {} that failed: what it encloses there may be wider than its resolution.",
            counted(n, "run")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(collapses: bool) -> Tried {
        match collapses {
            true => Tried::Collapses,
            false => Tried::Stands,
        }
    }

    #[test]
    fn the_intensity_of_collapse_is_enclosed_with_few_questions() {
        let mut asked = Vec::new();
        let found = enclose(&[0.2, 0.4, 0.8, 1.6], 0.05, |x| {
            asked.push(x);
            at(x > 0.61)
        });
        assert_eq!(asked[..3], [0.2, 0.4, 0.8]);
        assert!(asked.len() == 6, "{asked:?}");
        let (low, high) = (found.stands.unwrap(), found.collapses.unwrap());
        assert!(
            low <= 0.61 && 0.61 < high && high - low <= 0.05 + 1e-12 && found.is_done,
            "{found:?}"
        );
    }

    #[test]
    fn what_is_not_known_yet_ends_the_search_for_now() {
        let found = enclose(
            &[1.0, 2.0, 3.0],
            0.1,
            |x| if x < 2.5 { Tried::Stands } else { Tried::Open },
        );
        assert_eq!((found.stands, found.collapses, found.is_done), (Some(2.0), None, false));
    }

    #[test]
    fn what_collapses_at_once_or_never_is_told_as_that() {
        let at_once = enclose(&[1.0, 2.0], 0.1, |_| Tried::Collapses);
        assert_eq!(
            (at_once.stands, at_once.collapses, at_once.is_done),
            (None, Some(1.0), true)
        );
        let never = enclose(&[1.0, 2.0], 0.1, |_| Tried::Stands);
        assert_eq!((never.stands, never.collapses, never.is_done), (Some(2.0), None, true));
    }

    #[test]
    fn a_run_that_fails_is_gone_round() {
        // On the way up, and in the middle of what is left: between 0.4 and 0.8.
        for broken in [0.4, 0.5 * (0.4 + 0.8)] {
            let found = enclose(&[0.2, 0.4, 0.8, 1.6], 0.05, |x| match x == broken {
                true => Tried::Failed,
                false => at(x > 0.61),
            });
            let (low, high) = (found.stands.unwrap(), found.collapses.unwrap());
            assert!(low <= 0.61 && 0.61 < high && high - low <= 0.05 + 1e-12, "{found:?}");
            assert_eq!((&found.failed[..], found.is_done), (&[broken][..], true));
        }
    }

    #[test]
    fn where_all_between_fails_the_search_ends_with_what_it_has() {
        let mut asked = 0;
        let found = enclose(&[1.0, 2.0, 3.0], 0.01, |x| {
            asked += 1;
            match x {
                1.0 => Tried::Stands,
                3.0 => Tried::Collapses,
                _ => Tried::Failed,
            }
        });
        assert_eq!(
            (found.stands, found.collapses, found.is_done),
            (Some(1.0), Some(3.0), true)
        );
        assert_eq!((&found.failed[..], asked), (&[2.0, 1.5, 2.5][..], 6));
        let nothing = enclose(&[1.0, 2.0], 0.1, |_| Tried::Failed);
        assert_eq!((nothing.stands, nothing.collapses, nothing.is_done), (None, None, true));
    }
}
