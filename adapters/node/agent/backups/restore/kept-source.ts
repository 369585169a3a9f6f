import { link } from 'node:fs/promises'
import path from 'node:path'
import type { HelperPool } from '../../files/helper-pool.ts'
import type { RegisteredAccount } from '../../registry/types.ts'
import { dumpName } from '../dump-databases.ts'
import type { KeptRecord } from './kept-record.ts'
import type { RestoreSource } from './restore-source.ts'

/** What an earlier restore has kept; its files are handed over by one rename. */
export const keptSource = (
  helpers: HelperPool,
  account: RegisteredAccount,
  { record, safety }: { record: KeptRecord; safety: string },
): RestoreSource => ({
  check: async () => undefined,
  async fetch({ staging, dumpsDir }) {
    if (staging !== null)
      await helpers.ask(account, {
        op: 'hand',
        from: record.staging,
        to: path.dirname(staging),
        direction: 'over',
      })
    if (dumpsDir !== null)
      for (const dump of record.dumps)
        await link(path.join(safety, dumpName(dump)), path.join(dumpsDir, dumpName(dump)))
    return record.dumps.map((dump) => ({ ...dump, user: null }))
  },
})
