//! Which formats of families have a case in a document.

use super::misfit::Rejection;
use super::reader::FamilyReader;
use crate::text::json::JsonNode;

/// Where the first case of each format is, if there is one.
pub(super) fn first_cases(readers: &[&FamilyReader], root: JsonNode<'_>) -> Vec<Option<u32>> {
    let mut found = vec![None; readers.len()];
    let mut rest: Vec<usize> = (0..readers.len()).collect();
    while let Some(first) = rest.first() {
        let cases = &readers[*first].format().cases;
        let together = rest.extract_if(.., |number| readers[*number].format().cases == *cases).collect();
        look_together(readers, together, root, &mut found);
    }
    found
}

/// Looks for cases of formats that have them at the same places. The first item that is a case decides which families
/// fit; another layout of theirs may be that of later items. The items of a file of another family mostly look alike, and
/// there may be a million: formats that reject one for the same reason look at the next one once.
fn look_together<'d>(
    readers: &[&FamilyReader],
    mut asked: Vec<usize>,
    root: JsonNode<'d>,
    found: &mut [Option<u32>],
) {
    let Some(first) = asked.first() else { return };
    let mut rejections: Vec<(Rejection<'_, 'd>, Vec<usize>)> = Vec::new();
    for node in readers[*first].places(root) {
        rejections.retain_mut(|(rejection, numbers)| {
            let applies = rejection.applies(node);
            if !applies {
                asked.append(numbers);
            }
            applies
        });
        let mut fitting = Vec::new();
        for number in asked.drain(..) {
            match readers[number].rejection(node) {
                None => {
                    found[number] = Some(node.at());
                    fitting.push(readers[number].machine());
                }
                Some(rejection) => match rejections.iter_mut().find(|known| known.0 == rejection) {
                    Some((_, numbers)) => numbers.push(number),
                    None => rejections.push((rejection, vec![number])),
                },
            }
        }
        if !fitting.is_empty() {
            for (_, numbers) in &mut rejections {
                numbers.retain(|number| fitting.contains(&readers[*number].machine()));
            }
            rejections.retain(|(_, numbers)| !numbers.is_empty());
        }
        if rejections.is_empty() {
            return;
        }
    }
}
