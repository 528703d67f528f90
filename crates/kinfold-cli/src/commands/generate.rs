//! Shell completions, the manual page, the policy's JSON schema, and tables to test solvers with.

use super::{Voice, instance};
use crate::args::{Args, Artefact, GenerateArgs};
use crate::failure::Failure;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;
use std::path::Path;

pub fn run(args: &GenerateArgs, voice: &Voice) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    let mut command = Args::command();
    let fail = |e: std::io::Error| Failure::from(kinfold::Error::write(Path::new("standard output"), e));
    let mut complete = |shell: Shell| clap_complete::generate(shell, &mut command, "kinfold", &mut bytes);
    match &args.what {
        Artefact::Bash => complete(Shell::Bash),
        Artefact::Zsh => complete(Shell::Zsh),
        Artefact::Fish => complete(Shell::Fish),
        Artefact::Powershell => complete(Shell::PowerShell),
        Artefact::Man => manual(&mut bytes).map_err(fail)?,
        Artefact::Schema => {
            bytes = format!("{:#}\n", kinfold::model::policy::json_schema()).into_bytes();
        }
        Artefact::Instance(args) => return instance::run(args, voice),
    }
    super::print(&String::from_utf8_lossy(&bytes))
}

/// One page with every subcommand, so that there is one file to install.
fn manual(out: &mut Vec<u8>) -> std::io::Result<()> {
    let mut command = Args::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(out)?;
    manual_of(&command, "KINFOLD", out)
}

/// Sections for all subcommands, and for theirs.
fn manual_of(command: &clap::Command, name: &str, out: &mut Vec<u8>) -> std::io::Result<()> {
    for sub in command.get_subcommands().filter(|s| s.get_name() != "help") {
        let page = clap_mangen::Man::new(sub.clone());
        let name = format!("{name} {}", sub.get_name().to_uppercase());
        writeln!(out, ".SH \"{name}\"")?;
        page.render_description_section(out)?;
        page.render_synopsis_section(out)?;
        page.render_options_section(out)?;
        manual_of(sub, &name, out)?;
    }
    Ok(())
}
