import { HEAD_BYTES, readVersionText } from './wordpress-version.ts'

/** What the first lines of a plugin's or theme's main file say. */
export interface ExtensionHead {
  name: string
  /** Null where they tell none. */
  version: string | null
}

const MAX_NAME_CHARS = 200
/** What a comment begins its lines with. */
const LEAD = new Set([' ', '\t', '/', '*', '#', '@'])

const withoutLead = (line: string): string => {
  let from = 0
  // A file may begin so in its first line.
  if (line.startsWith('<?php')) from = 5
  while (LEAD.has(line.charAt(from))) from++
  return line.slice(from)
}

/** Without what ends a comment. */
const valueOf = (text: string): string => {
  const ends = ['*/', '?>'].map((end) => text.indexOf(end)).filter((at) => at !== -1)
  const whole = text.slice(0, Math.min(text.length, ...ends)).trim()
  let shown = ''
  for (const char of whole) shown += char < ' ' || char === '\u007f' ? ' ' : char
  return shown.slice(0, MAX_NAME_CHARS).trim()
}

/**
 * The head of a plugin (`Plugin Name:`) or theme (`Theme Name:`) as WordPress reads it; null
 * where the file is none. In linear time, whatever it holds.
 */
export const readExtensionHead = (
  text: string,
  field: 'Plugin Name' | 'Theme Name',
): ExtensionHead | null => {
  let name: string | null = null
  let version: string | null = null
  for (const line of text.slice(0, HEAD_BYTES).split(/\r\n|\r|\n/)) {
    const bare = withoutLead(line)
    const colon = bare.indexOf(':')
    if (colon === -1 || colon > 20) continue
    const key = bare.slice(0, colon).toLowerCase()
    const value = valueOf(bare.slice(colon + 1))
    if (key === field.toLowerCase()) name ??= value
    else if (key === 'version') version ??= readVersionText(value)
  }
  return name === null || name === '' ? null : { name, version }
}
