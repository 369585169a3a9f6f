const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Markup that needs no escaping any more. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

type Part = string | number | Html | readonly Html[]

const render = (part: Part): string => {
  if (part instanceof Html) return part.markup
  if (typeof part === 'object') return part.map(({ markup }) => markup).join('')
  return String(part).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}

/** Markup from a template; everything that is put in and is no markup itself is escaped. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(texts.reduce((all, text, at) => all + render(parts[at - 1] ?? '') + text))
