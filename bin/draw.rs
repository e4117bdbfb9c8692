//! `draw`: starts the command of this name in `hyades`; see the module of this name in
//! `src/cli/commands`.
#![no_main]

hyades_launcher::launch!("draw");
