//! A barrier for threads that meet every few microseconds.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Looks at the others before a thread lets somebody else have its core.
const PATIENCE: u32 = 4000;

/// Where all threads of a team meet before any goes on.
#[derive(Debug, Default)]
pub(super) struct Meeting {
    here: AtomicUsize,
    round: AtomicUsize,
    is_off: AtomicBool,
}

impl Meeting {
    /// Waits for the others. False where one of them will not come.
    pub(super) fn meet(&self, team: usize) -> bool {
        if team < 2 {
            return true;
        }
        let round = self.round.load(Ordering::Acquire);
        if self.here.fetch_add(1, Ordering::AcqRel) + 1 == team {
            self.here.store(0, Ordering::Relaxed);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return true;
        }
        let mut looks = 0;
        while self.round.load(Ordering::Acquire) == round {
            if self.is_off.load(Ordering::Relaxed) {
                return false;
            }
            looks += 1;
            match looks < PATIENCE {
                true => std::hint::spin_loop(),
                false => std::thread::yield_now(),
            }
        }
        true
    }

    /// Sends the others home if the thread that holds it ends in a panic.
    pub(super) fn attend(&self) -> Attendance<'_> {
        Attendance(self)
    }

    /// Begins anew.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }
}

/// See [`Meeting::attend`].
pub(super) struct Attendance<'a>(&'a Meeting);

impl Drop for Attendance<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.is_off.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_a_round_ahead() {
        let (meeting, team) = (Meeting::default(), 3);
        let rounds: Vec<AtomicUsize> = (0..team).map(|_| AtomicUsize::new(0)).collect();
        std::thread::scope(|scope| {
            for me in 0..team {
                let (meeting, rounds) = (&meeting, &rounds);
                scope.spawn(move || {
                    for k in 0..2000 {
                        rounds[me].store(k, Ordering::SeqCst);
                        assert!(meeting.meet(team));
                        assert!(rounds.iter().all(|r| r.load(Ordering::SeqCst) == k));
                        assert!(meeting.meet(team));
                    }
                });
            }
        });
    }

    #[test]
    fn a_thread_that_fails_does_not_leave_the_others_waiting() {
        let meeting = Meeting::default();
        std::thread::scope(|scope| {
            let failing = scope.spawn(|| {
                let _here = meeting.attend();
                panic!("on purpose");
            });
            let waiting = scope.spawn(|| meeting.meet(2));
            assert!(failing.join().is_err());
            assert!(!waiting.join().unwrap());
        });
    }
}
