import { execFile, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { Berth } from './support/run-berth.ts'

const CHECKOUT = resolve(import.meta.dirname, '../..')

let berth: Berth
let dir: string
beforeAll(() => {
  berth = new Berth()
  dir = temporaryDirectory('bcli-')
})
afterAll(() => {
  berth.remove()
})

const run = (
  program: string,
  args: string[],
): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((done) => {
    execFile(program, args, { cwd: dir, encoding: 'utf8' }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })

describe('completion in a real bash', () => {
  let script: string
  beforeAll(async () => {
    script = join(dir, 'berth.bash')
    writeFileSync(script, await berth.ok('completion bash'))
    writeFileSync(join(dir, 'a file.toml'), '')
  })
  /** What is offered for the last word of a line. */
  const offered = async (...words: string[]): Promise<string[]> => {
    const driver = `source "$1"; shift; COMP_WORDS=(berth "$@"); COMP_CWORD=$#; _berth; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { code, stdout, stderr } = await run('bash', [
      '--norc',
      '-c',
      driver,
      'bash',
      script,
      ...words,
    ])
    expect([code, stderr]).toEqual([0, ''])
    return stdout.split('\n').filter(Boolean)
  }

  test.each([
    [['acc'], ['accounts']],
    [['accounts', 'su'], ['suspend']],
    [['account', 'cre'], ['create']],
    [['--json', '--config', 'x.toml', 'cache', 'p'], ['purge']],
    [
      ['databases', 'create', 'bob', '--engine', ''],
      ['mysql', 'mariadb', 'postgresql', 'postgres'],
    ],
    [['databases', 'create', '--engine', 'ma'], ['mariadb']],
    [['accounts', 'create', 'bob', '--gen'], ['--generate-password']],
    [['config', 'test', '--config', 'a'], ['a file.toml']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['accounts', 'create', '--email', ''], []],
    [['files', 'put', 'alice', 'a'], ['a file.toml']],
  ])('%j offers %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected)
  })

  test('options of a command, and those of all', async () => {
    const flags = await offered('cache', 'purge', '--')
    expect(flags).toEqual(
      expect.arrayContaining(['--all', '--soft', '--json', '--config', '--help']),
    )
    expect(flags).not.toContain('--url')
    expect(await offered('')).toEqual(expect.arrayContaining(['accounts', 'serve', 'man']))
  })
})

test('completion of zsh and fish names every command', async () => {
  for (const shell of ['zsh', 'fish']) {
    const { script } = await berth.json<{ script: string }>('completion', [shell])
    for (const name of ['accounts create', 'cache warm', 'second-factor enable'])
      expect(script).toContain(`${name}`)
  }
  const wrong = await berth.run('completion', ['tcsh'])
  expect([wrong.code, wrong.stdout]).toEqual([2, ''])
})

test('the manual page is roff without a warning', async () => {
  const page = join(dir, 'berth.1')
  writeFileSync(page, await berth.ok('man'))
  const { code, stdout, stderr } = await run('groff', ['-man', '-ww', '-Tutf8', '-P-cbou', page])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('berth accounts create [options] <username>')
})

test('docs/cli.md is what the commands say', async () => {
  const text = await berth.ok('man', ['--markdown'])
  expect(readFileSync(join(CHECKOUT, 'docs/cli.md'), 'utf8')).toBe(text)
})

describe('how it ends', () => {
  test('no command at all shows the help, and is wrong', async () => {
    for (const command of ['', 'accounts', 'cache']) {
      const { code, stdout, stderr } = await berth.run(command)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain('Usage: berth')
    }
  })

  test('whoever stops reading gets no complaint', async () => {
    const child = spawn(process.execPath, [join(CHECKOUT, 'cli/main.ts'), 'man'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
    child.stdout.destroy()
    const code = await new Promise((done) => child.on('close', done))
    expect([code, errors]).toEqual([0, ''])
  })

  test('a disk that is full is a failure', async () => {
    const { code } = await run('bash', [
      '--norc',
      '-c',
      '"$@" >/dev/full',
      'bash',
      process.execPath,
      join(CHECKOUT, 'cli/main.ts'),
      'man',
    ])
    expect(code).toBe(1)
  })
})
