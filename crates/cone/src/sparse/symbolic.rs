//! The elimination tree as dense fronts. A node eliminates a few neighbouring columns of blocks at once; its front has a
//! row for each of them and for each later block that they touch. Children come before parents.

use super::{
    graph::Graph,
    ordering::{minimum_degree, nested_dissection},
};

/// A node of the tree.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// First column of blocks that it eliminates, in elimination order.
    pub(crate) first: usize,
    /// How many it eliminates.
    pub(crate) width: usize,
    /// Later blocks that its front holds.
    pub(crate) rows: Vec<u32>,
    /// Where each of `rows` stands in the front of the parent, in blocks.
    pub(crate) relative: Vec<u32>,
    /// `relative` in runs of places that follow each other.
    pub(crate) runs: Vec<Run>,
    /// Parent; itself for a root.
    pub(crate) parent: usize,
    /// Children, rising.
    pub(crate) children: Vec<usize>,
    /// First node of its subtree; the subtree is everything from there to the node.
    pub(crate) subtree: usize,
    /// Multiplications that the subtree costs.
    pub(crate) work: f64,
}

/// Rows of a front that stand next to each other in the parent's, in blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// The first of them, and the one after the last.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Where the first stands in the parent's front.
    pub(crate) place: usize,
}

fn runs(relative: &[u32]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (k, &place) in relative.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if run.place + (k - run.start) == place as usize => run.end = k + 1,
            _ => runs.push(Run {
                start: k,
                end: k + 1,
                place: place as usize,
            }),
        }
    }
    runs
}

/// The tree, and the order it stands for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbolic {
    /// Side of a block.
    pub(crate) block: usize,
    /// Vertex that each column of blocks belongs to.
    pub(crate) order: Vec<u32>,
    /// Column of blocks of each vertex.
    pub(crate) position: Vec<u32>,
    /// Node of each column of blocks.
    pub(crate) node_of: Vec<u32>,
    pub(crate) nodes: Vec<Node>,
}

impl Symbolic {
    /// The tree of a graph for an order of elimination.
    pub(crate) fn new(graph: &Graph, order: &[u32], block: usize) -> Self {
        let order = postorder(graph, order);
        let (position, parent, columns) = structure(graph, &order);
        let nodes = gather(&parent, columns, block);
        let mut node_of = vec![0; order.len()];
        for (k, node) in nodes.iter().enumerate() {
            node_of[node.first..node.first + node.width].fill(k as u32);
        }
        let mut symbolic = Self {
            block,
            order,
            position,
            node_of,
            nodes,
        };
        symbolic.link();
        symbolic
    }

    /// The tree of a graph for the better of two orders. Both are cheap to find next to a single factorisation; which one
    /// is better depends on the graph.
    pub(crate) fn best(graph: &Graph, block: usize) -> Self {
        // Contacts of one joint of a body that deforms all have the same neighbours: a cut goes around them.
        let (gathered, groups) = graph.gathered();
        let all = |order: Vec<u32>| {
            order
                .iter()
                .flat_map(|&k| &groups[k as usize])
                .copied()
                .collect::<Vec<u32>>()
        };
        let dissected = Self::new(graph, &all(nested_dissection(&gathered)), block);
        let by_degree = Self::new(graph, &all(minimum_degree(&gathered)), block);
        if dissected.work() <= 1.05 * by_degree.work() {
            dissected
        } else {
            by_degree
        }
    }

    /// Multiplications of a factorisation.
    pub(crate) fn work(&self) -> f64 {
        let roots = self.nodes.iter().enumerate().filter(|(k, node)| node.parent == *k);
        roots.map(|(_, node)| node.work).sum()
    }

    /// Parents, children, relative positions, work.
    fn link(&mut self) {
        let b = self.block as f64;
        for k in 0..self.nodes.len() {
            let node = &self.nodes[k];
            let parent = node.rows.first().map_or(k, |&row| self.node_of[row as usize] as usize);
            let (first, width) = (self.nodes[parent].first, self.nodes[parent].width);
            let above = &self.nodes[parent].rows;
            let place = |&row: &u32| {
                let row = row as usize;
                if row < first + width {
                    (row - first) as u32
                } else {
                    (width + above.partition_point(|&r| (r as usize) < row)) as u32
                }
            };
            let relative = if parent == k {
                Vec::new()
            } else {
                node.rows.iter().map(place).collect()
            };
            let (w, m) = (node.width as f64 * b, node.rows.len() as f64 * b);
            let own = w * w * w / 6.0 + w * w * m / 2.0 + w * m * m / 2.0;
            let below: f64 = node.children.iter().map(|&c| self.nodes[c].work).sum();
            let subtree = node.children.first().map_or(k, |&c| self.nodes[c].subtree);
            let node = &mut self.nodes[k];
            node.parent = parent;
            node.runs = runs(&relative);
            node.relative = relative;
            node.work = own + below;
            node.subtree = subtree;
            if parent != k {
                self.nodes[parent].children.push(k);
            }
        }
    }
}

/// The elimination tree: for each column the first later one that it touches once fill is in, or the column itself.
fn tree(graph: &Graph, order: &[u32], position: &[u32]) -> Vec<usize> {
    let n = order.len();
    let mut parent: Vec<usize> = (0..n).collect();
    let mut ancestor: Vec<usize> = (0..n).collect();
    for k in 0..n {
        for &w in graph.neighbours(order[k]) {
            let mut i = position[w as usize] as usize;
            // Follow the path to the root, and shorten it for the next.
            while i < k {
                let next = ancestor[i];
                ancestor[i] = k;
                if next == i {
                    parent[i] = k;
                }
                i = if next == i { k } else { next };
            }
        }
    }
    parent
}

fn inverse(order: &[u32]) -> Vec<u32> {
    let mut position = vec![0; order.len()];
    for (k, &v) in order.iter().enumerate() {
        position[v as usize] = k as u32;
    }
    position
}

/// The same elimination, numbered so that every subtree is one run of columns.
fn postorder(graph: &Graph, order: &[u32]) -> Vec<u32> {
    let n = order.len();
    let parent = tree(graph, order, &inverse(order));
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut roots = Vec::new();
    for k in 0..n {
        if parent[k] == k {
            roots.push(k);
        } else {
            children[parent[k]].push(k);
        }
    }
    let mut result = Vec::with_capacity(n);
    let mut stack: Vec<(usize, bool)> = roots.into_iter().rev().map(|k| (k, false)).collect();
    while let Some((k, ready)) = stack.pop() {
        if ready {
            result.push(order[k]);
        } else {
            stack.push((k, true));
            stack.extend(children[k].iter().rev().map(|&c| (c, false)));
        }
    }
    result
}

/// Position of each vertex, parent of each column, and the later rows that each column touches once fill is in.
fn structure(graph: &Graph, order: &[u32]) -> (Vec<u32>, Vec<usize>, Vec<Vec<u32>>) {
    let n = order.len();
    let position = inverse(order);
    let parent = tree(graph, order, &position);
    let mut columns: Vec<Vec<u32>> = vec![Vec::new(); n];
    for k in 0..n {
        let mut rows = std::mem::take(&mut columns[k]);
        rows.extend(graph.neighbours(order[k]).iter().map(|&w| position[w as usize]));
        rows.retain(|&row| row as usize > k);
        rows.sort_unstable();
        rows.dedup();
        if parent[k] != k {
            columns[parent[k]].extend(&rows);
        }
        columns[k] = rows;
    }
    (position, parent, columns)
}

/// Gathers columns into nodes: those that touch the same rows, and small ones where the zeros that this stores are few.
fn gather(parent: &[usize], columns: Vec<Vec<u32>>, block: usize) -> Vec<Node> {
    struct Draft {
        first: usize,
        width: usize,
        rows: Vec<u32>,
        zeros: usize,
    }
    // Entries of a front's panel, in blocks.
    let panel = |width: usize, rows: usize| width * (width + 1) / 2 + width * rows;
    let mut drafts: Vec<Draft> = Vec::new();
    for (k, rows) in columns.into_iter().enumerate() {
        let mut draft = Draft {
            first: k,
            width: 1,
            rows,
            zeros: 0,
        };
        // Only the last finished node can be a child that ends right before this one. Its rows are among the columns
        // and rows of this one, because its parent is.
        while let Some(child) = drafts.last() {
            let last = child.first + child.width - 1;
            if parent[last] < draft.first || parent[last] > k || last + 1 != draft.first {
                break;
            }
            let width = child.width + draft.width;
            let stored = panel(width, draft.rows.len());
            let zeros = stored
                - (panel(child.width, child.rows.len()) - child.zeros)
                - (panel(draft.width, draft.rows.len()) - draft.zeros);
            let fraction = zeros as f64 / stored as f64;
            let worth = zeros == 0
                || (width * block <= 24 && fraction < 0.4)
                || (width * block <= 48 && fraction < 0.2)
                || fraction < 0.08;
            if !worth {
                break;
            }
            draft.first = child.first;
            draft.width = width;
            draft.zeros = zeros;
            drafts.pop();
        }
        drafts.push(draft);
    }
    let node = |draft: Draft| Node {
        first: draft.first,
        width: draft.width,
        rows: draft.rows,
        relative: Vec::new(),
        runs: Vec::new(),
        parent: 0,
        children: Vec::new(),
        subtree: 0,
        work: 0.0,
    };
    drafts.into_iter().map(node).collect()
}
