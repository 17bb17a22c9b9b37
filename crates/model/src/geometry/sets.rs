/// Things numbered from 0, gathered into sets by joining them two by two.
pub struct Sets {
    parent: Vec<usize>,
    count: usize,
}

impl Sets {
    /// Every thing a set of its own.
    pub fn new(things: usize) -> Self {
        Self {
            parent: (0..things).collect(),
            count: things,
        }
    }

    /// The thing that stands for the set of `thing`: its smallest.
    pub fn of(&mut self, mut thing: usize) -> usize {
        while self.parent[thing] != thing {
            // Halving the way up keeps later searches short.
            self.parent[thing] = self.parent[self.parent[thing]];
            thing = self.parent[thing];
        }
        thing
    }

    /// Makes the sets of two things one.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        if a != b {
            self.parent[a.max(b)] = a.min(b);
            self.count -= 1;
        }
    }

    /// How many sets there are.
    pub fn count(&self) -> usize {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_things_share_a_set_and_its_smallest_stands_for_it() {
        let mut sets = Sets::new(6);
        for (a, b) in [(5, 3), (3, 1), (1, 5), (0, 2)] {
            sets.join(a, b);
        }
        assert_eq!([0, 1, 2, 3, 4, 5].map(|k| sets.of(k)), [0, 1, 0, 1, 4, 1]);
        assert_eq!(sets.count(), 3);
    }
}
