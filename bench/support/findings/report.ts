import { formatBar, formatValue } from './format-value.ts'
import { markdownTable } from './markdown.ts'
import type { Figure, Finding } from './row.ts'
import { verdict } from './verdict.ts'

/** All that a run has to say. */
export interface Report {
  /** ISO 8601, of the beginning. */
  date: string
  machine: readonly (readonly [string, string])[]
  /** How the run was called and what that means. */
  effort: string
  findings: readonly Finding[]
  figures: readonly Figure[]
  /** Rows that could not be measured, with the reason. */
  failures: readonly { row: string; reason: string }[]
  /** What stands in the way of rows that stay short. */
  obstacles: Readonly<Record<string, string>>
  /** Greatest and middle share of the two processors that other programs took during a measured run, 0 to 1. */
  foreign: { median: number; max: number }
}

/** Above it figures say more about the machine's other work than about the servers. */
const MAX_FOREIGN_SHARE = 0.05

const isFair = ({ foreign }: Report): boolean => foreign.median <= MAX_FOREIGN_SHARE

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

const findingsTable = (findings: readonly Finding[]): string =>
  markdownTable(
    ['row', 'work', 'against', 'measure', 'bar', 'min', 'median', 'max', 'verdict'],
    findings.map((finding) => {
      const { row, work, against, measure, unit, bar, values, note } = finding
      const value = (one: number): string => formatValue(one, unit)
      return [
        ...[row, note === undefined ? work : `${work} (${note})`, against, measure],
        ...[formatBar(bar, unit), value(values.min), value(values.median), value(values.max)],
        verdict(finding) === 'short' ? '**short**' : verdict(finding),
      ]
    }),
    ['bar', 'min', 'median', 'max'],
  )

const figuresTable = (figures: readonly Figure[]): string =>
  markdownTable(
    ['row', 'server', 'unit', 'per second', 'per CPU-second'],
    figures.map(({ row, server, perSecond, perCpuSecond, bytes }) => {
      const value = (one: number): string => (bytes ? one : one / 1000).toFixed(1)
      return [
        ...[row, server, bytes ? 'MB' : 'k requests'],
        ...[value(perSecond.median), value(perCpuSecond.median)],
      ]
    }),
    ['per second', 'per CPU-second'],
  )

/** One item a row: all its figures that are short, and once what stands in the way. */
const shortList = ({ findings, obstacles }: Report): string => {
  const rows = new Map<string, Finding[]>()
  for (const finding of findings)
    if (verdict(finding) === 'short')
      rows.set(finding.row, [...(rows.get(finding.row) ?? []), finding])
  if (rows.size === 0) return 'None.'
  return [...rows]
    .map(([row, short]) => {
      const figures = short.map(({ against, measure, unit, bar, values }) => {
        const whom = against === '' ? '' : ` against ${against}`
        return `${formatValue(values.median, unit)}${whom} (${measure}, asked for ${formatBar(bar, unit)})`
      })
      const reason = obstacles[row] ?? 'What stands in the way has not been found yet.'
      return `- \`${row}\`, ${short[0]?.work ?? ''}: ${figures.join('; ')}. ${reason}`
    })
    .join('\n')
}

/** How many of the figures of which something is demanded are as demanded. */
const tally = (findings: readonly Finding[]): string => {
  const judged = findings.filter(({ bar }) => bar !== null)
  const short = judged.filter((finding) => verdict(finding) === 'short')
  return `**${judged.length - short.length} of ${judged.length} figures are at their bar.** The median counts.`
}

/** The text of `RESULTS.md`. */
export const renderReport = (report: Report): string => {
  const { date, machine, effort, findings, figures, failures, foreign } = report
  const shares = `Other programs took ${percent(foreign.median)} of both processors in the middle run and ${percent(foreign.max)} in the worst`
  return `# Results

Written by \`npm run bench\` on ${date}. ${effort}

Ratios are Berth's figure divided by the other server's of the same round; more is better. Every run's answers were compared before and after it (body, coding, \`X-Cache: HIT\`); failed requests would have made it invalid. Server on one processor, load generator on the other. The peers' configurations are in \`bench/peers\`.

${shares}${isFair(report) ? '.' : `: **the machine was not quiet (more than ${percent(MAX_FOREIGN_SHARE)}), these figures are not to be relied on**.`}

${tally(findings)}

## Short

${shortList(report)}

## Not measured

${failures.length === 0 ? 'None.' : failures.map(({ row, reason }) => `- \`${row}\`: ${reason.replaceAll(/\s*\n\s*/g, ' ')}`).join('\n')}

## Bars

${findingsTable(findings)}

## Measured with

${markdownTable(['what', 'version'], machine)}

## Figures behind the ratios

Medians.

${figuresTable(figures)}
`
}
