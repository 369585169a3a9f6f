import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHostClient } from '#adapters/shared/host-rpc/host-client.ts'
import { createHostHandler } from '#adapters/shared/host-rpc/host-handler.ts'
import { openStore } from '#adapters/node/store/open-store.ts'
import { createPanelApp } from '#handlers/panel/app.ts'
import type { PanelApp, PanelDeps } from '#handlers/panel/deps.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { communityLicense } from '#handlers/services/host/community-license.ts'
import type { ApiInstance } from '#test/contract/frame/api-instance.ts'
import type { FakeBackground } from '#test/fakes/fake-background.ts'
import { createFakeBackground } from '#test/fakes/fake-background.ts'
import type { FakeClock } from '#test/fakes/fake-clock.ts'
import { createFakeClock } from '#test/fakes/fake-clock.ts'
import type { FakeHost } from '#test/fakes/fake-host.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'
import { createFakePasswords } from '#test/fakes/fake-passwords.ts'
import type { RecordingLog } from '#test/fakes/recording-log.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'

/** The panel app on Node with a SQLite file, and everything a test may look into. */
export interface NodeApi extends ApiInstance {
  app: PanelApp
  store: Store
  storeFile: string
  host: FakeHost
  clock: FakeClock
  background: FakeBackground
  judges: PanelDeps['judges']
  log: RecordingLog
  /** A second app over the same store and host, as after a restart of the panel. */
  restart(): PanelApp
}

export const makeNodeApi = async (change: Partial<PanelDeps> = {}): Promise<NodeApi> => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-api-'))
  const storeFile = join(directory, 'panel.sqlite')
  const { store, close } = await openStore(storeFile)
  const host = createFakeHost()
  const clock = createFakeClock()
  const background = createFakeBackground()
  const log = createRecordingLog()
  const judges: PanelDeps['judges'] = new AsyncLocalStorage()
  const deps: PanelDeps = {
    store,
    // As a real panel calls its host: arguments and answers have the shapes of their methods.
    host: createHostClient(createHostHandler(host.ports, log)),
    passwords: createFakePasswords(),
    clock,
    license: communityLicense,
    log,
    background,
    judges,
    jwtSecret: 'a secret for tests that is long enough',
    config: { homeBase: '/home' },
    ...change,
  }
  const dispose = async (): Promise<void> => {
    close()
    await rm(directory, { recursive: true, force: true })
  }
  const compose = async (): Promise<PanelApp> => {
    try {
      return createPanelApp(deps)
    } catch (error) {
      await dispose()
      throw error
    }
  }
  const app = await compose()
  return {
    app,
    store,
    storeFile,
    host,
    clock,
    background,
    judges,
    log,
    restart: () => createPanelApp(deps),
    fetch: (path, init, clientAddress = '192.0.2.1', origin = 'http://panel.example:7070') =>
      app(new Request(`${origin}${path}`, init), { clientAddress, secure: false }),
    close: dispose,
  }
}
