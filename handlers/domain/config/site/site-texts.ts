import type { SiteText, VirtualHostConfig } from '../virtual-host-config.ts'

/** How a target of a rule begins that answers with a text of the virtual host; its name follows. */
export const TEXT_SCHEME = 'text://'

/** Names of texts. */
export const TEXT_NAME = /^[a-z][a-z0-9-]{0,31}$/

/** Type of a text that names none. */
export const PLAIN_TEXT = 'text/plain; charset=utf-8'

/** The name in a target of a rule; null: it is about no text. */
export const textNamed = (target: string): string | null => {
  const name = target.startsWith(TEXT_SCHEME) ? target.slice(TEXT_SCHEME.length) : ''
  return TEXT_NAME.test(name) ? name : null
}

/** The text of this name; null: there is none. */
export const textOf = (
  { texts }: Pick<VirtualHostConfig, 'texts'>,
  name: string,
): SiteText | null =>
  texts !== undefined && Object.hasOwn(texts, name) ? (texts[name] ?? null) : null

/** Names of texts that rules of the host's own configuration answer with, and that it does not have. */
export const unknownTexts = (
  host: Pick<VirtualHostConfig, 'texts' | 'rewrites' | 'rules'>,
): string[] => {
  const all = [...host.rewrites.map(({ target }) => target), host.rules ?? '']
  const named = all.flatMap((text) =>
    [...text.matchAll(/text:\/\/([^\s/"?]{0,100})/g)].map(([, name = '']) => name),
  )
  return [...new Set(named)].filter((name) => textOf(host, name) === null)
}
