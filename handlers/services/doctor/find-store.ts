import type { Diagnosis } from './finding.ts'

/** What the database server with the panel's records is not, and must be; `problem` as a sentence, null: nothing. */
export const findStore = (problem: string | null): Diagnosis[] =>
  problem === null
    ? []
    : [
        {
          kind: 'database-server',
          subject: "the panel's own database",
          what: `is not as it must be: ${problem}`,
          why: 'The panel does not start again with it, and what it records may be lost.',
          fix: 'Change that on the server, or for the database alone by ALTER DATABASE.',
          repair: null,
          username: null,
        },
      ]

/** From when on a clock is far from another, in milliseconds. */
const FAR_MS = 5000

/** A machine whose clock is not that of the store, by whose time panels that share it go. */
export const findSkew = (skewMs: number): Diagnosis[] => {
  if (Math.abs(skewMs) < FAR_MS) return []
  const secs = Math.round(Math.abs(skewMs) / 1000)
  return [
    {
      kind: 'clock',
      level: 'warning',
      subject: "this panel's machine",
      what: `is ${String(secs)} seconds ${skewMs > 0 ? 'ahead of' : 'behind'} the server with the panel's records, or that server ${skewMs > 0 ? 'behind' : 'ahead'}`,
      why: "The panel goes by the server's time, so sessions and leases hold; orders of certificates and copies in S3 are signed by the machine's own and may be refused.",
      fix: 'Let a time service (chrony, systemd-timesyncd) keep the clocks of both.',
      repair: null,
      username: null,
    },
  ]
}
