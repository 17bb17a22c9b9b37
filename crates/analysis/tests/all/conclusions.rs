//! What is concluded from all evidence, case by case.

use drystone_analysis::{Finding, Geometry, GeometryProblem, ProblemKind, Proof, Way, conclude};
use drystone_mechanics::statics::{Method, Verdict};

use Verdict::{Stable, Undecided, Unstable};

const CRA: Way = Way::Static(Method::Cra);
const CONE: Way = Way::Static(Method::Cone);
const PYRAMIDS: Way = Way::Static(Method::RbeLinearised);

fn accepted() -> Proof {
    Proof::Accepted
}

fn refused() -> Proof {
    Proof::Refused(vec!["forces balance on every block: 3e-2".into()])
}

fn found(way: Way, found: Verdict, proof: Proof) -> Finding {
    Finding { way, found, proof }
}

fn problem(kind: ProblemKind, message: &str) -> Geometry {
    Geometry {
        problems: vec![GeometryProblem {
            kind,
            blocks: vec!["a".into(), "b".into()],
            depth_m: Some(0.05),
            distance_m: None,
            affects_verdict: true,
            message: message.into(),
        }],
    }
}

fn sound() -> Geometry {
    Geometry::default()
}

fn overlapping() -> Geometry {
    problem(ProblemKind::Overlap, "`a` and `b` overlap by 50 mm")
}

fn apart() -> Geometry {
    problem(
        ProblemKind::NearlyTouching,
        "`a` touches nothing, but `b` is only 0.4 mm away",
    )
}

#[test]
fn each_state_of_knowledge_has_its_sentence() {
    let open = || Proof::Open(None);
    let cases: Vec<(Vec<Finding>, Geometry, Verdict, &str)> = vec![
        (
            vec![found(CRA, Stable, accepted()), found(CONE, Stable, accepted())],
            sound(),
            Stable,
            "It stands: equilibrium is proven, by forces mobilised by displacement; it needs no self-stress.",
        ),
        (
            vec![found(CRA, Undecided, accepted()), found(CONE, Stable, accepted())],
            sound(),
            Undecided,
            "Equilibrium is proven. Whether it needs self-stress is not decided.",
        ),
        (
            // Coupled analysis alone, which found forces on its way.
            vec![found(CRA, Undecided, accepted())],
            sound(),
            Undecided,
            "Equilibrium is proven. Whether it needs self-stress is not decided.",
        ),
        (
            vec![found(CRA, Unstable, open()), found(CONE, Stable, accepted())],
            sound(),
            Unstable,
            "Equilibrium is proven, but only with self-stress, which nothing ensures. Without it the structure falls \
             (evidence, not proof).",
        ),
        (
            vec![found(CRA, Unstable, open())],
            sound(),
            Unstable,
            "Without self-stress it falls (evidence, not proof). Whether it stands with self-stress was not checked.",
        ),
        (
            vec![found(CRA, Unstable, open()), found(CONE, Undecided, open())],
            sound(),
            Unstable,
            "Without self-stress it falls (evidence, not proof). Whether it stands with self-stress is not decided.",
        ),
        (
            vec![found(CONE, Stable, accepted())],
            sound(),
            Stable,
            "Equilibrium is proven, with self-stress allowed. Whether it needs self-stress was not checked.",
        ),
        (
            vec![found(CRA, Unstable, accepted()), found(CONE, Unstable, accepted())],
            sound(),
            Unstable,
            "It does not stand: a collapse mechanism exists (proven), whether self-stress is allowed or not.",
        ),
        (
            vec![found(CONE, Undecided, open())],
            sound(),
            Undecided,
            "Not decided: neither an admissible force distribution nor a collapse mechanism was found.",
        ),
        (
            vec![found(CRA, Undecided, open())],
            sound(),
            Undecided,
            "Not decided: neither forces mobilised by displacement nor a collapse mechanism was found.",
        ),
        (
            vec![found(PYRAMIDS, Stable, open())],
            sound(),
            Stable,
            "Forces in equilibrium were found, without proof that they stay within friction limits.",
        ),
        (
            vec![found(CONE, Stable, refused())],
            sound(),
            Undecided,
            "No verdict. The program's own check refused the result by cone: this is a defect of the program; please \
             report it.",
        ),
        (
            vec![found(CRA, Stable, refused()), found(CONE, Stable, accepted())],
            sound(),
            Undecided,
            "Equilibrium is proven. Whether it needs self-stress is not decided. The program's own check refused the \
             result by cra: this is a defect of the program; please report it.",
        ),
        (
            vec![found(CRA, Stable, accepted()), found(CONE, Unstable, accepted())],
            sound(),
            Undecided,
            "No verdict: an admissible force distribution and a collapse mechanism, which exclude each other, both passed \
             the program's own check. This is a defect of the program; please report it.",
        ),
        (
            vec![found(CONE, Stable, refused())],
            overlapping(),
            Undecided,
            "No verdict: the geometry is wrong. `a` and `b` overlap by 50 mm. Correct it and check again.",
        ),
        (
            // Joints stored with the model: the check of forces does not look at overlaps.
            vec![found(CONE, Stable, accepted())],
            overlapping(),
            Stable,
            "Equilibrium is proven, with self-stress allowed. Whether it needs self-stress was not checked. But the geometry \
             is wrong, and this holds only for the geometry as drawn: `a` and `b` overlap by 50 mm.",
        ),
        (
            vec![found(CONE, Unstable, accepted())],
            apart(),
            Unstable,
            "It does not stand because of its geometry: `a` touches nothing, but `b` is only 0.4 mm away. The collapse \
             mechanism is proven.",
        ),
        (
            vec![found(CONE, Undecided, open())],
            apart(),
            Undecided,
            "Not decided: neither an admissible force distribution nor a collapse mechanism was found. Its geometry is at \
             fault: `a` touches nothing, but `b` is only 0.4 mm away.",
        ),
        (
            vec![found(Way::Dynamic, Stable, open())],
            sound(),
            Stable,
            "In a simulation it comes to rest (no proof that it stands).",
        ),
        (
            vec![found(Way::Dynamic, Unstable, open())],
            sound(),
            Unstable,
            "In a simulation it falls (no proof).",
        ),
        (
            vec![found(CRA, Unstable, accepted()), found(Way::Dynamic, Stable, open())],
            sound(),
            Unstable,
            "It does not stand: a collapse mechanism exists (proven), whether self-stress is allowed or not. In a simulation \
             its blocks move and come to rest again.",
        ),
        (
            vec![found(CRA, Stable, accepted()), found(Way::Dynamic, Unstable, open())],
            sound(),
            Stable,
            "It stands: equilibrium is proven, by forces mobilised by displacement; it needs no self-stress. In a \
             simulation, from slightly open joints, it falls (no proof).",
        ),
    ];
    for (findings, geometry, verdict, sentence) in cases {
        let conclusion = conclude(&findings, &geometry);
        assert_eq!(conclusion.sentence, sentence, "{findings:?}");
        assert_eq!(conclusion.verdict, verdict, "{findings:?}");
    }
}

/// All that one method may have found, and that it was not asked.
fn all(way: Way) -> Vec<Option<Finding>> {
    let mut all = vec![None];
    for verdict in [Stable, Unstable, Undecided] {
        for proof in [accepted(), Proof::Open(None), refused()] {
            let from_simulation = way == Way::Dynamic && proof != Proof::Open(None);
            if !from_simulation {
                all.push(Some(found(way, verdict, proof)));
            }
        }
    }
    all
}

#[test]
fn no_combination_claims_a_proof_that_was_not_accepted_or_hides_a_problem() {
    let mut count = 0;
    for geometry in [sound(), overlapping(), apart()] {
        for first in all(CRA) {
            for second in all(CONE) {
                for third in all(Way::Dynamic) {
                    let findings: Vec<Finding> = [first.clone(), second.clone(), third].into_iter().flatten().collect();
                    if findings.is_empty() {
                        continue;
                    }
                    count += 1;
                    hold(&findings, &geometry);
                }
            }
        }
    }
    assert_eq!(count, 3 * (10 * 10 * 4 - 1));
}

fn hold(findings: &[Finding], geometry: &Geometry) {
    let conclusion = conclude(findings, geometry);
    let said = &conclusion.sentence;
    let has = |part: &str| said.contains(part);
    let is = |of: &dyn Fn(&Finding) -> bool| findings.iter().any(of);
    let is_accepted = |f: &Finding| f.proof == Proof::Accepted;
    let falls = is(&|f| is_accepted(f) && f.found == Unstable);
    let balances = is(&|f| is_accepted(f) && f.found != Unstable);
    let was_refused = is(&|f| f.proof.refused().is_some());
    assert!(
        said.ends_with('.') && !said.contains("..") && said.len() < 500,
        "{said}"
    );
    assert!(!has("eq.") && !has("e-") && !has("self_stress"), "{said}");
    // A proof is claimed only of what was accepted.
    if !falls {
        assert!(
            !has("a collapse mechanism exists") && !has("mechanism is proven"),
            "{findings:?}: {said}"
        );
    }
    if !balances {
        assert!(!has("quilibrium is proven"), "{findings:?}: {said}");
    }
    // What was refused is a defect, unless the geometry is at fault; what exclude each other are a defect always.
    let overlaps = !geometry.problems.is_empty() && said.contains("overlap");
    assert_eq!(
        has("please report it"),
        (was_refused && !overlaps) || (!was_refused && falls && balances),
        "{findings:?}: {said}"
    );
    // A problem of the geometry is never left out, but where the program contradicts itself.
    if let Some(problem) = geometry.problems.first()
        && !has("exclude each other")
    {
        assert!(has(&problem.message), "{findings:?}: {said}");
    }
    // The verdict is that of the first method, or withheld.
    let first = findings[0].verdict();
    assert!(
        conclusion.verdict == first || conclusion.verdict == Undecided,
        "{findings:?}: {said}"
    );
    if findings[0].proof.refused().is_some() {
        assert_eq!(conclusion.verdict, Undecided, "{findings:?}");
    }
    // What statics proves comes first.
    if falls && !balances && !(was_refused && overlaps) {
        assert!(said.starts_with("It does not stand"), "{findings:?}: {said}");
    }
}
