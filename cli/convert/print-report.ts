import type { Finding } from '#handlers/domain/legacy/types.ts'
import { hasColor, paint, type Paint } from '../terminal/paint.ts'
import { printable } from '../terminal/printable.ts'

const COLORS: Readonly<Record<Finding['kind'], Paint>> = {
  lost: 'red',
  changed: 'yellow',
  unneeded: 'dim',
}
const MAX_PLACES = 20

const placeOf = ({ file, line }: Finding): string => `${file}:${line}`

/** Findings by name and reason with all its places. */
const grouped = (findings: readonly Finding[]): string[] => {
  const groups = new Map<string, { name: string; reason: string; places: string[] }>()
  for (const finding of findings) {
    const name = finding.directive.split(/[ >]/)[0] ?? ''
    const key = `${name.toLowerCase()} ${finding.reason}`
    const group = groups.get(key) ?? { name, reason: finding.reason, places: [] }
    groups.set(key, group)
    group.places.push(placeOf(finding))
  }
  return [...groups.values()].map(({ name, reason, places }) => {
    const more = places.length > MAX_PLACES ? ` and ${places.length - MAX_PLACES} more` : ''
    return `${name.startsWith('<') ? `${name}>` : name}: ${reason} (${places.slice(0, MAX_PLACES).join(', ')}${more})`
  })
}

/** The report as lines for people; `stream` is where they go. */
export const reportLines = (
  findings: readonly Finding[],
  stream: { isTTY?: boolean } = process.stderr,
): string[] => {
  const color = hasColor(stream)
  const line = (kind: Finding['kind'], text: string): string =>
    `${paint(COLORS[kind], kind.padEnd(8), color)}  ${printable(text)}`
  const of = (kind: Finding['kind']): Finding[] =>
    findings.filter((finding) => finding.kind === kind)
  const together = (kind: Finding['kind']): string[] =>
    grouped(of(kind)).map((text) => line(kind, text))
  const lost = of('lost').map((finding) =>
    line('lost', `${placeOf(finding)}  ${finding.directive}: ${finding.reason}`),
  )
  return [...lost, ...together('changed'), ...together('unneeded')]
}
