import { mkdirSync } from 'node:fs'
import { openStore } from '#adapters/node/store/open-store.ts'
import { copyStore } from '#adapters/node/store/copy/copy-store.ts'
import { openPostgres } from '#adapters/node/store/postgres/open-postgres.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { fillStore } from '#test/support/fill-store.ts'
import { startPostgresIn } from '#test/support/servers/postgres-in.ts'
import { timeMs } from '../support/findings/value-finding.ts'
import { onStage } from '../support/stage.ts'
import { middle, type Input, type Part } from './input.ts'

const WRITERS = 8
const NOW = '2026-11-22 00:00:00'
const LISTS = 15

/** Writes that number a change, of eight writers at once: the dearest kind, since all of them need one order. */
const writesPerSecond = async (store: Store, each: number): Promise<number> => {
  const ids = Array.from({ length: WRITERS }, (_, at) => `capacity-${at}`)
  for (const id of ids)
    await store.insertJob(
      {
        ...{ id, kind: 'account.create', subject: id, account_id: null, reseller_id: null },
        ...{ state: 'running', progress: 0, step: null, detail: null, result: null, error: null },
        ...{ status: null, created_at: NOW, started_at: null, finished_at: null },
      },
      '2020-01-01 00:00:00',
    )
  const write = async (id: string): Promise<void> => {
    for (let at = 0; at < each; at++) await store.updateJob(id, { progress: at % 100 })
  }
  const ms = await timeMs(() => Promise.all(ids.map(write)))
  return (WRITERS * each * 1000) / ms
}

const listMs = async (store: Store): Promise<number> => {
  const times: number[] = []
  for (let at = 0; at < LISTS; at++)
    times.push(await timeMs(() => store.listAccounts({ page: at + 1, perPage: 50 })))
  return middle(times)
}

/** What the panel's store bears: numbered writes, and pages of a long list. */
export const stores: Part = {
  name: 'stores',
  measure: ({ quick }) =>
    onStage(async (stage) => {
      const accounts = quick ? 500 : 50_000
      const file = stage.path('panel.db')
      const opened = await openStore(file)
      fillStore(file, { accounts, domainsOfEach: 2 })
      mkdirSync(stage.path('postgres'))
      const server = await startPostgresIn(stage.path('postgres'), ['fsync=on'])
      stage.later(() => server.stop())
      const url = await server.newDatabase()
      await copyStore({ file }, { url })
      const remote = await openPostgres(url)
      const inputs: Input[] = []
      const measure = async (name: string, sign: string, store: Store): Promise<void> => {
        const long = `${accounts} accounts`
        inputs.push(
          {
            ...{ symbol: `w(${sign})`, what: `numbered writes of eight writers, ${name}` },
            ...{ value: await writesPerSecond(store, quick ? 20 : 400), unit: '/s' },
          },
          {
            ...{ symbol: `l(${sign})`, what: `a page of 50 of a list of ${long}, ${name}` },
            ...{ value: await listMs(store), unit: 'ms' },
          },
        )
      }
      try {
        await measure('SQLite', 'SQLite', opened.store)
        await measure('PostgreSQL on the same machine', 'PostgreSQL', remote.store)
      } finally {
        opened.close()
        await remote.close()
      }
      return inputs
    }),
}
