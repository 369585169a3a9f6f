import { chownSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applicationSocket } from '#handlers/domain/applications/application-place.ts'
import type { ApplicationSpec } from '#handlers/ports/host/applications.ts'
import { ask } from '../proxy/support/proxied-web.ts'
import { applicationSpec, askSocket } from './applications-fixture.ts'
import { createVisitedFixture, HOST, type VisitedFixture } from './visited-fixture.ts'

/**
 * Says which instance of which start it is, and its process. `/ill` has this instance answer the
 * question after its health badly from then on, `/kill` ends it, `/slow` takes a while.
 */
const SERVER = `import { createServer } from 'node:http'
const { MARK, INSTANCE } = process.env
let ill = false
createServer(async (ask, answer) => {
  if (ask.url === '/ill') ill = true
  if (ask.url === '/kill') process.kill(process.pid, 'SIGKILL')
  if (ask.url.startsWith('/slow')) await new Promise((go) => setTimeout(go, 40))
  answer.setHeader('cache-control', 'no-store')
  answer.statusCode = ask.url === '/health' && ill ? 500 : 200
  answer.end(MARK + ' ' + INSTANCE + ' ' + process.pid)
}).listen(process.env.PORT)
`

let fixture: VisitedFixture
beforeAll(async () => {
  fixture = await createVisitedFixture()
})
afterAll(() => fixture?.dispose())

const shop = () => ({ username: fixture.on.account.username, name: 'shop' })
const deploy = async (
  mark: string,
  instances: number,
  change: Partial<ApplicationSpec> = {},
): Promise<void> => {
  const { username, home, uid, gid } = fixture.on.account
  const spec = applicationSpec(username, 'shop', {
    ...{ environment: { MARK: mark }, instances, healthPath: '/health' },
    ...change,
  })
  await fixture.service.put({ spec, secrets: {} })
  const file = join(home, spec.folder, 'server.mjs')
  writeFileSync(file, SERVER)
  chownSync(file, uid, gid)
  await fixture.service.deploy(shop())
}
const serve = (instances: number) =>
  fixture.serve({ name: 'shop', paths: null, instances, healthPath: '/health' })
const get = (path = '/') => ask(fixture.web.port, path, { host: HOST })
const stateOf = async () => (await fixture.service.states(shop()))[0]

/** What visitors read who come without end until `work` is done; what fails begins with its status. */
const visitDuring = async (work: () => Promise<void>): Promise<string[]> => {
  const seen: string[] = []
  let done = false
  const visit = async (path: string): Promise<void> => {
    while (!done) {
      const { status, text } = await get(path)
      seen.push(status === 200 ? text : `${status} ${text}`)
    }
  }
  const visitors = ['/', '/', '/slow', '/slow?2'].map(visit)
  await work().finally(() => (done = true))
  await Promise.all(visitors)
  return seen
}
const instancesOf = (seen: readonly string[]): string[] =>
  [...new Set(seen.map((text) => text.split(' ').slice(0, 2).join(' ')))].sort()
const untilSeen = (...wanted: string[]) =>
  expect
    .poll(
      async () =>
        instancesOf(
          await Promise.all(Array.from({ length: 12 }, () => get().then(({ text }) => text))),
        ),
      { timeout: 20_000 },
    )
    .toEqual(wanted)

describe('an application of several instances', () => {
  it('is answered by all of them', async () => {
    await deploy('one', 3)
    await serve(3)
    await untilSeen('one 1', 'one 2', 'one 3')
    expect(await stateOf()).toMatchObject({ state: 'running', runningInstances: 3, restarts: 0 })
  })

  it('meets no failure where one is killed, which comes back while the others go on', async () => {
    const pids = new Map<string, string>()
    const note = ({ text }: { text: string }) => {
      const [, instance = '', pid = ''] = text.split(' ')
      pids.set(instance, pid)
    }
    await expect.poll(async () => (note(await get()), pids.size), { timeout: 20_000 }).toBe(3)
    const before = Object.fromEntries(pids)
    const seen = await visitDuring(async () => {
      const second = applicationSocket(fixture.on.account.home, 'shop', 2)
      expect(await askSocket(second, '/kill')).toBeNull()
      await expect
        .poll(async () => (await stateOf())?.runningInstances, { timeout: 10_000 })
        .toBe(2)
      expect(await stateOf()).toMatchObject({
        state: 'running',
        problem: 'Instance 2: It was ended by SIGKILL.',
      })
      await expect
        .poll(async () => (await stateOf())?.runningInstances, { timeout: 20_000 })
        .toBe(3)
      await untilSeen('one 1', 'one 2', 'one 3')
    })
    expect(seen.filter((text) => !/^one [123] \d+$/.test(text))).toEqual([])
    expect(seen.length).toBeGreaterThan(20)
    expect(await stateOf()).toMatchObject({ restarts: 1, problem: null })
    await expect.poll(async () => (note(await get()), pids.get('2') !== before['2'])).toBe(true)
    expect([pids.get('1'), pids.get('3')]).toEqual([before['1'], before['3']])
  })

  it('sends visitors to those that are healthy alone', async () => {
    const [, ill] = (await get('/ill')).text.split(' ')
    const well = ['one 1', 'one 2', 'one 3'].filter((one) => one !== `one ${ill}`)
    await untilSeen(...well)
    // It runs, and nobody ended it.
    expect(await stateOf()).toMatchObject({ runningInstances: 3, restarts: 1 })
  })

  it('meets no failure while newer ones take their places, fewer or more', async () => {
    const seen = await visitDuring(async () => {
      await deploy('two', 2)
      await serve(2)
      await untilSeen('two 1', 'two 2')
      await deploy('three', 3)
      await serve(3)
      await untilSeen('three 1', 'three 2', 'three 3')
    })
    expect(seen.filter((text) => !/^(?:one|two|three) [123] \d+$/.test(text))).toEqual([])
    expect(instancesOf(seen)).toEqual(expect.arrayContaining(['two 1', 'two 2']))
  })

  it('goes on with the old ones where one of the new does not answer', async () => {
    const broken = deploy('bad', 3, {
      start: 'if [ "$INSTANCE" = 2 ]; then exit 3; fi; exec node server.mjs',
    })
    await expect(broken).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('Instance 2: It ended with code 3 before it answered.'),
    })
    await untilSeen('three 1', 'three 2', 'three 3')
  })

  it('sleeps and wakes as one', async () => {
    await deploy('tired', 2, { sleepAfterSecs: 1, healthPath: null })
    await fixture.serve({ name: 'shop', paths: null, instances: 2 })
    await expect.poll(async () => (await stateOf())?.state, { timeout: 20_000 }).toBe('asleep')
    const { home } = fixture.on.account
    expect([1, 2].map((one) => existsSync(applicationSocket(home, 'shop', one)))).toEqual([
      false,
      false,
    ])
    const body = 'x'.repeat(100_000)
    const [page, sent] = await Promise.all([
      get(),
      ask(fixture.web.port, '/', { host: HOST, method: 'POST', body }),
    ])
    expect([page.status, sent.status]).toEqual([200, 200])
    expect(await askSocket(applicationSocket(home, 'shop', 2))).toMatch(/^tired 2 /)
    await fixture.service.stop(shop())
    expect((await get()).status).toBe(503)
  })

  it('has a port for each where it can listen at none but that', async () => {
    await deploy('ports', 2, { listen: 'port' })
    await serve(2)
    await untilSeen('ports 1', 'ports 2')
    await fixture.service.remove(shop())
  })
})
