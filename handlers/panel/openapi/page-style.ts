/** The style sheet of the page; its hash is in the page's Content-Security-Policy. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: light-dark(#0b57d0, #8ab4f8); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 18rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line); font-size: .875rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
nav a { display: block; padding: .15rem 0; overflow-wrap: anywhere; }
main { padding: 1rem 2rem 4rem; max-width: 62rem; }
a { color: var(--link); }
section { border-top: 1px solid var(--line); padding: .5rem 0 1.5rem; }
h1 { margin-top: 0; }
h3 { font-size: 1.05rem; margin: .75rem 0 .25rem; overflow-wrap: anywhere; }
h4 { margin: 1rem 0 .25rem; font-size: .9rem; }
code, pre { font: .875rem/1.5 ui-monospace, monospace; }
pre { background: var(--soft); padding: .75rem; overflow: auto; border-radius: .375rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-weight: 400; }
.preamble { white-space: pre-line; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border: 0; } main { padding: 1rem; } }
`
