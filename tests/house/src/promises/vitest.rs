//! The tests of the page, found in a `*.test.ts` file: calls of `test` or `it` with a literal name. Names made by `test.each`
//! hold placeholders, so no promise can name one.

/// The names of the tests in a file's text, in its order.
pub(super) fn names(text: &str) -> Vec<String> {
    let starts = ["test(", "it("];
    let mut names = Vec::new();
    for (at, _) in text.char_indices() {
        let rest = &text[at..];
        let Some(start) = starts.iter().find(|start| rest.starts_with(**start)) else { continue };
        let is_word = text[..at].ends_with(|last: char| last.is_alphanumeric() || "_$.".contains(last));
        if !is_word && let Some(name) = literal(rest[start.len()..].trim_start()) {
            names.push(name);
        }
    }
    names
}

/// The string literal that a text starts with, with `\"` and the like resolved.
fn literal(text: &str) -> Option<String> {
    let mut characters = text.chars();
    let quote = characters.next().filter(|first| "\"'`".contains(*first))?;
    let mut value = String::new();
    loop {
        match characters.next()? {
            end if end == quote => return Some(value),
            '\\' => value.push(characters.next()?),
            other => value.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_names_are_found() {
        let text = r#"
            test("says the name", async () => {});
            it('has \'quotes\'', () => {});
            test(
              `over two lines`,
              () => {},
            );
            test.each([1])("%d is not named", () => {});
            regex.test("no test"); visit("none"); test(name, () => {});
        "#;
        assert_eq!(names(text), ["says the name", "has 'quotes'", "over two lines"]);
    }
}
