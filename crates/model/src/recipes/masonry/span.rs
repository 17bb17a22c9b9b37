/// Where a stretch of a course ends: at its lower and at its upper bed. They differ at rakes and skewbacks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct End {
    pub(super) below: f64,
    pub(super) above: f64,
}

impl End {
    pub(super) fn plumb(at: f64) -> Self {
        Self { below: at, above: at }
    }

    pub(super) fn is_plumb(&self) -> bool {
        self.below == self.above
    }

    pub(super) fn least(&self) -> f64 {
        self.below.min(self.above)
    }

    pub(super) fn most(&self) -> f64 {
        self.below.max(self.above)
    }

    pub(super) fn mean(&self) -> f64 {
        0.5 * (self.below + self.above)
    }
}

/// A stretch of one course in the elevation of its wall: a trapezium between two beds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) left: End,
    pub(super) right: End,
}

impl Span {
    pub(super) fn plumb(left: f64, right: f64) -> Self {
        Self {
            left: End::plumb(left),
            right: End::plumb(right),
        }
    }

    pub(super) fn covers(&self, from: f64, to: f64) -> bool {
        self.left.most() <= from && to <= self.right.least()
    }

    pub(super) fn mean_length(&self) -> f64 {
        self.right.mean() - self.left.mean()
    }

    fn touches(&self, other: &Self) -> bool {
        self.left.least() < other.right.most() && other.left.least() < self.right.most()
    }

    fn is_solid(&self) -> bool {
        self.left.below <= self.right.below && self.left.above <= self.right.above && self.mean_length() > 0.0
    }
}

/// What is left of some spans when a piece is cut out of them.
pub(super) fn cut(spans: &[Span], piece: &Span) -> Vec<Span> {
    let mut left_over = Vec::with_capacity(spans.len() + 1);
    for span in spans {
        if !span.touches(piece) {
            left_over.push(*span);
            continue;
        }
        let (left, right) = (span.left, span.right);
        let before = Span {
            left,
            right: piece.left,
        };
        let after = Span {
            left: piece.right,
            right,
        };
        left_over.extend([before, after].into_iter().filter(Span::is_solid));
    }
    left_over
}

/// Spans in order, those that touch or overlap made one. A notch between a rake and what it runs into is filled.
pub(super) fn union(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by(|a, b| a.left.mean().total_cmp(&b.left.mean()));
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.left.least() <= last.right.most() => {
                if span.right.mean() > last.right.mean() {
                    last.right = span.right;
                }
            }
            _ => joined.push(span),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_the_middle_leaves_two_ends_with_the_cut_as_their_faces() {
        let skewed = Span {
            left: End {
                below: 1.0,
                above: 0.75,
            },
            right: End {
                below: 2.0,
                above: 2.25,
            },
        };
        let left_over = cut(&[Span::plumb(0.0, 3.0)], &skewed);
        assert_eq!(left_over.len(), 2);
        assert_eq!((left_over[0].left, left_over[0].right), (End::plumb(0.0), skewed.left));
        assert_eq!((left_over[1].left, left_over[1].right), (skewed.right, End::plumb(3.0)));
    }

    #[test]
    fn cutting_at_an_end_leaves_no_empty_span() {
        assert_eq!(
            cut(&[Span::plumb(0.0, 3.0)], &Span::plumb(0.0, 1.0)),
            [Span::plumb(1.0, 3.0)]
        );
        assert_eq!(
            cut(&[Span::plumb(0.0, 3.0)], &Span::plumb(3.0, 4.0)),
            [Span::plumb(0.0, 3.0)]
        );
        assert_eq!(cut(&[Span::plumb(0.0, 3.0)], &Span::plumb(-1.0, 4.0)), []);
    }

    #[test]
    fn spans_that_touch_are_one_and_those_apart_stay_two() {
        let joined = union(vec![
            Span::plumb(4.0, 5.0),
            Span::plumb(1.0, 2.0),
            Span::plumb(0.0, 1.0),
        ]);
        assert_eq!(joined, [Span::plumb(0.0, 2.0), Span::plumb(4.0, 5.0)]);
    }
}
