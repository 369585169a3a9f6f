const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)

/** The page a new site shows until its owner uploads their own to `folder` of the home. No script, no foreign resource. */
export const placeholderPage = (domain: string, folder = 'public_html'): string => {
  const name = escapeHtml(domain)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<style>
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --ground: #f6f7f9; --line: #dfe3e8; --mark: #2f6fdb }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf2; --soft: #9aa6b5; --ground: #12161c; --line: #2a323d; --mark: #7aa9ff } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 2rem; background: var(--ground); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif }
main { max-width: 34rem; width: 100%; border-top: 3px solid var(--mark); padding-top: 1.5rem }
h1 { margin: 0 0 .5rem; font-size: clamp(1.5rem, 5vw, 2.25rem); line-height: 1.2; overflow-wrap: anywhere }
p { margin: 0 0 1rem; color: var(--soft) }
code { color: var(--ink); border: 1px solid var(--line); border-radius: .25rem; padding: 0 .3em }
</style>
</head>
<body>
<main>
<h1>${name}</h1>
<p>This site is set up and ready for its content.</p>
<p>Upload your pages to <code>${escapeHtml(folder)}</code>; an <code>index.html</code> or <code>index.php</code> there replaces this page.</p>
</main>
</body>
</html>
`
}
