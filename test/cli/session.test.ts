import { spawn } from 'node:child_process'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { connect } from 'node:tls'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { instance, shareInstance } from '#test/support/setups/shared-instance.ts'
import { beginResident, Berth, endResident } from './support/run-berth.ts'

const PASSWORD = 'correct horse 9'
const MAIN = resolve(import.meta.dirname, '../../cli/main.ts')

/** Without `--config`: another machine, as far as it knows. */
let berth: Berth
let url: string

shareInstance({ administrator: false, settings: { panel: 'tls = "self-signed"' } })
beforeAll(beginResident)
afterAll(endResident)
beforeAll(async () => {
  url = instance.panelUrl.replace('http:', 'https:')
  berth = new Berth()
  const create = ['admin', '--config', instance.config.file]
  await berth.ok('admin create', create, { input: PASSWORD })
  writeFileSync(caFile(), await certificateOf(Number(new URL(url).port)))
})
afterAll(async () => {
  berth?.remove()
})
const profilesFile = () => join(berth.home, 'config/berth/profiles.json')
const caFile = () => join(berth.home, 'panel.pem')
const profiles = () =>
  JSON.parse(readFileSync(profilesFile(), 'utf8')) as {
    current: string | null
    profiles: Record<string, { token: string | null }>
  }

/** A command at a terminal of its own; each answer is typed when its question stands there. */
const atTerminal = (
  args: string[],
  answers: [question: string, answer: string | ((output: string) => string)][],
) =>
  new Promise<{ code: number | null; output: string }>((done, reject) => {
    const words = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(' ')
    const child = spawn('script', ['-qefc', words, '/dev/null'], {
      env: {
        PATH: process.env['PATH'],
        HOME: berth.home,
        XDG_CONFIG_HOME: join(berth.home, 'config'),
        TERM: 'xterm',
      },
    })
    let output = ''
    let seen = 0
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const [next] = answers
      const at = next === undefined ? -1 : output.indexOf(next[0], seen)
      if (next === undefined || at < 0) return
      seen = at + next[0].length
      answers.shift()
      const answer = typeof next[1] === 'string' ? next[1] : next[1](output)
      child.stdin.write(`${answer}\r`)
    })
    child.on('error', reject)
    child.on('close', (code) => done({ code, output }))
  })

/** What a person would get with `openssl s_client -showcerts`. */
const certificateOf = (port: number): Promise<string> =>
  new Promise((done, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      const base64 = socket.getPeerCertificate().raw.toString('base64')
      socket.destroy()
      const lines = base64.match(/.{1,64}/g)?.join('\n')
      done(`-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`)
    })
    socket.on('error', reject)
  })

const login = (...more: string[]) => ['--url', url, '--username', 'admin', ...more]

describe('a panel elsewhere', () => {
  test('its certificate is not trusted without being given', async () => {
    const { code, stderr } = await berth.run('login', login('--password-stdin'), {
      input: PASSWORD,
    })
    expect(code).toBe(1)
    expect(stderr).toContain('--ca-file')
  })

  test('login keeps the session for this user alone, and commands use it', async () => {
    const args = login('--password-stdin', '--ca-file', caFile())
    const answer = await berth.json('login', args, { input: PASSWORD })
    expect(answer).toEqual({
      profile: '127.0.0.1',
      url: `${url}/`,
      username: 'admin',
      role: 'admin',
    })
    expect(statSync(profilesFile()).mode & 0o777).toBe(0o600)
    expect(readFileSync(profilesFile(), 'utf8')).not.toContain(PASSWORD)
    expect(await berth.ok('whoami')).toMatch(/username\s+admin\n/)
    expect(await berth.ok('accounts list')).toContain('There are no accounts.')
    expect(await berth.ok('profile list')).toMatch(/\*\s+127\.0\.0\.1\s+https:[^]*yes\n$/)
  })

  test('--config means this machine whatever profile counts, as does --profile local', async () => {
    const here = ['--config', instance.config.file]
    expect(await berth.json('whoami', here)).toMatchObject({ username: 'root@local' })
    const local = await berth.json('whoami', [...here, '--profile', 'local'])
    expect(local).toMatchObject({ username: 'root@local' })
    expect((await berth.run('whoami', ['--profile', 'none'])).code).toBe(2)
    const both = ['--profile', 'local', '--url', url]
    expect((await berth.run('whoami', both)).code).toBe(2)
  })

  test('tokens: from the environment, a file that nobody else reads, an option', async () => {
    const token = (await berth.ok('tokens create', ['ci', '--scope', 'read'])).trim()
    const where = ['--url', url, '--ca-file', caFile()]
    expect(await berth.json('whoami', where, { env: { BERTH_TOKEN: token } })).toMatchObject({
      username: 'admin',
    })
    expect(
      await berth.json('whoami', ['--ca-file', caFile()], {
        env: { BERTH_TOKEN: token, BERTH_URL: url },
      }),
    ).toMatchObject({ username: 'admin' })
    const file = join(berth.home, 'token')
    writeFileSync(file, `${token}\n`, { mode: 0o600 })
    await berth.ok('accounts list', [...where, '--token-file', file])
    await berth.ok('accounts list', [...where, '--token', token])
    chmodSync(file, 0o644)
    const open = await berth.run('accounts list', [...where, '--token-file', file])
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining('chmod 600')])
    const twice = await berth.run('whoami', [...where, '--token', token, '--token-file', file])
    expect(twice.code).toBe(2)
    const none = await berth.run('whoami', where)
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('berth login')])
    const wrong = await berth.run('whoami', [...where, '--token', 'berth_wrong'])
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('log in anew')])
    // A token that may only read creates nothing.
    expect((await berth.run('web reload', [...where, '--token', token])).code).toBe(1)
    const profile = await berth.json('login', [...where, '--token', token, '--profile', 'ci'])
    expect(profile).toMatchObject({ profile: 'ci', username: 'admin' })
    await berth.ok('accounts list', ['--profile', 'ci'])
    await berth.ok('accounts list', [], { env: { BERTH_PROFILE: 'ci' } })
  })

  test('profile use, list, delete', async () => {
    expect(profiles().current).toBe('ci')
    expect(await berth.ok('profile use', ['local'])).toBe('Commands work on this machine.\n')
    expect(profiles().current).toBeNull()
    await berth.ok('profile use', ['127.0.0.1'])
    expect((await berth.run('profile use', ['none'])).code).toBe(1)
    expect(await berth.json('profile delete', ['ci'])).toEqual({ deleted: 'ci' })
    expect((await berth.run('profile delete', ['ci'])).code).toBe(1)
    expect(Object.keys(profiles().profiles)).toEqual(['127.0.0.1'])
  })

  test('profiles that others can read are refused', async () => {
    chmodSync(profilesFile(), 0o644)
    const { code, stderr } = await berth.run('whoami')
    expect([code, stderr]).toEqual([2, expect.stringContaining('chmod 600')])
    chmodSync(profilesFile(), 0o600)
  })

  test('at a terminal: password, second factor and new passwords are asked for, unseen', async () => {
    const token = (await berth.ok('tokens create', ['kept', '--scope', 'read'])).trim()
    const isKept = async (): Promise<boolean> => {
      const where = ['--url', url, '--ca-file', caFile(), '--token', token]
      return (await berth.run('whoami', where)).code === 0
    }
    const first = await atTerminal(
      ['password', '--keep-tokens'],
      [
        ['Present password: ', PASSWORD],
        ['New password: ', 'not so new one 1'],
        ['once more: ', 'not so new one 1'],
      ],
    )
    expect([first.code, await isKept()]).toEqual([0, true])
    const changed = await atTerminal(
      ['password'],
      [
        ['Present password: ', 'not so new one 1'],
        ['New password: ', 'brand new one 1'],
        ['once more: ', 'brand new one 1'],
      ],
    )
    expect([changed.code, changed.output]).toEqual([0, expect.stringContaining('was changed')])
    expect(await isKept()).toBe(false)
    expect(changed.output).not.toMatch(/brand new|correct horse/)
    // The session that changed it goes on, with a new token.
    expect(await berth.json('second-factor show')).toMatchObject({ enabled: false })
    const refused = await atTerminal(['second-factor', 'enable'], [['Password: ', 'wrong one 1']])
    expect(refused.code).toBe(1)
    expect((await berth.run('password')).code).toBe(1)
    expect((await berth.run('second-factor disable')).code).toBe(1)
  })

  test('a second factor is enrolled, asked for at the login, and taken off', async () => {
    const password = 'brand new one 1'
    const codeOf = (output: string): string => {
      const secret = /authenticator: (\S+)/.exec(output)?.[1] ?? ''
      return new TOTP({ secret: Secret.fromBase32(secret) }).generate()
    }
    const enabled = await atTerminal(
      ['second-factor', 'enable'],
      [
        ['Password: ', password],
        ['it shows: ', codeOf],
      ],
    )
    expect(enabled.code).toBe(0)
    const line = /recovery_codes\s+(.+)/.exec(enabled.output)?.[1] ?? ''
    const [one = '', two = ''] = line.trim().split(', ')
    expect(await berth.json('second-factor show')).toMatchObject({ enabled: true })
    const args = login('--ca-file', caFile())
    const piped = await berth.run('login', [...args, '--password-stdin'], { input: password })
    expect(piped.code).toBe(1)
    const again = await atTerminal(
      ['login', ...args],
      [
        ['Password: ', password],
        ['second factor: ', one],
      ],
    )
    expect([again.code, again.output]).toEqual([0, expect.stringContaining('Logged in')])
    const off = await atTerminal(
      ['second-factor', 'disable'],
      [
        ['Password: ', password],
        ['recovery code: ', two],
      ],
    )
    expect([off.code, off.output]).toEqual([0, expect.stringContaining('no second factor')])
  })

  test('deleting at a terminal asks to type the name', async () => {
    await berth.ok('users create', ['carol', '--generate-password'])
    const wrong = await atTerminal(['users', 'delete', 'carol'], [['to go on: ', 'karol']])
    expect([wrong.code, wrong.output]).toEqual([1, expect.stringContaining('Nothing was changed')])
    const right = await atTerminal(['users', 'delete', 'carol'], [['to go on: ', 'carol']])
    expect([right.code, right.output]).toEqual([0, expect.stringContaining('was deleted')])
  })

  test('logout ends the session', async () => {
    const token = profiles().profiles['127.0.0.1']?.token ?? ''
    expect(await berth.json('logout')).toEqual({ logged_out: true })
    expect(profiles().profiles['127.0.0.1']?.token).toBeNull()
    const where = ['--url', url, '--ca-file', caFile(), '--token', token]
    expect((await berth.run('whoami', where)).code).toBe(1)
    expect((await berth.run('whoami')).stderr).toContain('berth login')
    const wrong = await berth.run('login', login('--password-stdin', '--ca-file', caFile()), {
      input: 'not the password',
    })
    expect([wrong.code, wrong.stdout]).toEqual([1, ''])
    expect((await berth.run('login', login('--ca-file', caFile()))).code).toBe(2)
    expect((await berth.run('login', ['--username', 'admin'])).code).toBe(2)
    expect((await berth.run('login', ['--url', 'ftp://x'])).code).toBe(2)
  })
})
