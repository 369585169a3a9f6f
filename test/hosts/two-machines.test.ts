import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readIdentityFile } from '#adapters/node/process/process-identity.ts'
import { Berth } from '#test/cli/support/run-berth.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { WHOLE } from '#test/support/sampled.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'

// Two whole installations on one machine: what one has under its directories and ports the other has not.
let own: Instance
let second: Instance
let berth: Berth
let there: Berth
let linkPid = 0

const LEAN = { server: 'workers = 1', databases: 'mariadb = "off"' }
const PATIENT = { timeout: 90_000, interval: 1000 }

beforeAll(async () => {
  const [port = 0] = await freePorts(1)
  ;[own, second] = await Promise.all([
    startInstance({ settings: LEAN }),
    startInstance({ settings: LEAN, append: `[link]\nlisten = "127.0.0.1:${port}"\n` }),
  ])
  berth = new Berth('--config', own.config.file)
  there = new Berth('--config', second.config.file)
  const said = await berth.ok('hosts add', ['two', `127.0.0.1:${port}`])
  await there.ok('agent join', [said.trim().split(' ').at(-1) ?? ''])
  await waitFor(async () => expect(await berth.ok('hosts open', ['two'])).toContain('is open'))
  linkPid = readIdentityFile(join(second.config.paths.run_dir, 'link.pid'))?.pid ?? 0
})
afterAll(async () => {
  if (linkPid !== 0) process.kill(linkPid, 'SIGCONT')
  berth?.remove()
  there?.remove()
  await Promise.all([own?.stop(), second?.stop()])
})

interface Listed {
  name: string
  state: string
  accounts: number
}
const two = async (): Promise<Listed | undefined> =>
  ((await berth.json('hosts list')) as Listed[]).find(({ name }) => name === 'two')
const create = (username: string) =>
  berth.run(
    'accounts create',
    [username, '--domain', `${username}.example`, '--email', 'a@mail.example'].concat([
      ...['--generate-password', '--host', 'two'],
    ]),
  )

test('an account lies on the second machine whole, and its site answers there alone', async () => {
  const made = await create('yonder')
  expect(made).toMatchObject({ code: 0 })
  expect(await two()).toMatchObject({ state: 'open', accounts: 1 })
  const page = '<p>from yonder</p>'
  await berth.ok('files put', ['yonder', '-', 'public_html/index.html'], { input: page })
  const home = join(second.config.paths.home_base, 'yonder')
  expect(readFileSync(join(home, 'public_html', 'index.html'), 'utf8')).toBe('<p>from yonder</p>')
  expect((await second.site('yonder.example', '/')).text).toBe('<p>from yonder</p>')
  expect((await own.site('yonder.example', '/')).text).not.toContain('from yonder')
  const { findings } = (await berth.json('doctor')) as { findings: { subject: string }[] }
  expect(findings.filter(({ subject }) => subject.includes('yonder'))).toEqual([])
})

test('one that stands still is away, its sites go on, and what was asked reaches it', async ({
  skip,
}) => {
  skip(!WHOLE, 'three probes take half a minute: npm run test:all')
  process.kill(linkPid, 'SIGSTOP')
  await waitFor(async () => expect(await two()).toMatchObject({ state: 'away' }), PATIENT)
  expect((await second.site('yonder.example', '/')).text).toBe('<p>from yonder</p>')
  const refused = await create('late')
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('two is away')
  await berth.ok('accounts suspend', ['yonder'])
  const { skipped } = (await berth.json('doctor')) as { skipped: { check: string }[] }
  expect(skipped.map(({ check }) => check)).toContain('host two')

  process.kill(linkPid, 'SIGCONT')
  await waitFor(async () => expect(await two()).toMatchObject({ state: 'open' }), PATIENT)
  await waitFor(
    async () => expect((await second.site('yonder.example', '/')).status).toBe(503),
    PATIENT,
  )
  await berth.ok('accounts delete', ['yonder', '--yes'])
  expect(await two()).toMatchObject({ accounts: 0 })
  expect((await second.site('yonder.example', '/')).text).not.toContain('from yonder')
})
