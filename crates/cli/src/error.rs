use std::{
    fmt::Write,
    io::{IsTerminal, stderr},
    process::ExitCode,
};

use drystone_analysis::{Failure, FailureKind, Place};

/// Prints a failure on standard error and gives the exit status for it.
pub(crate) fn report(failure: &Failure) -> ExitCode {
    let is_coloured = stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let excerpt = failure.place().and_then(|place| {
        let text = std::fs::read_to_string(&place.file).ok()?;
        excerpt(place, &text)
    });
    eprint!("{}", shown(failure, excerpt.as_deref(), is_coloured));
    ExitCode::from(match failure.kind() {
        FailureKind::Input => 2,
        FailureKind::Run => 1,
    })
}

/// Messages hold file names and values that must stay whole for people to copy and scripts to find: no wrapping.
fn shown(failure: &Failure, excerpt: Option<&str>, is_coloured: bool) -> String {
    let label = |text: &str, colour: u8| match is_coloured {
        true => format!("\x1b[1;{colour}m{text}\x1b[0m"),
        false => text.to_string(),
    };
    let mut text = format!("{}: {}\n", label("error", 31), failure.message());
    text.push_str(excerpt.unwrap_or_default());
    if let Some(remedy) = failure.remedy() {
        let _ = writeln!(text, "{}: {remedy}", label("help", 36));
    }
    text
}

/// The line of a place, the one before it, and a mark under the place. A line that would fill the screen is not shown.
fn excerpt(Place { file, line, column }: &Place, text: &str) -> Option<String> {
    const LONGEST: usize = 400;
    let lines = || text.lines().enumerate().map(|(k, text)| (k + 1, text));
    let shown: Vec<_> = lines().filter(|(k, _)| *k + 1 == *line || k == line).collect();
    let (_, last) = *shown.last().filter(|(k, _)| k == line)?;
    if shown.iter().any(|(_, text)| text.len() >= LONGEST) {
        return None;
    }
    let margin = line.to_string().len();
    let mut text = format!("{:margin$}--> {file}:{line}:{column}\n{:margin$} |\n", "", "");
    for (number, line) in shown {
        let _ = writeln!(text, "{number:margin$} | {}", line.replace('\t', " "));
    }
    // Columns count bytes, the mark stands under a letter.
    let before = last.char_indices().take_while(|(at, _)| at + 1 < *column).count();
    let _ = writeln!(text, "{:margin$} | {:before$}^ here", "", "");
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: usize, column: usize) -> Place {
        Place {
            file: "model.json".into(),
            line,
            column,
        }
    }

    #[test]
    fn the_mark_stands_under_the_place() {
        let text = "{\n  \"name\": \"Brücke\",\n  \"blocks\": ]\n}";
        let expected =
            " --> model.json:3:13\n  |\n2 |   \"name\": \"Brücke\",\n3 |   \"blocks\": ]\n  |             ^ here\n";
        assert_eq!(excerpt(&at(3, 13), text).unwrap(), expected);
        // After a letter of two bytes.
        let marked = excerpt(&at(2, 20), text).unwrap();
        assert!(
            marked.ends_with(&format!("\n  | {}^ here\n", " ".repeat(18))),
            "{marked}"
        );
    }

    #[test]
    fn places_that_do_not_exist_and_enormous_lines_are_not_shown() {
        assert_eq!(excerpt(&at(7, 1), "{}"), None);
        assert_eq!(excerpt(&at(1, 5), ""), None);
        assert_eq!(excerpt(&at(1, 5), &"x".repeat(500)), None);
        assert!(excerpt(&at(1, 900), "{").is_some());
    }
}
