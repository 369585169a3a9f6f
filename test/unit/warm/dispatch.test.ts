import { describe, expect, it } from 'vitest'
import { createPageAdopter } from '#adapters/node/web-server/warm/adopt-page.ts'
import {
  createWarmDispatch,
  type WarmWorker,
} from '#adapters/node/web-server/warm/warm-dispatch.ts'
import type {
  ToWorker,
  WarmAnswer,
  WorkerLoad,
} from '#adapters/node/web-server/workers/messages.ts'
import type { WarmTarget } from '#edge-cache/index.ts'

interface TestWorker extends WarmWorker {
  load: WorkerLoad | null
  asked: ToWorker[]
  told: ToWorker[]
  end(answer: WarmAnswer): void
}

const worker = (load: WorkerLoad | null): TestWorker => {
  const open: ((answer: WarmAnswer) => void)[] = []
  const asked: ToWorker[] = []
  const told: ToWorker[] = []
  return {
    load,
    asked,
    told,
    ask(body) {
      if (body.type === 'load') {
        return this.load === null ? Promise.reject(new Error('late')) : Promise.resolve(this.load)
      }
      asked.push(body)
      return new Promise((resolve) => open.push(resolve))
    },
    tell: (body) => void told.push(body),
    end: (answer) => open.shift()?.(answer),
  }
}
const dispatchOver = (workers: TestWorker[]) => {
  const php = {
    default_version: null,
    max_children: 1000,
    memory_limit: '128M',
    idle_timeout: 60,
    request_timeout: 60,
    lsphp_directory: '/usr/local/lsws',
  }
  return createWarmDispatch({
    serving: () => workers,
    alive: () => workers,
    config: () => ({ php }),
  })
}
const page = (path: string): WarmTarget => ({ host: 'a.test', path, secure: false })
const STORED: WarmAnswer = { outcome: { kind: 'stored' }, entry: new Uint8Array([1]) }
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a target goes to the least loaded worker', () => {
  it('by what it fills already, then by PHP, then by lateness', async () => {
    const [a, b, c] = [
      worker({ lagMs: 0, phpRunning: 3 }),
      worker({ lagMs: 9, phpRunning: 1 }),
      worker({ lagMs: 2, phpRunning: 1 }),
    ]
    const dispatch = dispatchOver([a, b, c])
    for (const path of ['/1', '/2', '/3', '/4']) {
      void dispatch.fill(page(path))
      await turn()
    }
    const paths = (one: TestWorker) =>
      one.asked.map((body) => (body.type === 'warm' ? body.target.path : body.type))
    expect([paths(c), paths(b), paths(a)]).toEqual([['/1', '/4'], ['/2'], ['/3']])
  })

  it('and the others get what it stored', async () => {
    const [a, b] = [worker({ lagMs: 0, phpRunning: 0 }), worker({ lagMs: 0, phpRunning: 1 })]
    const filling = dispatchOver([a, b]).fill(page('/1'))
    await turn()
    a.end(STORED)
    expect(await filling).toEqual({ kind: 'stored' })
    expect([a.told, b.told]).toEqual([[], [{ type: 'adopt', entry: STORED.entry }]])
  })

  it('without a worker it fails', async () => {
    await expect(dispatchOver([]).fill(page('/'))).rejects.toThrow('no worker')
  })
})

describe('the server is loaded', () => {
  it.each<[string, (WorkerLoad | null)[], boolean]>([
    ['idle', [{ lagMs: 1, phpRunning: 0 }], false],
    [
      'visitors in PHP',
      [
        { lagMs: 1, phpRunning: 400 },
        { lagMs: 1, phpRunning: 100 },
      ],
      true,
    ],
    [
      'some visitors',
      [
        { lagMs: 1, phpRunning: 400 },
        { lagMs: 1, phpRunning: 99 },
      ],
      false,
    ],
    [
      'a late worker',
      [
        { lagMs: 1, phpRunning: 0 },
        { lagMs: 400, phpRunning: 0 },
      ],
      true,
    ],
    ['a silent worker', [{ lagMs: 1, phpRunning: 0 }, null], true],
    ['no worker', [], true],
  ])('%s', async (_name, loads, expected) => {
    expect(await dispatchOver(loads.map(worker)).isLoaded()).toBe(expected)
  })

  it('not by what is warmed', async () => {
    const one = worker({ lagMs: 0, phpRunning: 500 })
    const dispatch = dispatchOver([one])
    expect(await dispatch.isLoaded()).toBe(true)
    void dispatch.fill(page('/1'))
    await turn()
    expect(await dispatch.isLoaded()).toBe(false)
  })
})

it('unreadable pages of another worker are not adopted', () => {
  const promoted: unknown[] = []
  const layers = { lookup: () => null, promote: (entry: unknown) => void promoted.push(entry) }
  const adopt = createPageAdopter(layers, { storage: 'memory', l2_enabled: true })
  adopt(new Uint8Array([0, 0, 0, 9, 1]))
  adopt(new Uint8Array())
  expect(promoted).toEqual([])
})
