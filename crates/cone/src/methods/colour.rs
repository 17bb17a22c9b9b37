//! Groups of constraints that do not act on each other, so that all of one group can be solved at the same time and the
//! result is that of solving them one after another.

use crate::system::{Matrix, NONE, Pair};

const UNSET: u32 = u32::MAX;

/// Pairs of bodies, or contacts of a matrix, by colour. Kept as long as the structure stays the same.
#[derive(Debug, Default)]
pub(crate) struct Colours {
    /// Items by colour; in rising order within one.
    pub(crate) items: Vec<u32>,
    /// Where each colour starts in `items`, and where the last ends.
    pub(crate) start: Vec<u32>,
    colour: Vec<u32>,
    stamp: Vec<u32>,
    /// What the colours were made for.
    pairs: Vec<[u32; 2]>,
    rows: Vec<u32>,
    columns: Vec<u32>,
}

impl Colours {
    /// Number of colours.
    pub(crate) fn len(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// The items of a colour, as a range of `items`.
    pub(crate) fn range(&self, colour: usize) -> std::ops::Range<usize> {
        self.start[colour] as usize..self.start[colour + 1] as usize
    }

    /// The most items that one colour has.
    pub(crate) fn widest(&self) -> usize {
        (0..self.len()).map(|c| self.range(c).len()).max().unwrap_or(0)
    }

    /// Colours pairs so that those of one colour share no free body.
    pub(crate) fn set_pairs(&mut self, pairs: &[Pair], bodies: usize) {
        let same = self.rows.is_empty() && self.pairs.len() == pairs.len() && !self.start.is_empty();
        if same && self.pairs.iter().zip(pairs).all(|(kept, pair)| *kept == pair.bodies) {
            return;
        }
        self.rows.clear();
        self.columns.clear();
        self.pairs.clear();
        self.pairs.extend(pairs.iter().map(|pair| pair.bodies));
        self.colour.clear();
        self.colour.resize(pairs.len(), UNSET);
        // Colour by colour: a body remembers the last colour that took it.
        self.stamp.clear();
        self.stamp.resize(bodies, UNSET);
        self.items.clear();
        self.start.clear();
        self.start.push(0);
        while self.items.len() < pairs.len() {
            let colour = self.start.len() as u32 - 1;
            for (p, joined) in self.pairs.iter().enumerate() {
                let taken = |b: &u32| *b != NONE && self.stamp[*b as usize] == colour;
                if self.colour[p] != UNSET || joined.iter().any(taken) {
                    continue;
                }
                for &b in joined.iter().filter(|b| **b != NONE) {
                    self.stamp[b as usize] = colour;
                }
                self.colour[p] = colour;
                self.items.push(p as u32);
            }
            self.start.push(self.items.len() as u32);
        }
    }

    /// Colours contacts so that no two of one colour are coupled in the matrix.
    pub(crate) fn set_matrix(&mut self, matrix: &Matrix) {
        let same = self.pairs.is_empty() && !self.start.is_empty();
        if same && self.rows == matrix.start && self.columns == matrix.column {
            return;
        }
        self.pairs.clear();
        self.rows.clone_from(&matrix.start);
        self.columns.clone_from(&matrix.column);
        let n = matrix.start.len().saturating_sub(1);
        self.colour.clear();
        self.colour.resize(n, UNSET);
        // For each colour, the last contact that may not have it.
        self.stamp.clear();
        for i in 0..n {
            for &j in &matrix.column[matrix.start[i] as usize..matrix.start[i + 1] as usize] {
                let colour = self.colour[j as usize];
                if colour != UNSET {
                    self.stamp[colour as usize] = i as u32;
                }
            }
            let free = self.stamp.iter().position(|&last| last != i as u32);
            let colour = free.unwrap_or_else(|| {
                self.stamp.push(UNSET);
                self.stamp.len() - 1
            });
            self.colour[i] = colour as u32;
        }
        self.items.clear();
        self.items.extend(0..n as u32);
        let colours = &self.colour;
        self.items.sort_unstable_by_key(|&i| (colours[i as usize], i));
        self.start.clear();
        self.start.push(0);
        for k in 1..=n {
            let colour = |k: usize| colours[self.items[k] as usize];
            if k == n || colour(k) != colour(k - 1) {
                self.start.push(k as u32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_of_one_colour_are_not_coupled_and_each_has_one() {
        // A ring of seven: three colours.
        let n = 7_u32;
        let mut matrix = Matrix::default();
        for i in 0..n {
            matrix.start.push(matrix.column.len() as u32);
            let mut columns = [(i + n - 1) % n, i, (i + 1) % n];
            columns.sort_unstable();
            matrix.column.extend(columns);
        }
        matrix.start.push(matrix.column.len() as u32);
        let mut colours = Colours::default();
        colours.set_matrix(&matrix);
        assert_eq!(colours.len(), 3);
        let mut all = colours.items.clone();
        all.sort_unstable();
        assert_eq!(all, (0..n).collect::<Vec<_>>());
        for c in 0..colours.len() {
            let items = &colours.items[colours.range(c)];
            for (i, j) in items.iter().flat_map(|i| items.iter().map(move |j| (i, j))) {
                assert!((i + 1) % n != *j, "{i} and {j}");
            }
        }
    }
}
