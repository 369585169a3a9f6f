import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isSameProcessAlive, readIdentityFile } from '#adapters/node/process/process-identity.ts'
import { findGroup, findUser, LINK_USER } from '#adapters/node/process/identities.ts'
import { unixFetch } from '#adapters/node/process/unix-fetch.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { Berth } from '../support/run-berth.ts'

/** A panel and the machine that it invites, which for once is its own. */
let instance: Instance
let berth: Berth
let port = 0
const at = (...names: string[]): string => join(instance.config.paths.state_dir, ...names)

beforeAll(async () => {
  ;[port = 0] = await freePorts(1)
  instance = await startInstance({
    settings: { server: 'workers = 1', databases: 'mariadb = "off"' },
    append: `[link]\nlisten = "127.0.0.1:${port}"\ntunnel_group = "nogroup"\n`,
  })
  berth = new Berth('--config', instance.config.file)
})
afterAll(async () => {
  berth?.remove()
  await instance?.stop()
})

interface Host {
  name: string
  state: string
  link_id: string
  certificate_until: string | null
}
/** But for the panel's own. */
const listed = async (): Promise<Host[]> =>
  ((await berth.json('hosts list')) as Host[]).filter(({ name }) => name !== 'local')

test('a machine is invited, joins, is dialled once and is open', async () => {
  expect(existsSync(join(instance.config.paths.run_dir, 'agent-link.sock'))).toBe(false)
  const said = await berth.ok('hosts add', ['two', `127.0.0.1:${port}`, '--role', 'host'])
  const token = said.trim().split(' ').at(-1) ?? ''
  expect(said).toMatch(/^berth agent join berth-join-1\./)
  expect(await listed()).toMatchObject([{ name: 'two', state: 'joining' }])
  // Nobody has joined: nothing answers.
  const early = await berth.run('hosts open', ['two'])
  expect([early.code, early.stderr.includes('cannot be reached')]).toEqual([1, true])

  await berth.ok('agent join', [token])
  const link = readIdentityFile(join(instance.config.paths.run_dir, 'link.pid'))
  expect(link !== null && isSameProcessAlive(link)).toBe(true)
  const status = readFileSync(`/proc/${String(link?.pid)}/status`, 'latin1')
  expect(status).toMatch(new RegExp(`^Uid:\\t${String(findUser(LINK_USER)?.uid)}\\t`, 'm'))
  expect(status).toMatch(/^CapEff:\t0+$/m)
  await waitFor(async () => expect(await berth.ok('hosts open', ['two'])).toContain('is open'))
  expect(await listed()).toMatchObject([{ name: 'two', state: 'open', join_until: null }])
  const again = await berth.run('hosts open', ['two'])
  expect([again.code, again.stderr.includes('is open already')]).toEqual([1, true])

  const socket = statSync(join(instance.config.paths.run_dir, 'agent-link.sock'))
  expect([socket.uid, socket.gid, socket.mode & 0o777]).toEqual([
    0,
    findUser(LINK_USER)?.gid,
    0o660,
  ])
  const tunnel = statSync(join(instance.config.paths.run_dir, 'link-tunnel.sock'))
  expect([tunnel.uid, tunnel.gid, tunnel.mode & 0o777]).toEqual([
    ...[findUser(LINK_USER)?.uid, findGroup('nogroup'), 0o660],
  ])
  const through = unixFetch(join(instance.config.paths.run_dir, 'link-tunnel.sock'))
  const unsigned = new Request('https://host/system/info', { method: 'POST', body: '{}' })
  expect((await through(unsigned)).status).toBe(401)
  const keys = statSync(at('panel', 'link', 'link.json'))
  expect([keys.uid, keys.mode & 0o777]).toEqual([findUser('berth')?.uid, 0o600])
})

test('the machines obey the panel that invited them', async () => {
  const panels = (await berth.json('hosts panels')) as { id: string; own: boolean }[]
  expect(panels).toMatchObject([{ own: true }])
  const refused = await berth.run('hosts remove-panel', [panels[0]?.id ?? '', '--yes'])
  expect(refused.stderr).toContain('the one that you ask')
})

test('keys and certificates are changed, and the machine is reached all the time', async () => {
  const own = async () =>
    ((await berth.json('hosts panels')) as { id: string }[]).map(({ id }) => id)
  const [first = ''] = await own()
  expect(await berth.ok('hosts rotate', [])).toContain(`as ${first}-2 now`)
  expect(await own()).toEqual([first, `${first}-2`])
  expect(await berth.ok('hosts rotate', ['--end-former'])).toContain(`as ${first}-3 now`)
  expect(await own()).toEqual([`${first}-3`])
  const until = async () => (await listed())[0]?.certificate_until
  expect(await until()).toMatch(/^20\d\d-/)
  expect(await berth.ok('hosts rotate', ['two'])).toContain('a new certificate')
  expect(await berth.ok('hosts copies', ['two'])).toContain('There are no copies')
  expect(await berth.ok('agent show', [])).toContain(`${first}-3`)
  expect(await berth.ok('hosts total', [])).toMatch(/^Machines: +2\n/)
  const none = await berth.run('hosts rotate', ['three'])
  expect([none.code, none.stderr.includes('No such host')]).toEqual([1, true])
})

test('a machine is closed to new accounts, weighed and opened again', async () => {
  expect(await berth.ok('hosts close', ['two'])).toContain('no new accounts')
  await berth.ok('hosts weigh', ['two', '3'])
  expect(await listed()).toMatchObject([{ name: 'two', state: 'closed', weight: 3 }])
  expect(await berth.ok('hosts open', ['two'])).toContain('is open')
  const bad = await berth.run('hosts weigh', ['two', 'much'])
  expect([bad.code, bad.stderr.includes('weight')]).toEqual([1, true])
})

test('where visitors reach the machine of the panel is said once; others have their link', async () => {
  expect(await berth.ok('hosts address', ['local', '192.0.2.1'])).toContain('at 192.0.2.1')
  const all = (await berth.json('hosts list')) as { name: string; address: string }[]
  expect(all.find(({ name }) => name === 'local')?.address).toBe('192.0.2.1')
  const link = await berth.run('hosts address', ['two', '192.0.2.9'])
  expect([link.code, link.stderr.includes('that of its link')]).toEqual([1, true])
})

test('nothing is moved where there is nothing, and to no machine that is none', async () => {
  await berth.ok('accounts create', [
    ...['mover', '--domain', 'mover.example', '--email', 'a@mail.example'],
    ...['--generate-password', '--host', 'local'],
  ])
  const nowhere = await berth.run('accounts relocate', ['mover', 'three'])
  expect([nowhere.code, nowhere.stderr.includes('no host "three"')]).toEqual([1, true])
  const there = await berth.run('accounts relocate', ['mover', 'local'])
  expect([there.code, there.stderr.includes('on the host local already')]).toEqual([1, true])
  expect(await berth.ok('hosts copies', ['two'])).toContain('There are no copies')
  const none = await berth.run('hosts remove-copy', ['two', 'mover', '--yes'])
  expect([none.code, none.stderr.includes('No copy of mover')]).toEqual([1, true])
  expect(await berth.ok('hosts drain', ['two', '--yes'])).toContain('0 accounts were moved off two')
  await berth.ok('hosts open', ['two'])
})

test('a token of another invitation proves nothing', async () => {
  await berth.ok('hosts add', ['three', `127.0.0.1:${port}`])
  const { code, stderr } = await berth.run('hosts open', ['three'])
  expect(code).toBe(1)
  expect(stderr).toMatch(/does not take calls|does not prove/)
  expect((await listed()).map(({ name, state }) => [name, state])).toEqual([
    ['three', 'joining'],
    ['two', 'open'],
  ])
  await berth.ok('hosts remove', ['three', '--yes'])
  expect((await berth.run('hosts open', ['three'])).code).toBe(1)
})

test('a panel that is forgotten is obeyed no more, and the link is shut', async () => {
  const { panels } = (await berth.json('agent show')) as { panels: string[] }
  await berth.ok('agent forget-panel', [panels[0] ?? ''])
  const socket = join(instance.config.paths.run_dir, 'agent-link.sock')
  await waitFor(() => expect(existsSync(socket)).toBe(false))
})
