//! A scene as one page of HTML that needs nothing else.

use crate::Scene;

/// The page of a scene: the same bytes every time.
pub fn html(scene: &Scene) -> String {
    scene.json()
}
