import path from 'node:path'
import type { HelperPool } from '../../files/helper-pool.ts'
import type { RegisteredAccount, RegisteredOperation, Registry } from '../../registry/types.ts'
import { failureRecord } from '../../run-operation.ts'
import { dumpName } from '../dump-databases.ts'
import { readRecord } from './kept-record.ts'
import type { KeptRestores } from './kept-restores.ts'
import type { createLoadings } from './loadings.ts'
import { removeStaging } from './remove-staging.ts'

/** Steps of a restore in the registry. */
export const SWAPPING = 'swapping'
export const COMMITTED = 'committed'
export const DATABASE_STEP = 'database:'
/** Renames alone, but there may be thousands of them. */
const SWAP_TIMEOUT_MS = 120_000

/** Restore that is undone. */
interface Undone {
  id: string
  staging: string
}

/** Puts files in the place of others and back, and ends restores from whatever point they reached. */
export const createPutBack = (
  deps: {
    registry: Registry
    helpers: HelperPool
    kept: KeptRestores
    workDir: (operationId: string) => string
  },
  { engineOf, load }: Pick<ReturnType<typeof createLoadings>, 'engineOf' | 'load'>,
) => {
  const { registry, helpers } = deps
  const safetyOf = (operationId: string): string => path.join(deps.workDir(operationId), 'safety')

  const swap = async (
    account: RegisteredAccount,
    { staging, places }: { staging: string; places: string[] | null },
    direction: 'in' | 'back',
  ): Promise<void> => {
    await helpers.ask(
      account,
      places === null
        ? { op: 'swap', staging, direction }
        : { op: 'exchange', staging, paths: places, direction },
      { timeoutMs: SWAP_TIMEOUT_MS },
    )
  }

  /** Puts back what an open restore has changed until now. */
  const revert = async (
    account: RegisteredAccount,
    { id, subject, steps, data }: RegisteredOperation,
  ): Promise<void> => {
    const staging = String(data['staging'])
    for (const step of steps.filter((one) => one.startsWith(DATABASE_STEP))) {
      const [, engine = '', database = ''] = step.split(':')
      const row = registry.database(engineOf(engine).name, database)
      if (row?.username !== subject) continue
      await load(account, { row, file: dumpName(row), definer: row.user }, safetyOf(id))
    }
    if (steps.includes(SWAPPING) && data['files'] === true) {
      const record = await readRecord(deps.workDir(id))
      await swap(account, { staging, places: record?.places ?? null }, 'back')
    }
    const undone = data['undone'] as Undone | null | undefined
    if (undone && data['files'] === true)
      await helpers.ask(account, {
        op: 'hand',
        from: undone.staging,
        to: staging,
        direction: 'back',
      })
    await removeStaging(helpers, account, staging)
  }

  /** The end of a restore that is committed; what was there is kept, or goes. */
  const tidy = async (
    account: RegisteredAccount,
    { id, data }: Pick<RegisteredOperation, 'id' | 'data'>,
  ): Promise<void> => {
    if (data['keep'] === true) await deps.kept.keep(id, deps.workDir(id), account)
    else await removeStaging(helpers, account, String(data['staging']))
  }

  /** Finishes or undoes an open restore from whatever point it reached; in the account's turn. */
  const rollBack = async (operation: RegisteredOperation, reason: unknown): Promise<void> => {
    const { id, kind, subject, steps, data } = operation
    const account = registry.account(subject)
    const done = steps.includes(COMMITTED)
    // A namesake that came later gets nothing of what was there before.
    if (account && account.uid === data['uid'])
      await (done ? tidy(account, operation) : revert(account, operation))
    registry.closeOperation({ id, kind, subject }, done ? 'done' : 'undone', failureRecord(reason))
  }

  return { safetyOf, swap, tidy, rollBack }
}
