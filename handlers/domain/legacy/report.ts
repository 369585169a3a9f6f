import type { Directive, Finding } from './types.ts'

const MAX_SHOWN = 80

/** Text for a terminal: no control characters, not too long. */
export const shownText = (text: string): string => {
  const plain = text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim()
  return plain.length > MAX_SHOWN ? `${plain.slice(0, MAX_SHOWN - 1)}…` : plain
}

/** Directives whose second argument may be a secret show their first alone; so do all. */
const nameOf = ({ spelled, args, inside }: Directive): string => {
  const text = shownText([spelled, ...args.slice(0, 1)].join(' '))
  return inside === null ? text : `<${text}>`
}

/** Collects what became of directives; each is named once for each reason. */
export class Report {
  readonly findings: Finding[] = []
  private readonly seen = new Set<string>()
  private readonly known = new Set<Directive>()

  /** What it did is not done any more. */
  lost(directive: Directive, reason: string): void {
    this.add('lost', directive, reason)
  }

  /** It is carried over, and something is different. */
  changed(directive: Directive, reason: string): void {
    this.add('changed', directive, reason)
  }

  /** Nothing is missed without it. */
  unneeded(directive: Directive, reason: string): void {
    this.add('unneeded', directive, reason)
  }

  /** It is a part of the result; nothing is to be said of it. */
  carried(directive: Directive): void {
    this.known.add(directive)
  }

  /** Whether it is carried over, or something was said of it. */
  knows(directive: Directive): boolean {
    return this.known.has(directive)
  }

  private add(kind: Finding['kind'], directive: Directive, reason: string): void {
    this.known.add(directive)
    const { file, line } = directive
    const name = nameOf(directive)
    const key = JSON.stringify([file, line, name, kind, reason])
    if (this.seen.has(key)) return
    this.seen.add(key)
    this.findings.push({ kind, file, line, directive: name, reason })
  }
}
