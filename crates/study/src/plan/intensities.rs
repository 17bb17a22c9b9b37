//! The search for the intensity from which on a structure comes down.

/// What a search for the first intensity of collapse has found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Enclosed {
    /// The highest intensity below the first collapse at which it stood.
    pub(super) stands: Option<f64>,
    /// The lowest intensity at which it collapsed.
    pub(super) collapses: Option<f64>,
    /// Whether nothing more is to be asked.
    pub(super) is_done: bool,
}

/// Asks about intensities, ascending, up to the first collapse; then in the middle between the highest that it stood and the lowest
/// that it did not, until they are closer than `resolution`. `ask` answers `None` where it is not known yet: the search
/// ends there, and goes on when it is asked again.
pub(super) fn enclose(ascending: &[f64], resolution: f64, mut ask: impl FnMut(f64) -> Option<bool>) -> Enclosed {
    let mut found = Enclosed::default();
    for &intensity in ascending {
        match ask(intensity) {
            None => return found,
            Some(false) => found.stands = Some(intensity),
            Some(true) => {
                found.collapses = Some(intensity);
                break;
            }
        }
    }
    while let (Some(stands), Some(collapses)) = (found.stands, found.collapses) {
        let middle = 0.5 * (stands + collapses);
        // As close as numbers can be is close enough, and rounding of the two is no reason to ask once more.
        if collapses - stands <= resolution * (1.0 + 1e-9) || middle <= stands || middle >= collapses {
            break;
        }
        match ask(middle) {
            None => return found,
            Some(true) => found.collapses = Some(middle),
            Some(false) => found.stands = Some(middle),
        }
    }
    found.is_done = true;
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_intensity_of_collapse_is_enclosed_with_few_questions() {
        let mut asked = Vec::new();
        let found = enclose(&[0.2, 0.4, 0.8, 1.6], 0.05, |x| {
            asked.push(x);
            Some(x > 0.61)
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
        let found = enclose(&[1.0, 2.0, 3.0], 0.1, |x| (x < 2.5).then_some(false));
        assert_eq!((found.stands, found.collapses, found.is_done), (Some(2.0), None, false));
    }

    #[test]
    fn what_collapses_at_once_or_never_is_told_as_that() {
        let at_once = enclose(&[1.0, 2.0], 0.1, |_| Some(true));
        assert_eq!(
            (at_once.stands, at_once.collapses, at_once.is_done),
            (None, Some(1.0), true)
        );
        let never = enclose(&[1.0, 2.0], 0.1, |_| Some(false));
        assert_eq!((never.stands, never.collapses, never.is_done), (Some(2.0), None, true));
    }
}
