//! Reports: one document of what was found, for people who have to hand it in.
//!
//! [`Document`] is what a report is made of, whichever front end has it, and lays it out in the same order: title, headline,
//! structure, assumptions, materials, loads, results with their certificates, figures, limitations, how to reproduce. [`of_folder`]
//! reads one from what a command left. [`Report`] is the page that comes of it, of any sections; [`pdf`] prints it by a browser.

mod acting;
mod document;
mod folder;
mod page;
pub mod pdf;
mod results;
mod texts;
mod values;

pub use document::{Cover, Document, Figure, today};
pub use folder::{Asked, QUESTION, STRUCTURE, asked, of_folder};
pub use page::{Image, Report, Section, Tone};
pub use results::{Still, stills};
pub use texts::About;
