import type { Run } from './compare.ts'
import type { Bar, FamilyResult } from './row.ts'
import { ratios, spread } from './spread.ts'

/** What one comparison is to show. */
export interface Comparison {
  row: string
  work: string
  /** Name of our side. */
  ours: string
  /** What is demanded against whom; others of the runs are only listed among the figures. */
  against: readonly { name: string; bar: Bar | null; by?: 'both' | 'requests'; note?: string }[]
  bytes?: boolean
}

/** Turns the runs of a comparison into lines of the table: ratios by requests per second and per CPU-second. */
export const comparedFindings = (
  { row, work, ours, against, bytes = false }: Comparison,
  runs: ReadonlyMap<string, readonly Run[]>,
): FamilyResult => {
  const counted = bytes ? 'bytes' : 'requests'
  const own = runs.get(ours) ?? []
  const findings = against.flatMap(({ name, bar, by = 'both', note }) => {
    const theirs = runs.get(name) ?? []
    const measures = [
      { key: 'perSecond', measure: `${counted} per second`, bar },
      {
        key: 'perCpuSecond',
        measure: `${counted} per CPU-second`,
        bar: by === 'both' ? bar : null,
      },
    ] as const
    return measures.map(({ key, measure, bar }) => ({
      ...{ row, work, against: name, measure, unit: 'x' as const, bar },
      values: spread(
        ratios(
          own.map((run) => run[key]),
          theirs.map((run) => run[key]),
        ),
      ),
      ...(note === undefined ? {} : { note }),
    }))
  })
  const figures = [...runs].map(([server, all]) => ({
    row,
    server,
    perSecond: spread(all.map((run) => run.perSecond)),
    perCpuSecond: spread(all.map((run) => run.perCpuSecond)),
    bytes,
  }))
  return { findings, figures }
}

/** Several results as one. */
export const joined = (results: readonly FamilyResult[]): FamilyResult => ({
  findings: results.flatMap(({ findings }) => findings),
  figures: results.flatMap(({ figures }) => figures),
})
