import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { Berth } from '#test/cli/support/run-berth.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { PanelClient, randomUsername } from '#test/support/panel-client.ts'
import { startSeveralPanels, type SeveralPanels } from './support/several-panels.ts'

const ENTRY = resolve(import.meta.dirname, '../../adapters/node/bin/panel.ts')

let all: SeveralPanels
/** The machine that joins: its configuration, and nothing else yet. */
let directory: string
let file: string
let text: string
let url: string
let berth: Berth
const at = (...names: string[]): string => join(directory, ...names)

beforeAll(async () => {
  all = await startSeveralPanels(1, { tls: true })
  directory = mkdtempSync(join(tmpdir(), 'berth-joins-'))
  chmodSync(directory, 0o755)
  const [port = 0] = await freePorts(1)
  url = `http://127.0.0.1:${port}`
  file = at('berth.toml')
  text = `[paths]
state_dir = "state"
run_dir = "run"
log_dir = "log"
secrets_dir = "secrets"
home_base = "home"
[panel]
# Of this machine.
listen = "127.0.0.1:${port}"
`
  writeFileSync(file, text)
  berth = new Berth('--config', file)
})
afterAll(async () => {
  berth?.remove()
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
  await all?.stop()
})

const invite = async (): Promise<string> => {
  const { client, address } = all.panels[0]!
  const { token } = await client.data<{ token: string }>('POST', '/api/panels/invitations', {
    address,
  })
  return token
}
const changed = (token: string, change: Record<string, string>): string => {
  const [, content = ''] = token.split('.')
  const read = JSON.parse(Buffer.from(content, 'base64url').toString()) as Record<string, string>
  return `berth-panel-1.${Buffer.from(JSON.stringify({ ...read, ...change })).toString('base64url')}`
}

test('who has no good token, or does not meet the panel that gave it out, gets nothing', async () => {
  const token = await invite()
  for (const [given, why] of [
    ['nonsense', 'not a token'],
    [changed(token, { secret: 'A'.repeat(43) }), 'not one of this panel'],
    [changed(token, { fingerprint: '0'.repeat(64) }), 'is not the panel that gave out the token'],
  ] as const) {
    const told = await berth.run('panel join', [given])
    expect([told.code, told.stderr]).toEqual([1, expect.stringContaining(why)])
    expect(readFileSync(file, 'utf8')).toBe(text)
    expect(existsSync(at('secrets', 'panel-jwt.key'))).toBe(false)
  }
})

test('a panel joins by one command, shares sessions and records, and leaves the other machine alone', async () => {
  const { client } = all.panels[0]!
  const token = await invite()
  const said = (await berth.json('panel join', [token])) as { panel: string; differs: string[] }
  expect(said.panel).toMatch(/^panel-[0-9a-f]{12}$/)
  expect(said.differs).toContain('panel.tls')
  const written = readFileSync(file, 'utf8')
  expect(written).toContain('# Of this machine.')
  const key = statSync(at('secrets', 'panel-jwt.key'))
  expect([key.mode & 0o777, key.uid]).toEqual([0o600, statSync(at('state', 'panel')).uid])
  // Once, and not where records are shared already.
  const again = await berth.run('panel join', [token])
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('shares records already')])
  const trusted = await client.data<{ id: string }[]>('GET', '/api/trusted-panels')
  expect(trusted.map(({ id }) => id)).toContain(said.panel)

  const child = spawn(process.execPath, [ENTRY, '--config', file], {
    ...{ cwd: '/', env: CLEAN_ENV, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  try {
    const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [
      { type?: string } | number | null,
    ]
    expect(message, output).toMatchObject({ type: 'ready' })
    const joined = new PanelClient({ ...all.instance, panelUrl: url })
    joined.token = client.token
    const { store, panels } = await joined.data<{
      store: { kind: string; place: string }
      panels: { alive: boolean; own: boolean }[]
    }>('GET', '/api/panels')
    expect(store.kind).toBe('postgresql')
    // That of the installation, the one beside it, and the new one.
    expect(panels.filter(({ alive }) => alive)).toHaveLength(3)
    expect(panels.filter(({ own }) => own)).toHaveLength(1)
    const username = randomUsername()
    const account = {
      ...{ username, domain: `${username}.example.com`, email: `${username}@example.com` },
      ...{ password: 'long enough 1', plan: 'free' },
    }
    // Host 0 is the other machine: nothing of this one's is taken for it.
    const refused = await joined.call('POST', '/api/accounts', account)
    expect([refused.status, refused.body.error]).toEqual([
      503,
      expect.stringContaining('another machine than the host local'),
    ])
    const made = await client.data<{ id: number }>('POST', '/api/accounts', account)
    expect(await joined.data('GET', `/api/accounts/${made.id}`)).toMatchObject({ username })
    await client.data('DELETE', `/api/accounts/${made.id}`)
  } finally {
    child.kill('SIGKILL')
  }
})
