/** A part of a pattern, as parsed. Characters are UTF-16 units. */
export type PatternNode =
  | { kind: 'char'; code: number; noCase: boolean }
  | { kind: 'any'; dotAll: boolean }
  | { kind: 'set'; has(code: number): boolean }
  | { kind: 'start' | 'end' | 'line-start' | 'line-end' | 'boundary' | 'no-boundary' }
  | { kind: 'group'; index: number | null; body: PatternNode }
  | { kind: 'sequence'; parts: PatternNode[] }
  | { kind: 'either'; options: PatternNode[] }
  | {
      kind: 'repeat'
      body: PatternNode
      min: number
      max: number
      mode: 'greedy' | 'lazy' | 'possessive'
    }
  | { kind: 'atomic'; body: PatternNode }
  | { kind: 'look'; body: PatternNode; behind: boolean; negative: boolean }
  | { kind: 'backreference'; index: number; noCase: boolean }

/** A pattern that cannot be used; the message says why. */
export class PatternError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PatternError'
  }
}

/** Length of what a node matches; null where it varies. Look-behinds need it. */
export const widthOf = (node: PatternNode): number | null => {
  switch (node.kind) {
    case 'char':
    case 'any':
    case 'set':
      return 1
    case 'group':
    case 'atomic':
      return widthOf(node.body)
    case 'sequence':
      return node.parts.reduce<number | null>((sum, part) => {
        const width = widthOf(part)
        return sum === null || width === null ? null : sum + width
      }, 0)
    case 'either': {
      const widths = new Set(node.options.map(widthOf))
      return widths.size === 1 ? ([...widths][0] ?? null) : null
    }
    case 'repeat': {
      const width = widthOf(node.body)
      return width === null || node.min !== node.max ? null : width * node.min
    }
    case 'backreference':
      return null
    default:
      return 0
  }
}
