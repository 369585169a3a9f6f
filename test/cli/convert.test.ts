import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { runLauncher, type Outcome } from './support/run-berth.ts'

let base: string
let dir: string
beforeAll(() => {
  base = temporaryDirectory('bconv-')
})
beforeEach(() => {
  dir = mkdtempSync(join(base, 'x'))
  mkdirSync(join(dir, 'htdocs'))
})

const berth = (...args: string[]): Promise<Outcome> => runLauncher(args)
const convert = (...args: string[]): Promise<Outcome> => berth('config', 'convert-legacy', ...args)
const put = (name: string, text: string): string => {
  const file = join(dir, name)
  writeFileSync(file, text)
  return file
}
const apache = (name = 'a.test', more = ''): string =>
  `<VirtualHost *:80>\nServerName ${name}\nDocumentRoot ${dir}/htdocs\n${more}\n</VirtualHost>\n`
const nginx = (name = 'a.test', more = ''): string =>
  `server {\n  listen 80;\n  server_name ${name};\n  root ${dir}/htdocs;\n${more}}\n`
/** Paths of this directory alone, so that no other installation has a say. */
const OWN = '[paths]\nstate_dir = "state"\nrun_dir = "run"\nlog_dir = "log"\n'

describe('berth config convert-legacy', () => {
  test('prints the result and, beside it, what was not carried over', async () => {
    const { code, stdout, stderr } = await convert(
      '--input',
      put('site', apache('a.test', 'Strange x\nErrorLog /e')),
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(/^# Converted from .*\n\[\[virtualhost\]\]\ndomain = "a\.test"/s)
    expect(stderr).toBe(
      `lost      ${dir}/site:4  Strange x: Berth has no counterpart of it.
unneeded  ErrorLog: Berth keeps its logs in [paths] log_dir, those of an account in its home. (${dir}/site:5)
Apache httpd, 1 file: 1 virtual host.
`,
    )
  })

  test('tells the two servers apart, and says so where it is neither', async () => {
    const kinds = await Promise.all(
      [apache(), nginx(), 'hello\n'].map(async (text, n) => {
        const { code, stdout, stderr } = await convert('--json', '--input', put(`s${n}`, text))
        return code === 0 ? (JSON.parse(stdout) as { server: string }).server : [code, stderr]
      }),
    )
    expect(kinds).toEqual([
      'apache',
      'nginx',
      [1, expect.stringMatching(/neither a configuration of Apache httpd nor of nginx. Name/)],
    ])
  })

  test('finds the main file of a directory, and takes a directory of sites as it is', async () => {
    mkdirSync(join(dir, 'n/sites'), { recursive: true })
    put('n/nginx.conf', 'http { include sites/*; }')
    put('n/sites/a', nginx('a.test'))
    put('n/sites/b', nginx('b.test'))
    for (const input of ['n', 'n/sites']) {
      const { stdout } = await convert('--json', '--input', join(dir, input))
      expect(JSON.parse(stdout)).toMatchObject({ virtual_hosts: [['a.test'], ['b.test']] })
    }
  })

  test('--json names everything', async () => {
    const input = put('site', nginx('a.test', 'strange;\n'))
    const { code, stdout } = await convert('--json', '--input', input)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      ok: true,
      server: 'nginx',
      output: null,
      virtual_hosts: [['a.test']],
      files: [input],
      findings: [
        {
          kind: 'lost',
          file: input,
          line: 5,
          directive: 'strange',
          reason: 'Berth has no counterpart of it.',
        },
      ],
      toml: expect.stringContaining('[[virtualhost]]') as string,
    })
  })

  test.each([
    [['--output', 'x'], /required option '--input <path>'/],
    [['--input', '/etc', '--vhosts-only', '--force'], /leave out --force/],
    [['--input', '/etc', '--default-domain', 'a b'], /is no host name/],
    [['--input', '/etc', '--nonsense'], /unknown option/],
  ])('%j is a wrong command line', async (args, reason) => {
    const { code, stderr } = await convert(...args)
    expect([code, stderr]).toEqual([2, expect.stringMatching(reason)])
  })

  test('--default-domain names a host without a name', async () => {
    const input = put('site', nginx('_'))
    const { stdout } = await convert('--input', input, '--default-domain', 'main.test')
    expect(stdout).toContain('domain = "main.test"')
  })
})

describe('--output', () => {
  test('is written whole, passes config test, and is not replaced without --force', async () => {
    const input = put('site', apache('a.test', 'Listen 8080').replace('Listen 8080', ''))
    const output = join(dir, 'berth.toml')
    const first = await convert('--input', input, '--output', output)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toContain(`1 virtual host written to ${output}.`)
    expect((await berth('--config', output, 'config', 'test')).stdout).toContain(
      'is correct (1 virtual host',
    )
    expect(statSync(output).mode & 0o777).toBe(0o640)

    const before = readFileSync(output, 'utf8')
    const other = put('other', apache('b.test'))
    const again = await convert('--input', other, '--output', output)
    expect(again).toMatchObject({ code: 1 })
    expect(again.stderr).toMatch(/exists already\. Choose another --output.*--force/)
    expect(readFileSync(output, 'utf8')).toBe(before)
    expect((await convert('--input', other, '--output', output, '--force')).code).toBe(0)
    expect(readFileSync(output, 'utf8')).toContain('b.test')
    expect(readdirSync(dir).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('--strict writes nothing when anything is lost', async () => {
    const output = join(dir, 'berth.toml')
    const lossy = put('lossy', apache('a.test', 'Strange x'))
    const refused = await convert('--input', lossy, '--output', output, '--strict')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/1 directive is lost \(--strict\)\. Nothing was written/)
    expect(readdirSync(dir)).not.toContain('berth.toml')
    const whole = put('whole', apache('a.test', 'ErrorLog /e'))
    expect((await convert('--input', whole, '--output', output, '--strict')).code).toBe(0)
  })

  test('a place that cannot be written to is named', async () => {
    const { code, stderr } = await convert(
      '--input',
      put('site', apache()),
      '--output',
      join(dir, 'no/berth.toml'),
    )
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/cannot be written.*Choose another place/),
    ])
  })
})

describe('--vhosts-only', () => {
  const existing = (): string =>
    `# mine\r\n${OWN}\n[server] # ports\nkeepalive_timeout = 7\n\n[[virtualhost]]\ndomain = "old.test"\nroot = "${dir}/htdocs" # kept`

  test('adds to the end and leaves the rest as it is, byte for byte', async () => {
    const output = put('berth.toml', existing())
    chmodSync(output, 0o604)
    const link = join(dir, 'link.toml')
    symlinkSync(output, link)
    const { code, stderr } = await convert(
      '--input',
      put('site', nginx()),
      '--vhosts-only',
      '--output',
      link,
    )
    expect([code, stderr]).toEqual([0, ''])
    const text = readFileSync(output, 'utf8')
    expect(text.startsWith(`${existing()}\n\n`)).toBe(true)
    expect(text.slice(existing().length)).not.toContain('[server]')
    expect(statSync(output).mode & 0o777).toBe(0o604)
    expect((await berth('--config', output, 'config', 'test')).stdout).toContain('2 virtual hosts')
  })

  test('refuses names that are there already', async () => {
    const output = put('berth.toml', existing())
    const input = put('site', nginx('new.test old.test'))
    const { code, stderr } = await convert('--input', input, '--vhosts-only', '--output', output)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/of these names already: old\.test\. Nothing was written/),
    ])
    expect(readFileSync(output, 'utf8')).toBe(existing())
  })

  test.each([
    ['a file that is not there', null, /does not exist, so nothing can be added/],
    ['a file with mistakes', '[serve]\n', /is not correct as it is/],
  ])('refuses %s', async (_, text, reason) => {
    const output = join(dir, 'berth.toml')
    if (text !== null) put('berth.toml', text)
    const { code, stderr } = await convert(
      '--input',
      put('site', nginx()),
      '--vhosts-only',
      '--output',
      output,
    )
    expect([code, stderr]).toEqual([1, expect.stringMatching(reason)])
    if (text !== null) expect(readFileSync(output, 'utf8')).toBe(text)
  })
})

describe('hostile input', () => {
  test('pipes, devices, large files and loops end at once', async () => {
    execFileSync('/usr/bin/mkfifo', [join(dir, 'pipe')])
    const large = put('large', '')
    truncateSync(large, 17 * 2 ** 20)
    const loop = put('loop', `Include ${dir}/loop\n${apache()}`)
    const include = (name: string, path: string): string =>
      put(name, `Include ${path}\n${apache()}`)
    for (const [input, reason] of [
      [include('zero', '/dev/zero'), /\/dev\/zero" is no regular file/],
      [include('piped', join(dir, 'pipe')), /pipe" is no regular file/],
      [include('long', large), /large" is larger than 16 MiB/],
      [loop, /includes itself/],
      [join(dir, 'pipe'), /pipe is no regular file/],
      [join(dir, 'none'), /does not exist/],
    ] as const) {
      const { code, stderr } = await convert('--input', input)
      expect([code, stderr]).toEqual([1, expect.stringMatching(reason)])
    }
  })

  test('names cannot write on the terminal', async () => {
    const input = put('site', apache('a.test', 'Strange\u001b[31m x\u0007'))
    const { stderr } = await convert('--input', input)
    expect(/\p{Cc}/u.test(stderr.replaceAll('\n', ''))).toBe(false)
  })
})
