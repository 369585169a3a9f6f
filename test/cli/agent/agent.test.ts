import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { ensureIdentities } from '#adapters/node/process/ensure-identities.ts'
import { ownChannelLine } from '#adapters/node/web-channel/own-channel.ts'
import { parseServerConfig } from '#handlers/domain/config/server-config.ts'
import { createJoinToken } from '#adapters/shared/host-rpc/link/join-token.ts'
import { signTrustList } from '#adapters/shared/host-rpc/link/trust-list.ts'
import { createTestPanel } from '#test/node/link/link-instance.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { runLauncher } from '../support/run-berth.ts'

let dir: string
let linkGid: number | undefined
const configWith = (link: string): void =>
  writeFileSync(join(dir, 'berth.toml'), `[paths]\nstate_dir = "state"\n${link}`)
const agent = (words: string[], input = '') =>
  runLauncher(['agent', ...words, '--config', join(dir, 'berth.toml')], input)
const shown = async () =>
  JSON.parse((await agent(['show', '--json'])).stdout) as { panels: string[]; forgotten: string[] }

beforeAll(async () => {
  dir = temporaryDirectory('bagent-')
  chmodSync(dir, 0o711)
  mkdirSync(join(dir, 'state', 'agent'), { recursive: true })
  linkGid = (await ensureIdentities()).link?.gid
})

const invite = async (id: string): Promise<string> => {
  const panel = await createTestPanel(id)
  const list = { v: 1, host: 'host-1', role: 'host', version: 1 } as const
  const signed = await signTrustList({ ...list, panels: [panel.entry] }, id, panel.key)
  return (await createJoinToken(signed)).token
}

test('a machine joins where it says at what address it is reached, and one panel alone', async () => {
  const token = await invite('panel-1')
  configWith('')
  const nowhere = await agent(['join', token])
  expect([nowhere.code, nowhere.stdout]).toEqual([1, ''])
  expect(nowhere.stderr).toContain('[link] listen')
  expect((await agent(['show'])).stdout).toContain('obeys no panel')

  configWith('[link]\nlisten = "127.0.0.1:7072"\n')
  const joined = await agent(['join'], `${token}\n`)
  expect(joined).toMatchObject({ code: 0, stderr: '' })
  expect(joined.stdout).toContain('obeys panel-1')
  expect(await shown()).toMatchObject({ host: 'host-1', panels: ['panel-1'], forgotten: [] })
  for (const name of ['trust.json', 'own.pem']) {
    const { uid, gid, mode } = statSync(join(dir, 'state', 'link', name))
    expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: 0, gid: linkGid, mode: 0o640 })
  }
  expect(statSync(join(dir, 'state', 'link', 'joined.json')).mode & 0o777).toBe(0o600)

  const second = await agent(['join', await invite('panel-2')])
  expect(second.code).toBe(1)
  expect(second.stderr).toContain('obeys panel-1 already')
})

test('a panel is forgotten for good', async () => {
  const unknown = await agent(['forget-panel', 'panel-9'])
  expect([unknown.code, unknown.stderr.includes('no panel panel-9')]).toEqual([1, true])
  const forgotten = await agent(['forget-panel', 'panel-1'])
  expect(forgotten.stdout).toContain('the link is shut')
  expect(await shown()).toMatchObject({ panels: [], forgotten: ['panel-1'] })
})

test('nothing is done by a configuration that others can write', async () => {
  chmodSync(join(dir, 'berth.toml'), 0o666)
  const { code, stderr } = await agent(['allow-removals'])
  chmodSync(join(dir, 'berth.toml'), 0o644)
  expect([code, stderr.includes('writable by root alone')]).toEqual([1, true])
})

test('removals are let go on for an hour', async () => {
  const { code, stdout } = await agent(['allow-removals'])
  expect([code, stdout.includes('until')]).toEqual([0, true])
  const { mode, uid } = statSync(join(dir, 'state', 'agent', 'allow-removals'))
  expect([mode & 0o777, uid]).toEqual([0o600, 0])
})

test('both ends of the web channel are told of each other, and forget each other', async () => {
  const own = await agent(['web-channel', 'two', 'host'])
  expect(own).toMatchObject({ code: 0, stderr: '' })
  expect(await agent(['web-channel', 'two', 'host'])).toMatchObject({ stdout: own.stdout })
  const { uid, mode } = statSync(join(dir, 'state', 'web-channel', 'key.pem'))
  expect({ uid, mode: mode & 0o777 }).toEqual({ uid: 0, mode: 0o640 })
  for (const words of [
    ['web-channel', 'two', 'front'],
    ['web-channel', 'two', 'neither'],
    ['web-trust', 'berth-web-1.nothing'],
    ['web-forget', 'front-a'],
  ])
    expect((await agent(words)).code).toBe(1)
  const elsewhere = join(dir, 'elsewhere')
  const line = await ownChannelLine(elsewhere, { id: 'front-a', role: 'front' }, null)
  expect((await agent(['web-trust', line])).stdout).toContain('front-a is known')
  expect((await agent(['web-forget', 'front-a'])).stdout).toContain('Nobody is left')
})

test('a host says how its sites stand at a front, where that configuration is a sound one', async () => {
  for (const name of ['a "b".pem', 'a.key']) writeFileSync(join(dir, name), '')
  const site = `[[virtualhost]]
domain = "example.test"
aliases = ["www.example.test", "*.example.test"]
root = "${dir}"
suspended = true
redirect_https = true
ssl_certificate = "${dir}/a \\"b\\".pem"
ssl_certificate_key = "${dir}/a.key"
[virtualhost.cache]
ttl = 60
exclude = ["/shop/*"]
session_cookies = ["basket"]
`
  configWith(`${site}[[virtualhost]]\ndomain = "plain.test"\nroot = "${dir}"\n`)
  expect((await agent(['web-sites', 'two', 'no address'])).code).toBe(1)
  const { stdout } = await agent(['web-sites', 'two', '10.0.0.2:7443'])
  const { config, problems } = parseServerConfig({ file: '/x.toml', text: stdout, root: true })
  expect(problems).toEqual([])
  expect(config.virtualhost).toMatchObject([
    {
      domain: 'example.test',
      aliases: ['www.example.test', '*.example.test'],
      suspended: true,
      redirect_https: true,
      ssl_certificate: join(dir, 'a "b".pem'),
      proxy: { upstream: 'https://10.0.0.2:7443', channel: 'two' },
      cache: { ttl: 60, exclude: ['/shop/*'], session_cookies: ['basket'] },
    },
    { domain: 'plain.test', suspended: false, proxy: { channel: 'two' } },
  ])
})
