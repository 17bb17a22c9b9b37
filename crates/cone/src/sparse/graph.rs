//! An undirected graph: which blocks of the matrix are there.

use std::collections::HashMap;

/// Adjacency by lists, both ways, without loops, rising.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    start: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// The graph of `n` vertices and these edges; repeated edges count once.
    pub(crate) fn new(n: usize, edges: &[(u32, u32)]) -> Self {
        let mut both: Vec<(u32, u32)> = edges.iter().flat_map(|&(i, j)| [(i, j), (j, i)]).collect();
        both.retain(|(i, j)| i != j);
        both.sort_unstable();
        both.dedup();
        let mut start = vec![0; n + 1];
        for &(i, _) in &both {
            start[i as usize + 1] += 1;
        }
        for i in 0..n {
            start[i + 1] += start[i];
        }
        Self {
            start,
            neighbours: both.into_iter().map(|(_, j)| j).collect(),
        }
    }

    /// Number of vertices.
    pub(crate) fn len(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Neighbours of a vertex.
    pub(crate) fn neighbours(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.neighbours[self.start[v] as usize..self.start[v + 1] as usize]
    }

    /// The subgraph of some vertices, numbered as they are listed. `number` is scratch, all `u32::MAX` before and after.
    pub(crate) fn induced(&self, vertices: &[u32], number: &mut [u32]) -> Self {
        for (k, &v) in vertices.iter().enumerate() {
            number[v as usize] = k as u32;
        }
        let mut start = vec![0];
        let mut neighbours = Vec::new();
        for &v in vertices {
            let inside = self.neighbours(v).iter().map(|&w| number[w as usize]);
            neighbours.extend(inside.filter(|&k| k != u32::MAX));
            start.push(neighbours.len() as u32);
        }
        for &v in vertices {
            number[v as usize] = u32::MAX;
        }
        Self { start, neighbours }
    }

    /// The graph in which vertices that have the same neighbours, and each other, are one; and the vertices of each.
    pub(crate) fn gathered(&self) -> (Self, Vec<Vec<u32>>) {
        let closed = |v: u32| {
            let mut list = self.neighbours(v).to_vec();
            list.push(v);
            list.sort_unstable();
            list
        };
        let mut group_of: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let own: Vec<u32> = (0..self.len() as u32)
            .map(|v| {
                let group = *group_of.entry(closed(v)).or_insert(groups.len() as u32);
                if group as usize == groups.len() {
                    groups.push(Vec::new());
                }
                groups[group as usize].push(v);
                group
            })
            .collect();
        let ends = groups.iter().enumerate().flat_map(|(k, group)| {
            let others = self.neighbours(group[0]).iter().map(|&w| own[w as usize]);
            others.map(move |other| (k as u32, other))
        });
        let edges: Vec<(u32, u32)> = ends.collect();
        (Self::new(groups.len(), &edges), groups)
    }
}
