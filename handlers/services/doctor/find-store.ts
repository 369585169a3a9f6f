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
