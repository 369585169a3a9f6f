import type { Seen } from '../../../ports/host/machine.ts'
import type { Diagnosis, Skipped } from '../finding.ts'

/** What a check found, and what it could not look at. */
export interface Judgement {
  findings: Diagnosis[]
  skipped: Skipped[]
}

/** A finding of the machine: nobody's account, and nothing that the doctor repairs by itself. */
export type MachineDiagnosis = Omit<Diagnosis, 'repair' | 'username'> & { username?: string }

export const diagnosisOf = (found: MachineDiagnosis): Diagnosis => ({
  ...found,
  repair: null,
  username: found.username ?? null,
})

/** Judges what was seen; what was not seen is told as skipped. */
export const judgeSeen = <T>(
  check: string,
  seen: Seen<T>,
  judge: (value: T) => MachineDiagnosis[],
): Judgement =>
  seen.seen
    ? { findings: judge(seen.value).map(diagnosisOf), skipped: [] }
    : { findings: [], skipped: [{ check, reason: seen.reason }] }

export const joinJudgements = (judgements: readonly Judgement[]): Judgement => ({
  findings: judgements.flatMap(({ findings }) => findings),
  skipped: judgements.flatMap(({ skipped }) => skipped),
})
