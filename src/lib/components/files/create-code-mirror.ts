import {
  indentUnit,
  LanguageDescription,
  type LanguageSupport,
  syntaxHighlighting,
} from '@codemirror/language'
import { indentWithTab } from '@codemirror/commands'
import { Compartment, EditorState } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { basicSetup } from 'codemirror'
import { extensionOf } from '$lib/format/file-kind'
import { codeHighlight, codeTheme } from './code-theme'

export interface CodeMirrorOptions {
  /** Whether it is only looked at. */
  readOnly: boolean
  /** Where it goes; its styles stay in there, where the content policy allows them. */
  root: ShadowRoot
  /** Tells the language. */
  name: string
  text: string
  /** What the editor is called by screen readers. */
  label: string
  onchange: () => void
  oncursor: (line: number, column: number) => void
  onsave: () => void
}

/** Extensions of names, and the language in its own chunk. */
const LANGUAGES: readonly [string, () => Promise<LanguageSupport>][] = [
  ['php phtml inc', async () => (await import('@codemirror/lang-php')).php()],
  ['html htm svelte vue', async () => (await import('@codemirror/lang-html')).html()],
  ['css scss less', async () => (await import('@codemirror/lang-css')).css()],
  [
    'js mjs cjs jsx',
    async () => (await import('@codemirror/lang-javascript')).javascript({ jsx: true }),
  ],
  [
    'ts tsx',
    async () =>
      (await import('@codemirror/lang-javascript')).javascript({ jsx: true, typescript: true }),
  ],
  ['json', async () => (await import('@codemirror/lang-json')).json()],
  ['md markdown', async () => (await import('@codemirror/lang-markdown')).markdown()],
  ['xml svg rss', async () => (await import('@codemirror/lang-xml')).xml()],
  ['sql', async () => (await import('@codemirror/lang-sql')).sql()],
  ['yml yaml', async () => (await import('@codemirror/lang-yaml')).yaml()],
]

const languageOf = (name: string): LanguageDescription | null => {
  const found = LANGUAGES.find(([names]) => names.split(' ').includes(extensionOf(name)))
  return found ? LanguageDescription.of({ name: found[0], load: found[1] }) : null
}

/** The line ending that a text uses throughout, so that saving changes none. */
const lineEndingOf = (text: string): string =>
  /\r\n/.test(text) && !/(^|[^\r])\n/.test(text) ? '\r\n' : '\n'

/** An editor for source texts, with search, completion, folding and undo. */
export const createCodeMirror = (options: CodeMirrorOptions) => {
  const { root, name, text, label, readOnly, onchange, oncursor, onsave } = options
  const language = new Compartment()
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([
          {
            key: 'Mod-s',
            preventDefault: true,
            run: () => {
              onsave()
              return true
            },
          },
        ]),
        basicSetup,
        // Escape and then Tab leaves the editor.
        keymap.of([indentWithTab]),
        EditorState.readOnly.of(readOnly),
        indentUnit.of(/^\t/m.test(text) ? '\t' : '  '),
        EditorState.lineSeparator.of(lineEndingOf(text)),
        // What scrolls can be reached by the keyboard.
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        codeTheme,
        syntaxHighlighting(codeHighlight),
        language.of([]),
        EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
          if (docChanged) onchange()
          if (!docChanged && !selectionSet) return
          const { head } = state.selection.main
          const line = state.doc.lineAt(head)
          oncursor(line.number, head - line.from + 1)
        }),
      ],
    }),
  })
  void languageOf(name)
    ?.load()
    .then((support) => view.dispatch({ effects: language.reconfigure(support) }))
  view.focus()
  return {
    text: (): string => view.state.sliceDoc(),
    focus: (): void => view.focus(),
    /** Marks a line, 1-based, and shows it; the last one where there are fewer. */
    goTo: (line: number): void => {
      const { doc } = view.state
      const { from, to } = doc.line(Math.max(1, Math.min(line, doc.lines)))
      const effects = EditorView.scrollIntoView(from, { y: 'center' })
      view.dispatch({ selection: { anchor: from, head: to }, effects })
      view.focus()
    },
    destroy: (): void => view.destroy(),
  }
}

export type CodeMirror = ReturnType<typeof createCodeMirror>
