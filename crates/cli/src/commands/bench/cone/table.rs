//! Text tables with columns as wide as what they hold.

/// Lines of a table. A head begins with `<` where its column is set to the left, with `>` where to the right.
pub(super) fn lines(head: &[&str], rows: Vec<Vec<String>>) -> String {
    let names: Vec<String> = head.iter().map(|h| h[1..].to_string()).collect();
    let all: Vec<&Vec<String>> = std::iter::once(&names).chain(&rows).collect();
    let width = |k: usize| all.iter().filter_map(|row| row.get(k)).map(|c| c.chars().count()).max();
    let widths: Vec<usize> = (0..head.len()).map(|k| width(k).unwrap_or(0)).collect();
    let line = |row: &&Vec<String>| {
        let cells = row.iter().zip(head).zip(&widths).map(|((cell, head), &width)| {
            if head.starts_with('<') {
                format!("{cell:<width$}")
            } else {
                format!("{cell:>width$}")
            }
        });
        let joined = cells.collect::<Vec<_>>().join("  ");
        format!("{}\n", joined.trim_end())
    };
    all.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn columns_are_as_wide_as_what_they_hold() {
        let rows = vec![
            vec!["a".to_string(), "1000".to_string()],
            vec!["bcd".to_string(), "2".to_string()],
        ];
        assert_eq!(super::lines(&["<x", ">y"], rows), "x       y\na    1000\nbcd     2\n");
    }
}
