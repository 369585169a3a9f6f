import { trimEndOf } from '../../../edge-cache/fields/field-text.ts'

/** Settings of one file. */
const MAX_SETTINGS = 200

const valueOf = (text: string): string => {
  const first = text[0]
  if (first === '"' || first === "'") {
    const end = text.indexOf(first, 1)
    return end === -1 ? text.slice(1) : text.slice(1, end)
  }
  const comment = text.indexOf(';')
  return (comment === -1 ? text : text.slice(0, comment)).trim()
}

const SPOKEN: Readonly<Record<string, string>> = {
  ...{ on: '1', yes: '1', true: '1' },
  ...{ off: '0', no: '0', false: '0', none: '' },
}

/** What a `.user.ini` says for all of its directory, the last word of each setting. */
export const parseUserIni = (content: string): ReadonlyMap<string, string> => {
  const settings = new Map<string, string>()
  for (const line of content.split('\n')) {
    const text = line.trim()
    // Sections are for other hosts and paths.
    if (text.startsWith('[')) break
    const equals = text.indexOf('=')
    if (equals < 1 || text.startsWith(';')) continue
    const name = trimEndOf(text.slice(0, equals), ' ')
    if (!/^[A-Za-z][\w.]{0,99}$/.test(name)) continue
    const value = valueOf(text.slice(equals + 1).trim())
    settings.set(name, SPOKEN[value.toLowerCase()] ?? value)
    if (settings.size === MAX_SETTINGS) break
  }
  return settings
}
