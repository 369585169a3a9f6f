import { aloneHost } from '#handlers/services/on-hosts/panel-hosts.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { vi } from 'vitest'
import { openStore } from '#adapters/node/store/open-store.ts'
import { createPanelApp } from '#handlers/panel/app.ts'
import type { PanelDeps } from '#handlers/panel/deps.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { communityLicense } from '#handlers/services/host/community-license.ts'
import type { Doctor } from '#handlers/services/doctor/doctor.ts'
import { createPanelNames } from '#handlers/services/panel-names.ts'
import type { Services } from '#handlers/services/services.ts'
import { createServices } from '#handlers/services/services.ts'
import type { ApiClient } from '#test/contract/frame/api-instance.ts'
import { adminClient, apiClient } from '#test/contract/frame/api-instance.ts'
import { createFakeClock } from '#test/fakes/fake-clock.ts'
import type { FakeHost } from '#test/fakes/fake-host.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'
import { createFakePasswords } from '#test/fakes/fake-passwords.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import type { Agent, Death, Life } from './mortal.ts'
import { beginLife } from './mortal.ts'

/** A panel process of a rehearsal that nobody asks for anything. */
export interface SilentPanel extends Life {
  /** As at every start of the panel. */
  settleOpenOperations: Services['settleOpenOperations']
  examine: Doctor['examine']
  /** Resolves when nothing runs behind its answers, or it is dead. */
  idle(): Promise<void>
}

/** One that answers. */
export interface Panel extends Omit<SilentPanel, 'examine'> {
  admin: ApiClient
}

/** A store and a host that outlive the processes working on them. */
export interface Rehearsal {
  store: Store
  host: FakeHost
  agent: Agent
  start(death?: Death | null): Panel
  /** As `start`, without the API, which is half the work of a start. */
  startSilent(death?: Death | null): SilentPanel
  /** Kinds and steps of the operations since `after`, oldest first. */
  journal(after?: number): { seq: number; kind: string; state: string; steps: string[] }[]
  close(): Promise<void>
}

/** Memory, where there is such a place: thousands of rehearsals each open a store. */
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

const JWT_SECRET = 'a secret for tests that is long enough'

const appOf = (deps: PanelDeps) => {
  const app = createPanelApp(deps)
  const fetch = (path: string, init?: RequestInit): Promise<Response> =>
    app(new Request(`http://panel.example${path}`, init), {
      clientAddress: '192.0.2.1',
      secure: false,
    })
  return { app, fetch }
}

const depsOf = (
  { store, host }: Pick<PanelDeps, 'store' | 'host'>,
  background: PanelDeps['background'],
): PanelDeps => ({
  store,
  host,
  passwords: createFakePasswords(),
  clock: createFakeClock(),
  license: communityLicense,
  log: createRecordingLog(),
  background,
  judges: new AsyncLocalStorage(),
  jwtSecret: JWT_SECRET,
  config: { homeBase: '/home' },
})

/** A store with its administrator, whom every rehearsal begins with. */
let template: Promise<{ file: Buffer; token: string | null }> | null = null

const makeTemplate = async (): Promise<{ file: Buffer; token: string | null }> => {
  const directory = await mkdtemp(join(place, 'berth-crash-'))
  try {
    const path = join(directory, 'panel.sqlite')
    const { store, close } = await openStore(path)
    const host = createFakeHost()
    const nothing = { run: () => undefined }
    const { fetch } = appOf(depsOf({ store, host: host.ports }, nothing))
    const { token } = await adminClient({ fetch, host, close: async () => undefined })
    // Writes what is in the log into the file itself.
    close()
    return { file: await readFile(path), token }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Sets up store, host and administrator. `setTimeout` must be faked: retries wait for minutes. */
export const createRehearsal = async (): Promise<Rehearsal> => {
  template ??= makeTemplate()
  const { file: bytes, token } = await template
  const directory = await mkdtemp(join(place, 'berth-crash-'))
  const file = join(directory, 'panel.sqlite')
  await writeFile(file, bytes)
  const { store, close } = await openStore(file)
  const rows = new Database(file, { readonly: true })
  const host = createFakeHost()
  host.backups.configured = [
    {
      ...{ name: 'far', type: 's3', endpoint: 'https://s3.example', bucket: 'b', path: null },
      ...{ region: null, username: null, access_key_id: 'k', host_key: null, source: 'panel' },
      ...{ is_default: false, allow_private: false },
    },
  ]
  const agent: Agent = {
    ports: host.ports,
    up: true,
    die: () => host.backups.forgetWorks(),
  }

  const begin = (death: Death | null) => {
    const life = beginLife(store, agent, death)
    let running = 0
    const deps = depsOf(life, {
      run(_name, work) {
        running++
        void work()
          .catch(() => undefined)
          .finally(() => running--)
      },
    })
    const idle = async (): Promise<void> => {
      while (running > 0 && !life.dead) {
        await vi.advanceTimersToNextTimerAsync()
        await setImmediate()
      }
    }
    return { life, deps, idle }
  }

  const start = (death: Death | null = null): Panel => {
    const { life, deps, idle } = begin(death)
    const { app, fetch } = appOf(deps)
    return Object.assign(life, {
      admin: apiClient({ fetch, host, close: async () => undefined }, token),
      settleOpenOperations: app.settleOpenOperations,
      idle,
    })
  }
  const startSilent = (death: Death | null = null): SilentPanel => {
    const { life, deps, idle } = begin(death)
    const { settleOpenOperations, doctor } = createServices(
      {
        ...{ ...deps, host: aloneHost(deps.host), homeBase: deps.config.homeBase },
        panelNames: createPanelNames(deps, []),
      },
      { setupToken: null },
    )
    return Object.assign(life, { settleOpenOperations, examine: doctor.examine, idle })
  }
  return {
    store,
    host,
    agent,
    start,
    startSilent,
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
