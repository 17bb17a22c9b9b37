//! One page's work: the model as it stands, its history, its joints, and memory of solvers. A thread of its own answers
//! the questions of a socket one after another.

mod history;
mod import;
mod joints;
mod model_answer;
mod open;
mod situation;

use std::sync::Arc;

use drystone_mechanics::statics::Solvers;
use drystone_model::Model;
use serde_json::Value;

use crate::{
    ask,
    desk::Desk,
    outbox::{Gone, Outbox},
    protocol::{Ask, Question, Refusal},
    runs::Runs,
    server::Shared,
};
pub(crate) use history::{Built, Version};
pub(crate) use joints::{carried, found};
pub(crate) use open::uploaded;
pub(crate) use situation::Posed;

/// Why a question has no further answer.
pub(crate) enum Unanswered {
    /// The page is told.
    Refused(Refusal),
    /// There is nobody to tell.
    Gone,
}

impl<E: Into<Refusal>> From<E> for Unanswered {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

impl From<Gone> for Unanswered {
    fn from(_: Gone) -> Self {
        Self::Gone
    }
}

/// What a question comes to. Answers are sent as they are found.
pub(crate) type Done = Result<(), Unanswered>;

/// The work of one page.
pub(crate) struct Session {
    pub(crate) shared: Arc<Shared>,
    pub(crate) desk: Arc<Desk>,
    pub(crate) out: Outbox,
    pub(crate) history: history::History,
    pub(crate) solvers: Solvers,
    pub(crate) runs: Runs,
    /// What was found of the situation asked about last.
    pub(crate) findings: ask::Findings,
    posed: Option<(situation::Key, Arc<Posed>)>,
    /// A file that was read and not accepted yet.
    pending: Option<import::Pending>,
}

impl Session {
    pub(crate) fn new(shared: Arc<Shared>, desk: Arc<Desk>, out: Outbox) -> Self {
        let solvers = Solvers::stopped_by(desk.stop_flag());
        Self {
            shared,
            desk,
            out,
            history: history::History::default(),
            solvers,
            runs: Runs::default(),
            findings: ask::Findings::default(),
            posed: None,
            pending: None,
        }
    }

    /// Answers questions until the page has gone.
    pub(crate) fn work(mut self) {
        while let Some(question) = self.desk.take() {
            let id = question.id;
            let answered = self.answer(question);
            self.solvers.tell_nobody();
            let done = match answered {
                Ok(()) => Ok(()),
                Err(Unanswered::Refused(refusal)) => self.out.refuse(Some(id), &refusal),
                Err(Unanswered::Gone) => Err(Gone),
            };
            if done.is_err() {
                break;
            }
        }
        self.desk.close();
    }

    fn answer(&mut self, Question { id, ask }: Question) -> Done {
        match ask {
            Ask::Hello {} => self.out.answer(id, "hello", ask::hello(&self.shared))?,
            Ask::Build {
                recipe,
                values,
                keep_edits,
            } => self.build(id, &recipe, &values, keep_edits)?,
            Ask::Open(open) => self.open(id, open)?,
            Ask::Import(import) => self.import(id, &import)?,
            Ask::Save { path } => self.save(id, path)?,
            Ask::Check(asked) => ask::check(self, id, &asked)?,
            Ask::Tilt { asked, axis } => ask::tilt(self, id, &asked, axis)?,
            Ask::Limit {
                situation,
                direction,
                load,
                friction_law,
            } => ask::limit(self, id, &situation, direction, load, friction_law)?,
            Ask::Sensitivity(asked) => ask::sensitivity(self, id, &asked)?,
            Ask::Thrust(asked) => ask::thrust(self, id, &asked)?,
            Ask::Certificate(asked) => ask::certificate(self, id, &asked)?,
            Ask::Edit(edit) => {
                let version = crate::edit::edit(self.version()?, &edit)?;
                self.become_version(id, version)?;
            }
            Ask::Undo {} => {
                self.history.undo()?;
                self.tell_model(id)?;
            }
            Ask::Redo {} => {
                self.history.redo()?;
                self.tell_model(id)?;
            }
            Ask::Simulate(simulate) => crate::simulate::start(self, id, *simulate)?,
            Ask::Record { components, pga_g } => crate::simulate::record(self, id, &components, pga_g)?,
            Ask::Settle { situation, stages } => crate::settle::start(self, id, &situation, stages)?,
            Ask::Frames {} => self.frames(id)?,
            Ask::Study { path } => crate::study::watch(self, id, path)?,
            Ask::StudyRun { path, run } => crate::study::tell_run(self, id, &path, &run)?,
            Ask::Rerun {
                path,
                run,
                frames_per_s,
            } => crate::study::rerun(self, id, &path, &run, frames_per_s)?,
            Ask::Export(export) => crate::export::export(self, id, "export", &export)?,
            Ask::Report(export) => crate::export::export(self, id, "report", &export)?,
            // Told to the desk before they get here.
            Ask::Stop { .. } | Ask::Pause { .. } | Ask::Resume { .. } => {}
        }
        Ok(())
    }

    /// Says that a sweep begins, and from then on how far it is.
    pub(crate) fn tell_progress(&mut self, id: u64, what: &str) -> Result<(), Gone> {
        self.out.progress(id, 0.0, what)?;
        let out = self.out.clone();
        // Where the page has gone there is nobody to tell.
        self.solvers.tell(move |part, says| drop(out.progress(id, part, says)));
        Ok(())
    }

    /// The model as it stands.
    pub(crate) fn version(&self) -> Result<&Version, Refusal> {
        self.history.now().ok_or_else(no_model)
    }

    pub(crate) fn model(&self) -> Result<Arc<Model>, Refusal> {
        Ok(Arc::clone(&self.version()?.model))
    }

    /// Takes a changed model, and tells it.
    fn become_version(&mut self, id: u64, version: Version) -> Done {
        self.history.push(version);
        self.tell_model(id)
    }

    fn tell_model(&mut self, id: u64) -> Done {
        self.tell_model_with(id, Value::Null)
    }

    fn tell_model_with(&mut self, id: u64, mut more: Value) -> Done {
        let mut fields = model_answer::fields(&self.history)?;
        if let (Some(fields), Some(more)) = (fields.as_object_mut(), more.as_object_mut()) {
            fields.append(more);
        }
        let geometry = model_answer::geometry(id, self.version()?);
        self.out.answer(id, "model", fields)?;
        Ok(self.out.binary(geometry)?)
    }
}

fn no_model() -> Refusal {
    Refusal::new("there is no model yet").help("build or open one first")
}
