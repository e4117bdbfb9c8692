//! Logs of what was done to a system: one JSON object a line.

use hyades_formats::StateId;
use serde::{Deserialize, Serialize};

use super::action::Action;
use super::event::{ComponentId, Transition};
use super::model::Beyond;
use super::rules::Application;
use super::system::System;

/// A transition: source, label, target.
type Edge = (u32, String, u32);

/// A line of a log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case", deny_unknown_fields)]
enum Entry {
    Theta1 {
        component: String,
        state: u32,
    },
    Theta2 {
        component: String,
        transition: Edge,
    },
    Theta3 {
        component: String,
        state: u32,
    },
    Theta4 {
        component: String,
        state: u32,
        transitions: Vec<Edge>,
    },
    Theta5 {
        component: String,
        transition: Edge,
    },
    Theta6 {
        component: String,
        transition: Edge,
        events: (usize, usize),
    },
    Reachable {
        component: String,
    },
    Unexecuted {
        component: String,
        transitions: Vec<Edge>,
        /// Whether the system was explored beyond overfilled channels.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        beyond_overfilled: bool,
    },
    Merge {
        component: String,
        states: Vec<(u32, u32)>,
    },
    Compose {
        components: Vec<String>,
        name: String,
    },
    Renumber,
}

/// What a line says.
fn entry(line: &str) -> Result<Entry, String> {
    let expected =
        "expected an object such as {\"rule\":\"theta1\",\"component\":\"A\",\"state\":1}";
    if !line.trim_start().starts_with('{') {
        return Err(format!("no object: {expected}"));
    }
    serde_json::from_str(line).map_err(|error| {
        let column = error.column();
        if !error.is_data() {
            return format!("no JSON from column {column} on: {expected}");
        }
        // The line of the log is told; this one is always the first.
        let text = error.to_string();
        let end = format!(" at line 1 column {column}");
        text.strip_suffix(&end).unwrap_or(&text).to_owned()
    })
}

impl System {
    /// A line of a log for an action on this system, without the line's end.
    pub fn log_line(&self, action: &Action) -> String {
        let component = |id: &ComponentId| self.component_name(*id).to_owned();
        let edge = |id: &ComponentId, t: &Transition| -> Edge {
            (
                t.source.get(),
                self.show_label(*id, &t.label),
                t.target.get(),
            )
        };
        let edges = |id, list: &[Transition]| list.iter().map(|t| edge(id, t)).collect();
        let entry = match action {
            Action::Rule(id, application) => {
                let component = component(id);
                match application {
                    Application::Theta1(state) => Entry::Theta1 {
                        component,
                        state: state.get(),
                    },
                    Application::Theta2(transition) => Entry::Theta2 {
                        component,
                        transition: edge(id, transition),
                    },
                    Application::Theta3(state) => Entry::Theta3 {
                        component,
                        state: state.get(),
                    },
                    Application::Theta4(state, transitions) => Entry::Theta4 {
                        component,
                        state: state.get(),
                        transitions: edges(id, transitions),
                    },
                    Application::Theta5(transition) => Entry::Theta5 {
                        component,
                        transition: edge(id, transition),
                    },
                    Application::Theta6(transition, first, second) => Entry::Theta6 {
                        component,
                        transition: edge(id, transition),
                        events: (*first, *second),
                    },
                }
            }
            Action::Trim(id) => Entry::Reachable {
                component: component(id),
            },
            Action::Unexecuted(id, transitions, beyond) => Entry::Unexecuted {
                component: component(id),
                transitions: edges(id, transitions),
                beyond_overfilled: match beyond {
                    Beyond::Stop => false,
                    Beyond::Expand => true,
                },
            },
            Action::Merge(id, pairs) => Entry::Merge {
                component: component(id),
                states: pairs.iter().map(|(a, b)| (a.get(), b.get())).collect(),
            },
            Action::Compose(ids, name) => Entry::Compose {
                components: ids.iter().map(component).collect(),
                name: name.clone(),
            },
            Action::Renumber => Entry::Renumber,
        };
        serde_json::to_string(&entry).expect("strings and numbers are JSON")
    }

    /// The action that a line of a log tells, of this system.
    ///
    /// # Errors
    /// If the line is none, or names what the system does not have. Lower case, no
    /// full stop.
    pub fn log_action(&self, line: &str) -> Result<Action, String> {
        let entry = entry(line)?;
        let id = |name: &str| {
            self.component(name).ok_or_else(|| {
                let names = self.names().join(", ");
                format!("there is no component {name}; expected one of {names}")
            })
        };
        let of_rule = |id, application| Ok(Action::Rule(id, application));
        match entry {
            Entry::Theta1 { component, state } => {
                of_rule(id(&component)?, Application::Theta1(StateId::new(state)))
            }
            Entry::Theta3 { component, state } => {
                of_rule(id(&component)?, Application::Theta3(StateId::new(state)))
            }
            Entry::Theta2 {
                component,
                transition,
            } => {
                let id = id(&component)?;
                of_rule(id, Application::Theta2(self.edge(id, &transition)?))
            }
            Entry::Theta4 {
                component,
                state,
                transitions,
            } => {
                let id = id(&component)?;
                let state = StateId::new(state);
                of_rule(
                    id,
                    Application::Theta4(state, self.edges(id, &transitions)?),
                )
            }
            Entry::Theta5 {
                component,
                transition,
            } => {
                let id = id(&component)?;
                of_rule(id, Application::Theta5(self.edge(id, &transition)?))
            }
            Entry::Theta6 {
                component,
                transition,
                events: (first, second),
            } => {
                let id = id(&component)?;
                let transition = self.edge(id, &transition)?;
                of_rule(id, Application::Theta6(transition, first, second))
            }
            Entry::Reachable { component } => Ok(Action::Trim(id(&component)?)),
            Entry::Unexecuted {
                component,
                transitions,
                beyond_overfilled,
            } => {
                let id = id(&component)?;
                let beyond = match beyond_overfilled {
                    true => Beyond::Expand,
                    false => Beyond::Stop,
                };
                let transitions = self.edges(id, &transitions)?;
                Ok(Action::Unexecuted(id, transitions, beyond))
            }
            Entry::Merge { component, states } => {
                let pair = |(a, b)| (StateId::new(a), StateId::new(b));
                Ok(Action::Merge(
                    id(&component)?,
                    states.into_iter().map(pair).collect(),
                ))
            }
            Entry::Compose { components, name } => {
                let ids: Result<_, String> = components.iter().map(|name| id(name)).collect();
                Ok(Action::Compose(ids?, name))
            }
            Entry::Renumber => Ok(Action::Renumber),
        }
    }

    fn edges(&self, id: ComponentId, edges: &[Edge]) -> Result<Vec<Transition>, String> {
        edges.iter().map(|edge| self.edge(id, edge)).collect()
    }

    fn edge(&self, id: ComponentId, (source, text, target): &Edge) -> Result<Transition, String> {
        self.transition(id, *source, text, *target)
    }
}
