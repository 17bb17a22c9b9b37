//! Multifrontal Cholesky factorisation along the tree of fronts.
//!
//! A front is a dense lower triangle: columns to eliminate on the left (the panel, which becomes part of the factor L),
//! the rest (the update), which is handed to the parent. A node adds the updates of its children to its own entries of
//! the matrix, factorises its panel, and subtracts the panel's outer product from its update. The tree is cut into tasks:
//! whole subtrees of little work, and single nodes above them. Tasks that do not depend on each other may run at the same
//! time; what each computes depends on its children alone, so the bits do not depend on the number of threads.

use std::ops::Range;

use super::{
    front::{
        Entry, NotPositive, Scratch, add_entries, add_to_panel, add_to_update, eliminate, scatter, solve_backward,
        solve_forward,
    },
    graph::Graph,
    symbolic::Symbolic,
};

const TUNING: crate::tuning::Machine = crate::Tuning::DEFAULT.machine;

/// A matrix on a graph, its factor, and all memory that both need. The values of the matrix are set block by block.
#[derive(Debug, Default)]
pub struct Cholesky {
    symbolic: Symbolic,
    /// Blocks of the matrix, by columns: the diagonal ones, then those of the edges.
    values: Vec<f64>,
    tasks: Vec<Task>,
}

/// A part of the tree that one thread works through: some whole subtrees, or one node above other tasks.
#[derive(Debug)]
struct Task {
    nodes: Range<usize>,
    children: Vec<Task>,
    /// Panels of all nodes, each by columns, and where each starts.
    panels: Vec<f64>,
    panel_at: Vec<usize>,
    /// Updates by columns. Nodes at odd and even depth take turns, so that a node's update never lies where those of its
    /// children still do.
    updates: [Vec<f64>; 2],
    update_at: Vec<usize>,
    /// Depth of each node, odd or even.
    parity: Vec<u8>,
    /// The right-hand side or the solution on the rows of each front.
    local: Vec<f64>,
    local_at: Vec<usize>,
    /// Blocks of the matrix by node.
    entries: Vec<Entry>,
    entries_at: Vec<usize>,
    scratch: Scratch,
}

impl Cholesky {
    /// Analyses the graph on `n` vertices with these edges, for blocks of `block` by `block` numbers.
    pub fn analyse(&mut self, n: usize, edges: &[(u32, u32)], block: usize) {
        let graph = Graph::new(n, edges);
        self.symbolic = Symbolic::best(&graph, block);
        self.values.clear();
        self.values.resize((n + edges.len()) * block * block, 0.0);
        self.tasks = self.plan(edges);
    }

    /// All blocks: the diagonal ones by vertex, then those of the edges, whose rows belong to the edge's first vertex and
    /// whose columns to its second; each by columns.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Factorises the matrix that the values give.
    pub fn factor(&mut self) -> Result<(), NotPositive> {
        let Self {
            symbolic,
            values,
            tasks,
        } = self;
        factor_all(tasks, symbolic, values)
    }

    /// Replaces a right-hand side by the solution. `x` holds a block of numbers for each vertex.
    pub fn solve(&mut self, x: &mut [f64]) {
        let Self { symbolic, tasks, .. } = self;
        let rhs: &[f64] = x;
        forward_all(tasks, symbolic, rhs);
        backward_all(tasks, symbolic, &[]);
        collect(tasks, symbolic, x);
    }

    /// Cuts the forest into tasks and lays out their memory.
    fn plan(&self, edges: &[(u32, u32)]) -> Vec<Task> {
        let nodes = &self.symbolic.nodes;
        let mut entries: Vec<Vec<Entry>> = vec![Vec::new(); nodes.len()];
        let n = self.symbolic.order.len();
        let all = (0..n as u32).map(|v| (v, v)).chain(edges.iter().copied());
        for (block, (i, j)) in all.enumerate() {
            let (pi, pj) = (self.symbolic.position[i as usize], self.symbolic.position[j as usize]);
            let (row, column) = (pi.max(pj) as usize, pi.min(pj) as usize);
            let k = self.symbolic.node_of[column] as usize;
            let node = &nodes[k];
            let place = if row < node.first + node.width {
                row - node.first
            } else {
                node.width + node.rows.partition_point(|&r| (r as usize) < row)
            };
            let b = self.symbolic.block;
            let height = (node.width + node.rows.len()) * b;
            entries[k].push(Entry {
                block: block as u32,
                at: (place * b + (column - node.first) * b * height) as u32,
                transposed: pi < pj,
            });
        }
        let mut depth = vec![0_u8; nodes.len()];
        for k in (0..nodes.len()).rev() {
            if nodes[k].parent != k {
                depth[k] = 1 - depth[nodes[k].parent];
            }
        }
        let roots: Vec<usize> = (0..nodes.len()).filter(|&k| nodes[k].parent == k).collect();
        let bound = TUNING.smallest_task.max(self.symbolic.work() / 64.0);
        let planner = Planner {
            symbolic: &self.symbolic,
            entries: &entries,
            depth: &depth,
            bound,
        };
        planner.tasks(&roots)
    }
}

struct Planner<'a> {
    symbolic: &'a Symbolic,
    entries: &'a [Vec<Entry>],
    depth: &'a [u8],
    bound: f64,
}

impl Planner<'_> {
    /// Tasks for the subtrees of some siblings: small neighbours share one.
    fn tasks(&self, roots: &[usize]) -> Vec<Task> {
        let nodes = &self.symbolic.nodes;
        let mut tasks = Vec::new();
        let mut run: Option<(Range<usize>, f64)> = None;
        for &root in roots {
            let node = &nodes[root];
            if node.work > self.bound {
                tasks.extend(run.take().map(|(nodes, _)| self.task(nodes, Vec::new())));
                let children = self.tasks(&node.children);
                tasks.push(self.task(root..root + 1, children));
                continue;
            }
            run = match run.take() {
                Some((range, work)) if work + node.work <= self.bound => {
                    Some((range.start..root + 1, work + node.work))
                }
                full => {
                    tasks.extend(full.map(|(nodes, _)| self.task(nodes, Vec::new())));
                    Some((node.subtree..root + 1, node.work))
                }
            };
        }
        tasks.extend(run.map(|(nodes, _)| self.task(nodes, Vec::new())));
        tasks
    }

    fn task(&self, range: Range<usize>, children: Vec<Task>) -> Task {
        let b = self.symbolic.block;
        let (mut panels, mut locals) = (0, 0);
        let (mut panel_at, mut local_at, mut update_at, mut entries_at) = (vec![], vec![], vec![], vec![0]);
        let (mut parity, mut entries) = (vec![], vec![]);
        let (mut top, mut peak) = ([0_usize; 2], [0_usize; 2]);
        let mut widest = 0;
        let size = |k: usize| (self.symbolic.nodes[k].rows.len() * b).pow(2);
        for k in range.clone() {
            let node = &self.symbolic.nodes[k];
            let own = usize::from(self.depth[k]);
            let height = (node.width + node.rows.len()) * b;
            panel_at.push(panels);
            local_at.push(locals);
            panels += height * node.width * b;
            locals += height;
            parity.push(self.depth[k]);
            update_at.push(top[own]);
            top[own] += size(k);
            peak[own] = peak[own].max(top[own]);
            // The updates of the children are used up.
            let inside = node.children.iter().filter(|&&c| range.contains(&c));
            top[1 - own] -= inside.map(|&c| size(c)).sum::<usize>();
            entries.extend(&self.entries[k]);
            entries_at.push(entries.len());
            widest = widest.max(node.width * b);
        }
        Task {
            nodes: range,
            children,
            panels: vec![0.0; panels],
            panel_at,
            updates: peak.map(|length| vec![0.0; length]),
            update_at,
            parity,
            local: vec![0.0; locals],
            local_at,
            entries,
            entries_at,
            scratch: Scratch::new(widest),
        }
    }
}

fn factor_all(tasks: &mut [Task], symbolic: &Symbolic, values: &[f64]) -> Result<(), NotPositive> {
    match tasks {
        [] => Ok(()),
        [task] => task.factor(symbolic, values),
        _ => {
            let half = tasks.len() / 2;
            let (first, second) = tasks.split_at_mut(half);
            let (a, b) = rayon::join(
                || factor_all(first, symbolic, values),
                || factor_all(second, symbolic, values),
            );
            a.and(b)
        }
    }
}

fn forward_all(tasks: &mut [Task], symbolic: &Symbolic, rhs: &[f64]) {
    match tasks {
        [] => (),
        [task] => task.forward(symbolic, rhs),
        _ => {
            let (first, second) = tasks.split_at_mut(tasks.len() / 2);
            rayon::join(
                || forward_all(first, symbolic, rhs),
                || forward_all(second, symbolic, rhs),
            );
        }
    }
}

fn backward_all(tasks: &mut [Task], symbolic: &Symbolic, above: &[f64]) {
    match tasks {
        [] => (),
        [task] => task.backward(symbolic, above),
        _ => {
            let (first, second) = tasks.split_at_mut(tasks.len() / 2);
            rayon::join(
                || backward_all(first, symbolic, above),
                || backward_all(second, symbolic, above),
            );
        }
    }
}

/// Writes the eliminated columns of every front to the solution.
fn collect(tasks: &[Task], symbolic: &Symbolic, x: &mut [f64]) {
    let b = symbolic.block;
    for task in tasks {
        collect(&task.children, symbolic, x);
        for (i, k) in task.nodes.clone().enumerate() {
            let node = &symbolic.nodes[k];
            for c in 0..node.width {
                let vertex = symbolic.order[node.first + c] as usize;
                let from = task.local_at[i] + c * b;
                x[vertex * b..(vertex + 1) * b].copy_from_slice(&task.local[from..from + b]);
            }
        }
    }
}

impl Task {
    fn factor(&mut self, symbolic: &Symbolic, values: &[f64]) -> Result<(), NotPositive> {
        factor_all(&mut self.children, symbolic, values)?;
        let b = symbolic.block;
        let upper = !self.children.is_empty();
        for i in 0..self.nodes.len() {
            let k = self.nodes.start + i;
            let node = &symbolic.nodes[k];
            let (width, below) = (node.width * b, node.rows.len() * b);
            let height = width + below;
            let [even, odd] = &mut self.updates;
            let (own, others) = if self.parity[i] == 0 { (even, odd) } else { (odd, even) };
            let panel = &mut self.panels[self.panel_at[i]..self.panel_at[i] + height * width];
            panel.fill(0.0);
            let entries = &self.entries[self.entries_at[i]..self.entries_at[i + 1]];
            add_entries(panel, height, entries, values, b);
            let (start, nodes, update_at) = (self.nodes.start, &self.nodes, &self.update_at);
            let inside = node.children.iter().filter(|c| nodes.contains(c)).map(|&c| {
                let size = (symbolic.nodes[c].rows.len() * b).pow(2);
                (c, &others[update_at[c - start]..update_at[c - start] + size])
            });
            for (c, update) in inside.clone() {
                add_to_panel(panel, node.width, height, update, &symbolic.nodes[c], b);
            }
            for (c, update) in self.children.iter().flat_map(|task| task.handed_up(symbolic)) {
                add_to_panel(panel, node.width, height, update, &symbolic.nodes[c], b);
            }
            let update = &mut own[self.update_at[i]..self.update_at[i] + below * below];
            eliminate(panel, update, width, below, upper, &mut self.scratch)?;
            for (c, part) in inside {
                add_to_update(update, node.width, below, part, &symbolic.nodes[c], b);
            }
            for (c, part) in self.children.iter().flat_map(|task| task.handed_up(symbolic)) {
                add_to_update(update, node.width, below, part, &symbolic.nodes[c], b);
            }
        }
        Ok(())
    }

    /// Nodes whose parent lies outside, and their updates.
    fn handed_up<'a>(&'a self, symbolic: &'a Symbolic) -> impl Iterator<Item = (usize, &'a [f64])> {
        let b = symbolic.block;
        self.nodes.clone().enumerate().filter_map(move |(i, k)| {
            let node = &symbolic.nodes[k];
            let outside = !self.nodes.contains(&node.parent);
            let (at, size) = (self.update_at[i], (node.rows.len() * b).pow(2));
            outside.then(|| (k, &self.updates[usize::from(self.parity[i])][at..at + size]))
        })
    }

    fn forward(&mut self, symbolic: &Symbolic, rhs: &[f64]) {
        forward_all(&mut self.children, symbolic, rhs);
        let b = symbolic.block;
        for i in 0..self.nodes.len() {
            let k = self.nodes.start + i;
            let node = &symbolic.nodes[k];
            let (width, height) = (node.width * b, (node.width + node.rows.len()) * b);
            let (done, rest) = self.local.split_at_mut(self.local_at[i]);
            let local = &mut rest[..height];
            for c in 0..node.width {
                let vertex = symbolic.order[node.first + c] as usize;
                local[c * b..(c + 1) * b].copy_from_slice(&rhs[vertex * b..(vertex + 1) * b]);
            }
            local[width..].fill(0.0);
            for &c in node.children.iter().filter(|c| self.nodes.contains(c)) {
                let child = &symbolic.nodes[c];
                let at = self.local_at[c - self.nodes.start] + child.width * b;
                scatter(local, &done[at..at + child.rows.len() * b], &child.relative, b);
            }
            for task in &self.children {
                for (j, c) in task.nodes.clone().enumerate() {
                    let child = &symbolic.nodes[c];
                    if child.parent == k {
                        let at = task.local_at[j] + child.width * b;
                        scatter(local, &task.local[at..at + child.rows.len() * b], &child.relative, b);
                    }
                }
            }
            let panel = &self.panels[self.panel_at[i]..self.panel_at[i] + height * width];
            solve_forward(panel, local, width);
        }
    }

    fn backward(&mut self, symbolic: &Symbolic, above: &[f64]) {
        let b = symbolic.block;
        for i in (0..self.nodes.len()).rev() {
            let k = self.nodes.start + i;
            let node = &symbolic.nodes[k];
            let (width, height) = (node.width * b, (node.width + node.rows.len()) * b);
            let parent = node.parent;
            let (before, after) = self.local.split_at_mut(self.local_at[i] + height);
            let local = &mut before[self.local_at[i]..];
            let source: &[f64] = if self.nodes.contains(&parent) && parent != k {
                &after[self.local_at[parent - self.nodes.start] - self.local_at[i] - height..]
            } else {
                above
            };
            for (r, &place) in node.relative.iter().enumerate() {
                let (to, from) = (width + r * b, place as usize * b);
                local[to..to + b].copy_from_slice(&source[from..from + b]);
            }
            let panel = &self.panels[self.panel_at[i]..self.panel_at[i] + height * width];
            solve_backward(panel, local, width);
        }
        let Self { children, local, .. } = self;
        // A task with children is one node: its front is what they look up.
        backward_all(children, symbolic, local);
    }
}

#[cfg(test)]
mod tests {
    use faer::Mat;

    use super::*;

    /// Grid of blocks: diagonal dominant, so that it is positive definite.
    fn example(columns: u32, rows: u32, block: usize) -> (Cholesky, Mat<f64>) {
        let mut edges = Vec::new();
        for v in 0..columns * rows {
            if (v + 1) % columns != 0 {
                edges.push((v, v + 1));
            }
            if v + columns < columns * rows {
                edges.push(if v % 3 == 0 { (v + columns, v) } else { (v, v + columns) });
            }
        }
        let n = (columns * rows) as usize;
        let mut cholesky = Cholesky::default();
        cholesky.analyse(n, &edges, block);
        let mut dense = Mat::zeros(n * block, n * block);
        let noise = |k: usize| ((k as f64 * 12.9898).sin() * 43758.5453).fract();
        let b2 = block * block;
        for (e, &(i, j)) in edges.iter().enumerate() {
            for c in 0..block {
                for r in 0..block {
                    let value = noise(e * b2 + c * block + r);
                    cholesky.values_mut()[(n + e) * b2 + c * block + r] = value;
                    dense[(i as usize * block + r, j as usize * block + c)] = value;
                    dense[(j as usize * block + c, i as usize * block + r)] = value;
                }
            }
        }
        for v in 0..n {
            for c in 0..block {
                for r in 0..block {
                    let value = if r == c { 6.0 * block as f64 } else { 0.5 };
                    cholesky.values_mut()[v * b2 + c * block + r] = value;
                    dense[(v * block + r, v * block + c)] = value;
                }
            }
        }
        (cholesky, dense)
    }

    #[test]
    fn the_solution_solves() {
        for (columns, rows, block) in [(1, 1, 6), (7, 5, 6), (25, 20, 6), (30, 31, 3), (60, 50, 1)] {
            let (mut cholesky, dense) = example(columns, rows, block);
            let n = dense.nrows();
            let b: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
            cholesky.factor().unwrap();
            let mut x = b.clone();
            cholesky.solve(&mut x);
            for i in 0..n {
                let product: f64 = (0..n).map(|j| dense[(i, j)] * x[j]).sum();
                assert!((product - b[i]).abs() < 1e-11, "{columns} {rows} {block}");
            }
        }
    }

    #[test]
    fn one_thread_and_three_give_the_same_bits() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (mut cholesky, _) = example(40, 40, 6);
                cholesky.factor().unwrap();
                let mut x: Vec<f64> = (0..40 * 40 * 6).map(|i| (i as f64).cos()).collect();
                cholesky.solve(&mut x);
                x
            })
        };
        assert_eq!(run(1), run(3));
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_is_refused() {
        let (mut cholesky, _) = example(5, 5, 3);
        cholesky.values_mut()[0] = -1.0;
        assert_eq!(cholesky.factor(), Err(NotPositive));
    }
}
