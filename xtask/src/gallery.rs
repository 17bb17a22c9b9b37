//! The gallery of the documentation: ten structures with verdict, capacity and a film, all by the program itself.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{Done, cargo, root, target};

/// The program to ask, where another one than that of a release build is wanted.
const PROGRAM: &str = "DRYSTONE_PROGRAM";

/// A structure of the gallery.
struct Piece {
    name: &'static str,
    title: &'static str,
    says: &'static str,
    /// Recipe and its parameters.
    new: &'static str,
    /// Direction of the capacity.
    direction: &'static str,
    /// How its ground moves, and for how long it is looked at.
    shake: &'static str,
}

const PIECES: [Piece; 10] = [
    Piece {
        name: "block",
        title: "A block that overturns",
        says: "Housner's block: a pulse makes it rock about its edge, and this one is large enough.",
        new: "block --width 0.5 --depth 0.5 --height 2",
        direction: "1,0,0",
        shake: "--duration 3 --motion impulse:peak=0.4g,half_period=0.4,direction=x",
    },
    Piece {
        name: "stack",
        title: "A stack that slides",
        says: "Six slabs with little friction. They slide on each other before they would rock.",
        new: "stack --blocks 6 --friction 0.25",
        direction: "1,0,0",
        shake: "--duration 2.5 --motion sine:amplitude=0.5g,frequency=1.2,direction=x",
    },
    Piece {
        name: "column",
        title: "A column of drums",
        says: "Five drums and a capital rock and twist on each other.",
        new: "column --drums 5 --sides 12",
        direction: "1,0,0",
        shake: "--duration 3 --motion impulse:peak=0.5g,half_period=0.6,direction=x",
    },
    Piece {
        name: "oppenheim-arch",
        title: "The arch of Oppenheim",
        says: "Seven voussoirs of the classical study of arches under pulses of the ground.",
        new: "oppenheim-arch",
        direction: "1,0,0",
        shake: "--duration 2 --motion impulse:peak=0.6g,half_period=0.3,direction=x",
    },
    Piece {
        name: "thin-arch",
        title: "An arch that is too thin",
        says: "Thinner than the least thickness of a semicircular arch, it falls by its weight: hinges at the crown, the haunches and \
               the springings.",
        new: "arch --thickness 0.4 --voussoirs 24",
        direction: "1,0,0",
        shake: "--duration 1.6",
    },
    Piece {
        name: "arch",
        title: "An arch in an earthquake",
        says: "A semicircular arch that stands well at rest, on ground that shakes.",
        new: "arch --voussoirs 20",
        direction: "1,0,0",
        shake: "--duration 2.5 --motion sine:amplitude=0.4g,frequency=1,direction=x",
    },
    Piece {
        name: "wall",
        title: "A wall that overturns",
        says: "A free-standing wall in running bond, pushed out of its plane.",
        new: "wall --length 2.4 --height 1.8",
        direction: "0,1,0",
        shake: "--duration 2 --motion impulse:peak=0.4g,half_period=0.6,direction=y",
    },
    Piece {
        name: "rubble-wall",
        title: "A wall of rubble",
        says: "Irregular stones; the bond is what the stones make of it.",
        new: "rubble-wall",
        direction: "0,1,0",
        shake: "--duration 2 --motion impulse:peak=0.4g,half_period=0.6,direction=y",
    },
    Piece {
        name: "shelf",
        title: "A designer's shelf",
        says: "Struts wedged in a frame. One of them slides out.",
        new: "shelf",
        direction: "1,0,0",
        shake: "--duration 1.2",
    },
    Piece {
        name: "three-legged-pi",
        title: "A figure on three legs",
        says: "A slab on three legs that leans on its own weight.",
        new: "three-legged-pi",
        direction: "1,0,0",
        shake: "--duration 2 --motion impulse:peak=0.5g,half_period=0.4,direction=x",
    },
];

/// Writes `docs/gallery.md` and the films beside it.
pub(crate) fn write() -> Done {
    let program = match env::var_os(PROGRAM) {
        Some(path) => PathBuf::from(path),
        None => {
            cargo(&["build", "--release", "--bin", "drystone"], &[])?;
            target().join("release/drystone")
        }
    };
    let films = root().join("docs/gallery");
    let scratch = target().join("gallery");
    fs::create_dir_all(&films).map_err(|e| format!("{}: {e}", films.display()))?;
    fs::create_dir_all(&scratch).map_err(|e| format!("{}: {e}", scratch.display()))?;
    let mut text = String::from(
        "# Gallery\n\nTen structures, each by four commands: what it is, whether it stands, how much it carries sideways, and what it does. \
         Made by the program itself (`cargo xtask gallery`); verdicts and capacities are its own words.\n",
    );
    for piece in &PIECES {
        println!("{}", piece.name);
        text += &section(piece, &program, &scratch, &films)?;
    }
    let path = root().join("docs/gallery.md");
    fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
}

fn section(piece: &Piece, program: &Path, scratch: &Path, films: &Path) -> Result<String, String> {
    let Piece {
        name,
        title,
        says,
        new,
        direction,
        shake,
    } = piece;
    let commands = [
        format!("new {new} -o {name}.json"),
        format!("check {name}.json"),
        format!("limit {name}.json --direction {direction}"),
        format!("simulate {name}.json {shake} --dt 0.01 --every 0.05 -o {name}"),
    ];
    let mut heard = Vec::new();
    for (k, command) in commands.iter().enumerate() {
        let overwrite = if k == 3 { " --overwrite" } else { "" };
        heard.push(told(program, &format!("{command}{overwrite} --quiet"), scratch)?);
    }
    let film = scratch.join(name).join("film.gif");
    fs::copy(&film, films.join(format!("{name}.gif"))).map_err(|e| format!("{}: {e}", film.display()))?;
    let first = |k: usize| {
        let line = heard[k].lines().next().unwrap_or_default();
        line.split_once(": ").map_or(line, |(_, said)| said).to_string()
    };
    let collapsed = heard[3]
        .lines()
        .any(|line| line.starts_with("collapsed") && !line.contains(" no"));
    let shaken = match (collapsed, shake.contains("--motion")) {
        (true, true) => "It collapses in the film.",
        (true, false) => "It falls by its weight in the film.",
        (false, _) => "It does not collapse in the film.",
    };
    let listed: Vec<String> = commands.iter().map(|c| format!("drystone {c}")).collect();
    Ok(format!(
        "\n## {title}\n\n![{title}](gallery/{name}.gif)\n\n{says}\n\n- Verdict: {}\n- Sideways: {}\n- {shaken}\n\n```\n{}\n```\n",
        first(1),
        first(2),
        listed.join("\n")
    ))
}

/// What the program prints.
fn told(program: &Path, command: &str, folder: &Path) -> Result<String, String> {
    let output = Command::new(program)
        .args(command.split(' '))
        .current_dir(folder)
        .output()
        .map_err(|e| format!("{}: {e}", program.display()))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!(
            "drystone {command}: {}",
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}
