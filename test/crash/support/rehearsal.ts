import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { vi } from 'vitest'
import { openStore } from '#adapters/node/store/open-store.ts'
import { createPanelApp } from '#handlers/panel/app.ts'
import type { PanelApp } from '#handlers/panel/deps.ts'
import type { Store } from '#handlers/ports/store.ts'
import { communityLicense } from '#handlers/services/community-license.ts'
import type { ApiClient } from '#test/contract/api-instance.ts'
import { adminClient, apiClient } from '#test/contract/api-instance.ts'
import { createFakeClock } from '#test/fakes/fake-clock.ts'
import type { FakeHost } from '#test/fakes/fake-host.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'
import { createFakePasswords } from '#test/fakes/fake-passwords.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import type { Agent, Death, Life } from './mortal.ts'
import { beginLife } from './mortal.ts'

/** A panel process of a rehearsal. */
export interface Panel extends Life {
  admin: ApiClient
  /** As at every start of the panel. */
  settleOpenOperations: PanelApp['settleOpenOperations']
  /** Resolves when nothing runs behind its answers, or it is dead. */
  idle(): Promise<void>
}

/** A store and a host that outlive the processes working on them. */
export interface Rehearsal {
  store: Store
  host: FakeHost
  agent: Agent
  start(death?: Death | null): Panel
  /** Kinds and steps of the operations since `after`, oldest first. */
  journal(after?: number): { seq: number; kind: string; state: string; steps: string[] }[]
  close(): Promise<void>
}

/** Memory, where there is such a place: thousands of rehearsals each open a store. */
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Sets up store, host and administrator. `setTimeout` must be faked: retries wait for minutes. */
export const createRehearsal = async (): Promise<Rehearsal> => {
  const directory = await mkdtemp(join(place, 'berth-crash-'))
  const file = join(directory, 'panel.sqlite')
  const { store, close } = await openStore(file)
  const rows = new Database(file, { readonly: true })
  const host = createFakeHost()
  host.backups.configured = [
    {
      ...{ name: 'far', type: 's3', endpoint: 'https://s3.example', bucket: 'b', path: null },
      ...{ region: null, username: null, is_default: false },
    },
  ]
  const agent: Agent = {
    ports: host.ports,
    up: true,
    die: () => host.backups.forgetWorks(),
  }
  const clock = createFakeClock()
  let token: string | null = null

  const start = (death: Death | null = null): Panel => {
    const life = beginLife(store, agent, death)
    let running = 0
    const app = createPanelApp({
      store: life.store,
      host: life.host,
      passwords: createFakePasswords(),
      clock,
      license: communityLicense,
      log: createRecordingLog(),
      background: {
        run(_name, work) {
          running++
          void work()
            .catch(() => undefined)
            .finally(() => running--)
        },
      },
      jwtSecret: 'a secret for tests that is long enough',
      config: { homeBase: '/home' },
    })
    const fetch = (path: string, init?: RequestInit): Promise<Response> =>
      app(new Request(`http://panel.example${path}`, init), {
        clientAddress: '192.0.2.1',
        secure: false,
      })
    return Object.assign(life, {
      admin: apiClient({ fetch, host, close: async () => undefined }, token),
      settleOpenOperations: app.settleOpenOperations,
      async idle() {
        while (running > 0 && !life.dead) {
          await vi.advanceTimersToNextTimerAsync()
          await setImmediate()
        }
      },
    })
  }
  const first = start()
  token = (
    await adminClient({
      fetch: (path, init) =>
        first.admin
          .send(init?.method ?? 'GET', path, init?.body ?? undefined)
          .then(({ body }) => Response.json(body)),
      host,
      close: async () => undefined,
    })
  ).token
  return {
    store,
    host,
    agent,
    start,
    journal: (after = 0) =>
      rows
        .prepare<[number], { seq: number; kind: string; state: string; steps: string }>(
          'select rowid as seq, kind, state, steps from operations where rowid > ? order by rowid',
        )
        .all(after)
        .map((row) => ({ ...row, steps: JSON.parse(row.steps) as string[] })),
    async close() {
      rows.close()
      close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
