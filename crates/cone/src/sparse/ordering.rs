//! Elimination orders with little fill: nested dissection, and approximate minimum degree.
//!
//! Nested dissection splits the graph by a small separator, numbers the two halves first and the separator last, and
//! goes on with the halves. Separators come from distances to far-apart vertices: the difference of the distances to two
//! opposite ends is a coordinate, sums and differences of two such coordinates are others, and the graph is cut where a
//! coordinate has its middle; the cut is then thinned vertex by vertex.

use std::collections::VecDeque;

use faer::{
    dyn_stack::{MemBuffer, MemStack},
    sparse::{SymbolicSparseColMat, linalg::amd},
};

use super::graph::Graph;

const TUNING: crate::tuning::Machine = crate::Tuning::DEFAULT.machine;

/// An order of elimination by nested dissection: the vertices, first eliminated first.
pub(crate) fn nested_dissection(graph: &Graph) -> Vec<u32> {
    let mut order = Vec::with_capacity(graph.len());
    let mut number = vec![u32::MAX; graph.len()];
    let mut tasks: Vec<(Vec<u32>, bool)> = vec![((0..graph.len() as u32).collect(), false)];
    // Numbered from the back: a separator is pushed when its subgraph is met, before its halves.
    while let Some((vertices, finished)) = tasks.pop() {
        if finished {
            order.extend(vertices);
            continue;
        }
        let subgraph = graph.induced(&vertices, &mut number);
        let named = |local: Vec<u32>| local.into_iter().map(|k| vertices[k as usize]).collect::<Vec<u32>>();
        match separate(&subgraph) {
            Some([first, second, separator]) => {
                // A stack: what is pushed last is numbered first.
                tasks.push((named(separator), true));
                tasks.push((named(second), false));
                tasks.push((named(first), false));
            }
            None => tasks.push((named(minimum_degree(&subgraph)), true)),
        }
    }
    order
}

/// An order of elimination by approximate minimum degree.
pub(crate) fn minimum_degree(graph: &Graph) -> Vec<u32> {
    let n = graph.len();
    let identity = || (0..n as u32).collect::<Vec<u32>>();
    let mut start = vec![0_u32];
    let mut rows = Vec::new();
    for v in 0..n as u32 {
        rows.extend(graph.neighbours(v).iter().filter(|&&w| w < v));
        start.push(rows.len() as u32);
    }
    let count = rows.len();
    let matrix = SymbolicSparseColMat::<u32>::new_checked(n, n, start, None, rows);
    let (mut order, mut inverse) = (vec![0_u32; n], vec![0_u32; n]);
    let Ok(mut memory) = MemBuffer::try_new(amd::order_maybe_unsorted_scratch::<u32>(n, count)) else {
        return identity();
    };
    let stack = MemStack::new(&mut memory);
    match amd::order_maybe_unsorted(
        &mut order,
        &mut inverse,
        matrix.as_ref(),
        amd::Control::default(),
        stack,
    ) {
        Ok(_) => order,
        Err(_) => identity(),
    }
}

/// Distances from a vertex, and the vertex reached last. What is not reached has `u32::MAX`.
fn distances(graph: &Graph, from: u32) -> (Vec<u32>, u32, usize) {
    let mut distance = vec![u32::MAX; graph.len()];
    let mut queue = VecDeque::from([from]);
    distance[from as usize] = 0;
    let (mut last, mut reached) = (from, 0);
    while let Some(v) = queue.pop_front() {
        last = v;
        reached += 1;
        for &w in graph.neighbours(v) {
            if distance[w as usize] == u32::MAX {
                distance[w as usize] = distance[v as usize] + 1;
                queue.push_back(w);
            }
        }
    }
    (distance, last, reached)
}

/// Two halves without an edge between them, and a separator. Nothing where the subgraph is too small to split.
fn separate(graph: &Graph) -> Option<[Vec<u32>; 3]> {
    let n = graph.len();
    if n <= TUNING.leaf_vertices {
        return None;
    }
    let (reach, _, reached) = distances(graph, 0);
    if reached < n {
        let split = |inside: bool| {
            (0..n as u32)
                .filter(|&v| (reach[v as usize] != u32::MAX) == inside)
                .collect()
        };
        return Some([split(true), split(false), Vec::new()]);
    }
    let (_, end, _) = distances(graph, 0);
    let (_, far, _) = distances(graph, end);
    let (du, _, _) = distances(graph, far);
    let (_, opposite, _) = distances(graph, far);
    let (dv, _, _) = distances(graph, opposite);
    // The vertex farthest from both ends, and the one opposite to it, give a coordinate across the first.
    let aside = (0..n).max_by_key(|&v| (du[v].min(dv[v]), du[v] + dv[v])).unwrap_or(0) as u32;
    let (dw, across, _) = distances(graph, aside);
    let (dx, _, _) = distances(graph, across);
    let along = |v: usize| i64::from(du[v]) - i64::from(dv[v]);
    let over = |v: usize| i64::from(dw[v]) - i64::from(dx[v]);
    let coordinates: [&dyn Fn(usize) -> i64; 5] =
        [&along, &over, &|v| along(v) + over(v), &|v| along(v) - over(v), &|v| {
            i64::from(du[v])
        }];
    let mut best: Option<(f64, Vec<u8>)> = None;
    for coordinate in coordinates {
        let mut side = cut(graph, coordinate);
        thin(graph, &mut side);
        let sizes = count(&side);
        let smaller = sizes[0].min(sizes[1]) as f64;
        // Fill grows with the separator; a lopsided cut leaves the work to the next.
        let price =
            sizes[2] as f64 * (1.0 + (0.5 - smaller / n as f64).max(0.0)) + if smaller == 0.0 { 1e9 } else { 0.0 };
        if best.as_ref().is_none_or(|(least, _)| price < *least) {
            best = Some((price, side));
        }
    }
    let (price, side) = best?;
    if price >= 1e9 || count(&side)[2] * 2 > n {
        return None;
    }
    let on_side = |which: u8| (0..n as u32).filter(|&v| side[v as usize] == which).collect();
    Some([on_side(0), on_side(1), on_side(2)])
}

fn count(side: &[u8]) -> [usize; 3] {
    let mut sizes = [0; 3];
    side.iter().for_each(|&s| sizes[s as usize] += 1);
    sizes
}

/// Cuts at the middle of a coordinate: 0 and 1 are the halves, 2 the vertices of the second half that touch the first.
fn cut(graph: &Graph, coordinate: &dyn Fn(usize) -> i64) -> Vec<u8> {
    let n = graph.len();
    let values: Vec<i64> = (0..n).map(coordinate).collect();
    let mut sorted = values.clone();
    sorted.sort_unstable();
    let middle = sorted[n / 2];
    // The whole of a level on the side that balances better.
    let below = sorted.partition_point(|&x| x < middle);
    let through = sorted.partition_point(|&x| x <= middle);
    let bound = if n / 2 - below < through - n / 2 {
        middle
    } else {
        middle + 1
    };
    let first = |v: usize| values[v] < bound;
    (0..n)
        .map(|v| {
            let touches = || graph.neighbours(v as u32).iter().any(|&w| first(w as usize));
            match (first(v), first(v) || !touches()) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => 2,
            }
        })
        .collect()
}

/// Moves vertices of the separator to a half while that makes it smaller, or keeps its size and improves the balance.
fn thin(graph: &Graph, side: &mut [u8]) {
    let n = side.len();
    let least = (TUNING.smallest_half * n as f64) as usize;
    for _ in 0..8 {
        let mut moved = false;
        for v in 0..n as u32 {
            if side[v as usize] != 2 {
                continue;
            }
            let sizes = count_near(graph, side, v);
            let total = count(side);
            // Moving v to one half pulls its neighbours of the other half into the separator.
            for to in if total[0] < total[1] { [0, 1] } else { [1, 0] } {
                let other = 1 - to;
                let pulled = sizes[other];
                let improves = pulled == 0 || (pulled == 1 && total[to] + 1 < total[other]);
                if improves && (pulled == 0 || total[other] - pulled >= least) {
                    side[v as usize] = to as u8;
                    for &w in graph.neighbours(v) {
                        if side[w as usize] == other as u8 {
                            side[w as usize] = 2;
                        }
                    }
                    moved = true;
                    break;
                }
            }
        }
        if !moved {
            return;
        }
    }
}

fn count_near(graph: &Graph, side: &[u8], vertex: u32) -> [usize; 3] {
    let mut sizes = [0; 3];
    for &w in graph.neighbours(vertex) {
        sizes[side[w as usize] as usize] += 1;
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(columns: u32, rows: u32) -> Graph {
        let mut edges = Vec::new();
        for i in 0..rows {
            for j in 0..columns {
                let v = i * columns + j;
                if j + 1 < columns {
                    edges.push((v, v + 1));
                }
                if i + 1 < rows {
                    edges.push((v, v + columns));
                }
            }
        }
        Graph::new((columns * rows) as usize, &edges)
    }

    #[test]
    fn every_vertex_is_numbered_once() {
        let mut edges: Vec<(u32, u32)> = (0..80).map(|i| (i, i + 1)).collect();
        edges.extend((100..180).map(|i| (i, i + 1)));
        for graph in [
            grid(30, 40),
            Graph::new(200, &edges),
            Graph::new(0, &[]),
            Graph::new(40, &[]),
        ] {
            for order in [nested_dissection(&graph), minimum_degree(&graph)] {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..graph.len() as u32).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_grid_is_cut_across_its_short_side() {
        let graph = grid(60, 20);
        let [first, second, separator] = separate(&graph).unwrap();
        assert!(separator.len() <= 22, "{}", separator.len());
        assert!(first.len().min(second.len()) > 300);
        for &v in &first {
            assert!(graph.neighbours(v).iter().all(|w| !second.contains(w)));
        }
    }
}
