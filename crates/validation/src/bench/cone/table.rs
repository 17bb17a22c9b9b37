//! Text tables that are printed line by line.

/// A table whose columns have their widths before its first row is known. A cell that is wider than its column moves what
/// follows it in its line.
pub(super) struct Table {
    /// Whether a column is set to the left, its name, its width.
    columns: Vec<(bool, &'static str, usize)>,
}

impl Table {
    /// Columns by their heads, which begin with `<` where a column is set to the left and with `>` where to the right, and
    /// the widths that their cells need.
    pub(super) fn new<const N: usize>(columns: [(&'static str, usize); N]) -> Self {
        let column = |(head, width): (&'static str, usize)| {
            let name = &head[1..];
            (head.starts_with('<'), name, width.max(name.chars().count()))
        };
        Self {
            columns: columns.map(column).to_vec(),
        }
    }

    /// The line above the rows.
    pub(super) fn head(&self) -> String {
        let names: Vec<String> = self.columns.iter().map(|(_, name, _)| name.to_string()).collect();
        self.line(&names)
    }

    /// A row.
    pub(super) fn line(&self, cells: &[String]) -> String {
        let padded = cells.iter().zip(&self.columns).map(|(cell, &(left, _, width))| {
            if left {
                format!("{cell:<width$}")
            } else {
                format!("{cell:>width$}")
            }
        });
        let joined = padded.collect::<Vec<_>>().join("  ");
        joined.trim_end().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn columns_are_as_wide_as_their_heads_and_as_what_they_are_to_hold() {
        let table = Table::new([("<x", 3), (">long", 2)]);
        assert_eq!(table.head(), "x    long");
        let row = |x: &str, y: &str| table.line(&[x.to_string(), y.to_string()]);
        assert_eq!(row("a", "1000"), "a    1000");
        assert_eq!(row("bcd", "2"), "bcd     2");
    }
}
