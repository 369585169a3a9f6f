import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { WorkerStall } from '#handlers/ports/host/web/worker-stall.ts'
import { get } from '../support/get.ts'
import { siteToml } from '../support/static-web.ts'
import { eventually, startWeb, type WebProcess } from '../support/web-process.ts'

const BLOCKING = new URL('../support/block-processes.mjs', import.meta.url).pathname
/** The shortest silence that is told of, and a little. */
const NOTED_MS = 2600
/** More than `worker_stall_secs`. */
const TOO_LONG_MS = 60_000

let web: WebProcess
const sites = (plain: string): string =>
  [
    siteToml(web, 'm.test', 'htaccess = false'),
    siteToml(web, 'plain.test', `htaccess = false\n${plain}`),
    `[[virtualhost]]\ndomain = "rules.test"\nroot = "${web.directory}/rules"\nhtaccess = true\n[virtualhost.php]\nenable = false\n`,
  ].join('\n')

const stalls = async (): Promise<WorkerStall[]> => {
  const { body } = await web.management('GET', '/api/v1/status')
  return (body as { stalls: WorkerStall[] }).stalls
}

/** Whatever became of it: the worker may have ended under it. */
const ask = (host: string, path: string): Promise<number> =>
  get(web.port, host, path).then(
    ({ status }) => status,
    () => 0,
  )

const writeRules = (text: string): void =>
  writeFileSync(join(web.directory, 'rules/.htaccess'), text)

beforeAll(async () => {
  web = await startWeb({
    workers: 1,
    server: 'worker_stall_secs = 3\ncompress = false',
    nodeOptions: `--import ${BLOCKING}`,
  })
  mkdirSync(join(web.directory, 'rules'))
  writeFileSync(join(web.directory, 'rules/index.html'), 'ruled')
  writeFileSync(join(web.directory, 'state/index.html'), 'a page')
  writeRules('')
  web.writeHosts('main', sites(''))
  expect((await web.control('POST', '/reload')).status).toBe(200)
})
afterAll(() => web.remove())

it('tells of a worker that answers again with the request it was in', async () => {
  expect(await ask('plain.test', `/hold-up-${NOTED_MS}?q=1`)).toBe(404)
  await eventually('the stall is over', async () => (await stalls())[0]?.ended === false)
  expect(await stalls()).toMatchObject([
    { site: 'plain.test', method: 'GET', target: `/hold-up-${NOTED_MS}?q=1`, part: 'request' },
  ])
  const [{ secs = 0, held } = {}] = await stalls()
  expect(secs).toBeGreaterThanOrEqual(2)
  expect(held).toBe(false)
  expect(web.output()).toContain('a worker does not answer')
})

it('ends one that does not, when another one serves, and then answers what did it itself', async () => {
  // The one before ends once its requests are answered, for another one was started.
  await eventually('one worker', () => web.workers().length === 1)
  const victims = web.workers()
  const path = `/hold-up-${TOO_LONG_MS}`
  const asked = ask('plain.test', path)
  await eventually('a second worker', () => web.workers().length > victims.length)
  expect(web.workers()).toEqual(expect.arrayContaining(victims))
  const successors = web.workers().filter((one) => !victims.includes(one))
  expect(await asked).toBe(0)
  expect(await ask('m.test', '/')).toBe(200)
  await eventually('the silent one is gone', () =>
    web.workers().every((one) => !victims.includes(one)),
  )
  // No other worker had to start first.
  expect(web.workers()).toEqual(successors)
  await eventually('it is told', async () => (await stalls()).at(-1)?.ended === true)
  expect((await stalls()).at(-1)).toMatchObject({ site: 'plain.test', target: path, held: true })
  for (const spelling of [path, `${path}?x`, `/a/..${path}`])
    expect(await ask('plain.test', spelling), spelling).toBe(503)
  expect(await ask('plain.test', '/')).toBe(200)
  expect(await ask('m.test', path.replace(String(TOO_LONG_MS), '1'))).toBe(404)

  web.writeHosts('main', sites('redirect_https = false\nindex = ["index.html", "index.htm"]'))
  expect((await web.control('POST', '/reload')).status).toBe(200)
  expect((await stalls()).at(-1)).toMatchObject({ held: false })
  expect(await ask('plain.test', path.replace(String(TOO_LONG_MS), '1'))).toBe(404)
})

it('follows the rules of a site no more that held up workers twice, until they change', async () => {
  expect(await ask('rules.test', '/')).toBe(200)
  writeRules(`SetEnv HOLD_UP ${NOTED_MS}`)
  // They are read a second later at the latest.
  await eventually('the first stall', async () => {
    await ask('rules.test', `/?${performance.now()}`)
    return (await stalls()).some(({ site }) => site === 'rules.test')
  })
  await eventually('rules are held', async () => {
    await ask('rules.test', `/?${performance.now()}`)
    return (await stalls()).at(-1)?.held === true
  })
  expect((await stalls()).at(-1)).toMatchObject({ site: 'rules.test', part: 'rules' })
  for (const path of ['/', '/?x', '/anything']) expect(await ask('rules.test', path)).toBe(503)
  expect(await ask('m.test', '/')).toBe(200)
  // What they are now was seen when they were asked for; it is looked at once a second.
  await new Promise((resolve) => setTimeout(resolve, 1200))
  expect(await ask('rules.test', '/')).toBe(503)
  writeRules('SetEnv OTHER 1')
  await eventually('they are followed', async () => (await ask('rules.test', '/')) === 200)
})

it('takes a machine that stood still for no stall', async () => {
  const before = (await stalls()).length
  const all = [web.pid, ...web.workers()]
  for (const pid of all) process.kill(pid, 'SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, 3000))
  for (const pid of all) process.kill(pid, 'SIGCONT')
  expect(await ask('m.test', '/')).toBe(200)
  await new Promise((resolve) => setTimeout(resolve, 600))
  expect(await stalls()).toHaveLength(before)
  expect([web.pid, ...web.workers()]).toEqual(all)
})
