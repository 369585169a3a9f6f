import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { runLauncher, type Outcome } from './support/run-berth.ts'

/** `berth …` with a text on standard input. */
const berth = (input: string, ...args: string[]): Promise<Outcome> => runLauncher(args, input)

describe('berth admin, beside a running panel', () => {
  shareInstance({ administrator: false })
  const admin = (input: string, ...args: string[]) =>
    berth(input, 'admin', ...args, '--config', instance.config.file)
  const login = async (username: string, password: string) =>
    panel.call('POST', '/api/auth/login', { username, password }, null)

  test('create makes the first administrator and closes setup', async () => {
    expect(await admin('correct horse 9\n', 'create', 'admin')).toEqual({
      code: 0,
      stdout: 'Administrator admin was created.\n',
      stderr: '',
    })
    const answer = await login('admin', 'correct horse 9')
    expect(answer.status).toBe(200)
    panel.token = (answer.body.data as { token: string }).token
    const setup = { username: 'mallory', password: 'long enough' }
    expect((await panel.call('POST', '/api/auth/setup', setup, null)).status).toBe(403)
  })

  test('create makes another, refuses what the panel refuses', async () => {
    expect((await admin('another one', 'create', 'second')).code).toBe(0)
    expect((await login('second', 'another one')).status).toBe(200)
    for (const [input, name, text] of [
      ['long enough', 'second', 'taken'],
      ['long enough', 'ab', 'at least 3'],
      ['short', 'third', 'at least 8'],
      ['', 'third', 'at least 8'],
    ] as const) {
      const { code, stdout, stderr } = await admin(input, 'create', name)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain(text)
    }
    expect((await panel.data<unknown[]>('GET', '/api/users')).length).toBe(2)
  })

  test('reset-password lets in again and ends every session', async () => {
    const users = await panel.data<{ id: number; username: string }[]>('GET', '/api/users')
    const second = users.find(({ username }) => username === 'second')
    await panel.data('PATCH', `/api/users/${second?.id}`, { status: 'locked' })
    expect((await login('second', 'another one')).status).toBe(401)
    expect((await admin('brand new one\n', 'reset-password', 'second')).code).toBe(0)
    expect((await login('second', 'brand new one')).status).toBe(200)
    const again = ['reset-password', 'admin', '--remove-second-factor']
    expect((await admin('correct horse 10', ...again)).code).toBe(0)
    expect((await panel.call('GET', '/api/auth/me')).status).toBe(401)
    const answer = await login('admin', 'correct horse 10')
    panel.token = (answer.body.data as { token: string }).token
    const unknown = await admin('long enough', 'reset-password', 'nobody')
    expect([unknown.code, unknown.stdout]).toEqual([1, ''])
    expect(unknown.stderr).toContain('There are: admin, second.')
  })

  test('it is in the audit log, and the store still belongs to the panel', async () => {
    const entries = await panel.data<{ action: string; target: string }[]>(
      'GET',
      '/api/audit?q=berth admin',
    )
    expect(entries[0]).toMatchObject({
      action: 'berth admin reset-password',
      target: 'username=admin',
    })
    expect(JSON.stringify(entries)).not.toContain('correct horse')
    const directory = join(instance.config.paths.state_dir, 'panel')
    const { uid } = statSync(directory)
    for (const name of ['panel.db', 'panel.db-wal', 'panel.db-shm']) {
      const file = statSync(join(directory, name))
      expect([name, file.uid, file.mode & 0o777]).toEqual([name, uid, 0o600])
    }
  })
})

test('without a store it says what to do; without a name the command line is wrong', async () => {
  const missing = await berth(
    'long enough',
    'admin',
    'create',
    'boss',
    '--config',
    '/nonexistent/berth.toml',
  )
  expect(missing.code).toBe(1)
  expect(missing.stderr).toContain('/nonexistent/berth.toml')
  expect((await berth('long enough', 'admin', 'create')).code).toBe(2)
})
