import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePorts } from '#test/support/free-ports.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { Berth } from './support/run-berth.ts'

let berth: Berth
let dir: string
let ports: number[]
let holder: Server
beforeAll(async () => {
  berth = new Berth()
  dir = temporaryDirectory('bcli-')
  mkdirSync(join(dir, 'site'))
  ports = await freePorts(4)
  holder = createServer().listen(ports[1], '127.0.0.1')
  await new Promise((done) => holder.on('listening', done))
})
afterAll(() => {
  berth.remove()
  holder.close()
})

/** A file whose ports are free but for that of the sites. */
const write = (hosts: string, more = ''): string => {
  const file = join(dir, 'berth.toml')
  const [panel, http, https, api] = ports
  writeFileSync(
    file,
    `[paths]
state_dir = "state"
run_dir = "run"
[panel]
listen = "127.0.0.1:${panel}"
[server]
listen = "127.0.0.1:${http}"
listen_ssl = "127.0.0.1:${https}"
[api]
listen = "127.0.0.1:${api}"
${more}
${hosts}`,
  )
  return file
}
const put = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text)
  return name
}
interface Tested {
  ok: boolean
  problems: { key: string }[]
  warnings: { file: string; line: number; key: string; message: string }[]
}
const suspicionsOf = async (file: string): Promise<Tested['warnings']> =>
  (await berth.json<Tested>('config test', ['--config', file])).warnings

describe('config test names what is suspicious', () => {
  test('a port that another program holds, and which program', async () => {
    const file = write('')
    const [found, ...more] = await suspicionsOf(file)
    expect(more).toEqual([])
    expect(found).toMatchObject({ file, line: 7, key: 'server.listen' })
    expect(found?.message).toMatch(
      new RegExp(`port ${ports[1]} is in use by .*process ${process.pid}`),
    )
    const plain = await berth.run('config test', ['--config', file])
    expect(plain.code).toBe(0)
    expect(plain.stdout).toContain('is correct (0 virtual hosts, 1 suspicious).')
    expect(plain.stderr).toMatch(/^suspicious {2}.*berth\.toml:7: server\.listen port/)
    const strict = await berth.run('config test', ['--strict', '--config', file])
    expect([strict.code, strict.stdout]).toEqual([1, ''])
    expect(strict.stderr).toContain('--strict')
  })

  test('certificates: expired, expiring, for other names, with a foreign key', async () => {
    const pair = (name: string, options: Parameters<typeof makeCertificate>[0]): string => {
      const made = makeCertificate(options)
      return `ssl_certificate = "${put(`${name}.pem`, made.certificate)}"\nssl_certificate_key = "${put(`${name}.key`, made.key)}"`
    }
    const host = (name: string, more: string) =>
      `[[virtualhost]]\ndomain = "${name}.test"\nroot = "site"\n[virtualhost.php]\nenable = false\n`.replace(
        '[virtualhost.php]',
        `${more}\n[virtualhost.php]`,
      )
    const mixed = pair('mixed', { names: ['mixed.test'] }).replace('mixed.key', 'fine.key')
    const file = write(
      [
        host('fine', pair('fine', { names: ['fine.test'] })),
        host('old', pair('old', { names: ['old.test'], days: -1 })),
        host('soon', pair('soon', { names: ['soon.test'], days: 3 })),
        host(
          'other',
          `aliases = ["more.test"]\n${pair('other', { names: ['other.test', 'more.test'] })}`,
        ),
        host('alien', pair('alien', { names: ['example.com'] })),
        host('mixed', mixed),
        host(
          'junk',
          `ssl_certificate = "${put('junk.pem', 'x')}"\nssl_certificate_key = "fine.key"`,
        ),
      ].join('\n'),
    )
    const found = (await suspicionsOf(file)).slice(1)
    const texts = found.map(({ key, message }) => `${key}: ${message}`)
    for (const expected of [
      /^virtualhost\[1\]\.ssl_certificate: .*expired on/,
      /^virtualhost\[2\]\.ssl_certificate: .*in [23] days/,
      /^virtualhost\[4\]\.ssl_certificate: .*not for alien\.test/,
      /^virtualhost\[5\]\.ssl_certificate_key: .*key of another/,
      /^virtualhost\[6\]\.ssl_certificate: .*cannot be used/,
    ])
      expect(texts).toContainEqual(expect.stringMatching(expected))
    expect(texts).toHaveLength(5)
    for (const { line } of found) expect(line).toBeGreaterThan(10)
  })

  test('PHP that is not installed, and document roots of accounts that are gone', async () => {
    const file = write(
      `[[virtualhost]]
domain = "a.test"
root = "gone"
username = "alice"
[virtualhost.php]
version = "4.0"`,
      '[php]\ndefault_version = "4.1"',
    )
    const found = (await suspicionsOf(file)).map(({ key }) => key)
    expect(found).toEqual(
      expect.arrayContaining(['php.default_version', 'virtualhost[0].php.version']),
    )
    expect(found).toContain('virtualhost[0].root')
  })

  test('mistakes come all at once, and nothing suspicious beside them', async () => {
    const file = write('[[virtualhost]]\ndomain = "a.test"\nroot = "none"\n', '[cache]\nx = 1')
    const { code, stdout } = await berth.run('config test', ['--json', '--config', file])
    expect(code).toBe(2)
    const { ok, problems, warnings } = JSON.parse(stdout) as Tested
    expect([ok, warnings]).toEqual([false, []])
    expect(problems.map(({ key }) => key)).toEqual(['cache.x', 'virtualhost[0].root'])
  })
})

test('other commands say that the configuration is wrong: exit code 2', async () => {
  const file = write('', '[cache]\nx = 1')
  for (const command of ['config show', 'cache stats', 'accounts list']) {
    const { code, stdout, stderr } = await berth.run(command, ['--config', file])
    expect([command, code, stdout]).toEqual([command, 2, ''])
    expect(stderr).toContain('1 mistake in the configuration')
  }
  const shown = await berth.json<{ toml: string }>('config show-default')
  expect(shown.toml).toContain('[server]')
})

test('convert-legacy prints, writes anew, adds to what is there, and refuses what would be lost', async () => {
  const input = join(dir, 'nginx.conf')
  const output = join(dir, 'converted.toml')
  const site = (lines: string) =>
    writeFileSync(
      input,
      `events {}\nhttp { server { listen 80 default_server; root ${join(dir, 'site')};\n${lines}\n} }\n`,
    )
  site('')
  const convert = (...args: string[]) =>
    berth.run('config convert-legacy', ['--input', input, ...args])
  const printed = await convert('--default-domain', 'fallback.test')
  expect([printed.code, printed.stdout]).toEqual([0, expect.stringContaining('fallback.test')])
  expect((await convert('--output', output, '--default-domain', 'one.test')).code).toBe(0)
  expect(await berth.ok('config show', ['--config', output])).toContain('one.test')
  expect((await convert('--output', output)).code).toBe(1)
  expect((await convert('--output', output, '--force', '--default-domain', 'two.test')).code).toBe(
    0,
  )
  const more = ['--output', output, '--vhosts-only', '--default-domain', 'three.test']
  expect((await convert(...more)).code).toBe(0)
  expect(await berth.ok('config show', ['--config', output])).toMatch(/two\.test[^]*three\.test/)
  site('perl_set $x "sub {}";')
  expect((await convert('--strict')).code).toBe(1)
  expect((await berth.run('config convert-legacy')).code).toBe(2)
})
