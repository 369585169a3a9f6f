/** A kind of text that slow readers are slow at. */
export interface HostileText {
  name: string
  /** Of about `bytes` bytes. */
  make(bytes: number): string
}

/** What is repeated, and in some texts followed by a character that makes the last step fail. */
const UNITS: readonly string[] = [
  ...[' ', '\t', '\n', '\r\n', '\0', '\\', '/', '.', ',', ';', ':', '=', '&', '%', '"', "'", '-'],
  ...['(', '[', '{', '<', '<a ', '<!--', '${', '%{', '(?:', '^|', '&#', '@', '#', '*', '|', '+'],
  ...[
    'a',
    '0',
    'a b ',
    'a=b; ',
    'a, ',
    '"a", ',
    '/../',
    '/a.php',
    '%25',
    'é',
    '::',
    '<loc>',
    '{"a":',
  ],
  ...['a\n', ' \n', '\\\n', '[a]\n', 'a {\n', '"\\', ' x', ', x=', '--a', 'W/"a", ', '\r\n ', 'A+'],
]

const shown = (text: string): string => JSON.stringify(text)

const repeated = (unit: string): HostileText => ({
  name: `${shown(unit)} again and again`,
  make: (bytes) =>
    `x${unit.repeat(Math.max(1, Math.floor((bytes - 2) / Buffer.byteLength(unit))))}!`,
})

/** Opened and closed again, one in the other. */
const nested = (open: string, close: string): HostileText => ({
  name: `${shown(open)} in each other, closed by ${shown(close)}`,
  make: (bytes) => {
    const depth = Math.floor(bytes / (open.length + close.length + 1))
    return `${open.repeat(depth)}a${close.repeat(depth)}`
  },
})

/** Lines, members and names which all differ. */
const different = (name: string, each: (n: number) => string): HostileText => ({
  name,
  make: (bytes) => {
    const parts: string[] = []
    for (let n = 0, length = 0; length < bytes; n++) {
      const part = each(n)
      parts.push(part)
      length += part.length
    }
    return parts.join('').slice(0, bytes)
  },
})

/** All texts; every parser ends with each of them. */
export const HOSTILE_TEXTS: readonly HostileText[] = [
  ...UNITS.map(repeated),
  nested('(', ')'),
  nested('[', ']'),
  nested('{', '}'),
  nested('(a|', ')*'),
  nested('%{', '}'),
  nested('${a:', '}'),
  nested('<a>\n', '</a>\n'),
  nested('a {\n', '}\n'),
  different('different words', (n) => `a${n} `),
  different('different list members', (n) => `a${n}=${n}, `),
  different('different cookies', (n) => `a${n}=${n}; `),
  different('different lines', (n) => `a${n}: ${n}\n`),
  different('different tables', (n) => `[a${n}]\na${n} = ${n}\n`),
  different('different parameters', (n) => `a${n}=%41${n}&`),
]
