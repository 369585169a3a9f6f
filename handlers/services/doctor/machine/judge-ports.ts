import type { MachineDiagnosis } from './judgement.ts'

/** Ports of the sites that something else holds; each text names the port first, as the supervisor says it. */
export const judgePorts = (problems: readonly string[]): MachineDiagnosis[] =>
  problems.map((problem) => {
    const [, subject = 'a port of the sites', rest = problem] =
      /^(Port \d+)(?: \([^)]*\))? (.*)$/s.exec(problem) ?? []
    const end = rest.indexOf('. ')
    return {
      kind: 'port',
      subject: subject.toLowerCase(),
      what: end === -1 ? rest.replace(/\.$/, '') : rest.slice(0, end),
      fix: `${end === -1 ? 'Free it, or choose another in the configuration.' : rest.slice(end + 2)} It is tried again every few seconds.`,
    }
  })
