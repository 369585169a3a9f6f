import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const both = (light: string, dark: string): string => `light-dark(${light}, ${dark})`

/** The editor in the colours of the panel, for both themes at once. */
export const codeTheme = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--color-ink)',
    backgroundColor: 'var(--color-panel)',
    fontSize: '13px',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--color-accent)', padding: '10px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--color-accent)', borderLeftWidth: '2px' },
  '.cm-gutters': {
    backgroundColor: 'var(--color-sunken)',
    color: 'var(--color-faint)',
    border: 'none',
    borderRight: '1px solid var(--color-line)',
  },
  '.cm-activeLine': {
    backgroundColor: 'color-mix(in oklch, var(--color-accent) 6%, transparent)',
  },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--color-ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { backgroundColor: 'color-mix(in oklch, var(--color-accent) 26%, transparent)' },
  '.cm-selectionMatch': {
    backgroundColor: 'color-mix(in oklch, var(--color-accent) 14%, transparent)',
  },
  '.cm-panels': {
    backgroundColor: 'var(--color-sunken)',
    color: 'var(--color-ink)',
    borderColor: 'var(--color-line) !important',
  },
  '.cm-panel.cm-search': { padding: '8px 10px', fontFamily: 'var(--font-sans)' },
  '.cm-textfield': {
    backgroundColor: 'var(--color-bg)',
    border: '1px solid var(--color-line-strong)',
    borderRadius: '6px',
    padding: '3px 8px',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--color-panel)',
    border: '1px solid var(--color-line-strong)',
    borderRadius: '6px',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--color-raised)',
    border: '1px solid var(--color-line)',
    borderRadius: '8px',
    boxShadow: 'var(--shadow-float)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--color-accent-soft)',
    color: 'var(--color-ink)',
  },
})

/** Colours of syntax; at least 4.5:1 on the panel in both themes. */
export const codeHighlight = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.processingInstruction],
    color: both('oklch(0.5 0.19 300)', 'oklch(0.78 0.13 300)'),
  },
  {
    tag: [tags.string, tags.regexp, tags.special(tags.string), tags.attributeValue],
    color: both('oklch(0.48 0.12 150)', 'oklch(0.8 0.13 150)'),
  },
  {
    tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit, tags.color],
    color: both('oklch(0.52 0.14 50)', 'oklch(0.8 0.12 65)'),
  },
  { tag: [tags.comment, tags.meta], color: 'var(--color-muted)', fontStyle: 'italic' },
  {
    tag: [tags.tagName, tags.typeName, tags.className, tags.heading],
    color: both('oklch(0.5 0.14 240)', 'oklch(0.78 0.11 235)'),
    fontWeight: '560',
  },
  {
    tag: [tags.attributeName, tags.propertyName, tags.definition(tags.propertyName)],
    color: both('oklch(0.5 0.1 205)', 'oklch(0.8 0.09 200)'),
  },
  {
    tag: [tags.function(tags.variableName), tags.definition(tags.variableName)],
    color: both('oklch(0.47 0.12 260)', 'oklch(0.82 0.08 260)'),
  },
  { tag: [tags.link, tags.url], textDecoration: 'underline' },
  { tag: tags.invalid, color: 'var(--color-bad-ink)' },
])
