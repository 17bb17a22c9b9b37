use std::{
    fmt::Write,
    io::{IsTerminal, stderr},
    process::ExitCode,
};

use drystone_analysis::{Failure, FailureKind, Place};
use unicode_width::UnicodeWidthStr;

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

/// The line of a place, the one before it, and a mark under the place. Of long lines the part around it is shown; where a file
/// ends too early, its last line.
fn excerpt(Place { file, line, column }: &Place, text: &str) -> Option<String> {
    // A file may begin with a byte order mark, which is not counted.
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
    let number = (*line).min(lines.len());
    let last = lines.get(number.checked_sub(1)?)?;
    // Columns count bytes, from one.
    let before = if number < *line {
        last.len()
    } else {
        column.saturating_sub(1)
    };
    let mark = last.char_indices().take_while(|(at, _)| *at < before).count();
    let (shown, mark) = window(last, mark);
    let margin = number.to_string().len();
    let mut text = format!("{:margin$}--> {file}:{line}:{column}\n{:margin$} |\n", "", "");
    let above = number.checked_sub(2).map(|k| lines[k]);
    if let Some(above) = above.filter(|above| above.len() <= LONGEST) {
        let _ = writeln!(text, "{:margin$} | {}", number - 1, window(above, 0).0);
    }
    let _ = writeln!(text, "{number} | {shown}\n{:margin$} | {:mark$}^ here", "", "");
    Some(text)
}

/// Letters of a line that are shown at most.
const LONGEST: usize = 160;

/// A line as it can be shown, and how wide it is up to one of its letters.
fn window(line: &str, letter: usize) -> (String, usize) {
    // Control characters would move the cursor.
    let letters: Vec<char> = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let first = letter.min(letters.len()).saturating_sub(LONGEST / 2);
    let end = letters.len().min(first + LONGEST);
    let mut shown = String::from(if first > 0 { "..." } else { "" });
    shown.extend(&letters[first..letter.clamp(first, end)]);
    let width = shown.width();
    shown.extend(&letters[letter.clamp(first, end)..end]);
    shown.push_str(if end < letters.len() { "..." } else { "" });
    (shown, width)
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
    fn the_mark_stands_under_the_place_after_wide_letters_and_byte_order_marks() {
        // Two columns for each letter, three bytes.
        let marked = excerpt(&at(1, 10), "{\"\u{77f3}\u{6a4b}\"]").unwrap();
        assert!(
            marked.ends_with(&format!("\n  | {}^ here\n", " ".repeat(7))),
            "{marked}"
        );
        let marked = excerpt(&at(1, 2), "\u{feff}{]").unwrap();
        assert!(marked.ends_with("1 | {]\n  |  ^ here\n"), "{marked}");
    }

    #[test]
    fn of_a_long_line_the_part_around_the_place_is_shown() {
        let line = format!("{}]{}", "a".repeat(500), "b".repeat(500));
        let marked = excerpt(&at(1, 501), &line).unwrap();
        let rows: Vec<&str> = marked.lines().collect();
        assert_eq!(rows[2].find(']'), rows[3].find('^'), "{marked}");
        assert!(rows[2].len() < 200 && rows[2].ends_with("bbb..."), "{marked}");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let marked = excerpt(&at(1, 12), "{\t\"\u{1b}[31m\r\0\"]").unwrap();
        assert!(marked.chars().all(|c| c == '\n' || !c.is_control()), "{marked:?}");
    }

    #[test]
    fn a_file_that_ends_too_early_is_marked_at_its_end_and_an_empty_one_not_at_all() {
        let marked = excerpt(&at(3, 0), "{\n  \"a\": 1\n").unwrap();
        assert!(
            marked.ends_with("1 | {\n2 |   \"a\": 1\n  |         ^ here\n"),
            "{marked}"
        );
        assert_eq!(excerpt(&at(1, 5), ""), None);
        assert!(excerpt(&at(1, 900), "{").is_some());
    }
}
