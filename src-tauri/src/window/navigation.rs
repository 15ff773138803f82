//! Where the page may go: nowhere. It is one page, from the program itself; a link to elsewhere is refused.

use tauri::Url;

/// Whether an address is the page's own: the program's, or the development server's in a development build.
pub(crate) fn is_own(url: &Url, dev: Option<&Url>) -> bool {
    let own = url.scheme() == "tauri" && url.host_str() == Some("localhost") && url.port().is_none();
    own || dev.is_some_and(|dev| dev.origin() == url.origin() && dev.origin().is_tuple())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_goes_nowhere_but_to_itself() {
        let dev: Url = "http://127.0.0.1:1420".parse().unwrap();
        let table = [
            ("tauri://localhost", true, true),
            ("tauri://localhost/index.html#/settings", true, true),
            ("http://127.0.0.1:1420/src/main.ts", false, true),
            ("http://127.0.0.1:1421/", false, false),
            ("https://127.0.0.1:1420/", false, false),
            ("tauri://elsewhere/", false, false),
            ("tauri://localhost:8080/", false, false),
            ("tauri://localhost.example.org/", false, false),
            ("https://localhost/", false, false),
            ("https://example.org/?tauri://localhost", false, false),
            ("file:///etc/passwd", false, false),
            ("about:blank", false, false),
            ("data:text/html,hello", false, false),
            ("javascript:alert(1)", false, false),
            ("ipc://localhost/about", false, false),
        ];
        for (text, built, in_development) in table {
            let url: Url = text.parse().unwrap();
            assert_eq!(is_own(&url, None), built, "{text}");
            assert_eq!(is_own(&url, Some(&dev)), in_development, "{text} in development");
        }
    }
}
