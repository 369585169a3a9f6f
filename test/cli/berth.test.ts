import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

const checkout = resolve(import.meta.dirname, '../..')
const shim = join(checkout, 'cli/berth.mjs')

interface Outcome {
  code: number
  stdout: string
  stderr: string
}
const run = (program: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
  new Promise((done) => {
    execFile(
      program,
      args,
      { cwd: checkout, env: { ...process.env, ...env }, encoding: 'utf8' },
      (error, stdout, stderr) =>
        done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
const berth = (...args: string[]): Promise<Outcome> => run(process.execPath, [shim, ...args])

let dir: string
beforeAll(() => {
  dir = temporaryDirectory('bcli-')
})

const config = (text: string): string => {
  const file = join(dir, `${Math.random().toString(36).slice(2)}.toml`)
  writeFileSync(file, text)
  return file
}

describe('config', () => {
  test.each([
    ['before', (file: string) => ['--config', file, 'config', 'test']],
    ['between', (file: string) => ['config', '--config', file, 'test']],
    ['after', (file: string) => ['config', 'test', '--config', file]],
    ['joined', (file: string) => ['config', 'test', `--config=${file}`]],
  ])('test: correct, with --config %s the sub-command', async (_where, args) => {
    const file = config('[paths]\nstate_dir = "state"\n')
    expect(await berth(...args(file))).toEqual({
      code: 0,
      stdout: `${file} is correct (0 virtual hosts).\n`,
      stderr: '',
    })
  })

  test('test: every mistake on a line of its own, exit code 2', async () => {
    const file = config('[cache]\nmemory_limit = "x"\n[serve]\n')
    const { code, stdout, stderr } = await berth('config', 'test', '--config', file)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      '2 mistakes in the configuration:',
      `  ${file}:2: cache.memory_limit is not a size. Write a number with a unit, such as "256M" or "2G".`,
      `  ${file}:3: serve is not a known key. Did you mean "server"?`,
    ])
  })

  test('test --json: for programs', async () => {
    const file = config('[cache]\nmemory_limit = "x"\n')
    const { code, stdout } = await berth('--json', 'config', 'test', '--config', file)
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      problems: [{ file, line: 2, key: 'cache.memory_limit' }],
    })
  })

  test('test: a file that is not there', async () => {
    const { code, stderr } = await berth('config', 'test', '--config', join(dir, 'none.toml'))
    expect(code).toBe(2)
    expect(stderr).toContain(
      `  ${join(dir, 'none.toml')}: the file does not exist. Name another with --config.`,
    )
  })

  test.each([
    'redis://u:s3cr%40t@h:6379/0',
    'redis://:s3cr%40t@h:6379,redis://:t0p@i:6379',
    'unix:///run/r.sock?user=u&password=t0p',
  ])('show: the effective values, passwords of %s masked, and it reads back', async (url) => {
    const file = config(
      `[cache]\nstorage = "redis"\nredis_url = "${url}"\n[[virtualhost]]\ndomain = "a.test"\nroot = "."\n`,
    )
    const shown = await berth('config', 'show', '--config', file)
    expect(shown.code).toBe(0)
    expect(shown.stdout).not.toMatch(/s3cr|t0p/)
    expect(shown.stdout).toContain('default_ttl = 3600')
    expect((await berth('config', 'test', '--config', config(shown.stdout))).code).toBe(0)
    const json = await berth('config', 'show', '--json', '--config', file)
    expect(json.stdout).not.toMatch(/s3cr|t0p/)
    expect(JSON.parse(json.stdout)).toMatchObject({ file, virtualhost: [{ domain: 'a.test' }] })
  })

  test('show-default: a configuration that is correct', async () => {
    const { code, stdout } = await berth('config', 'show-default')
    expect(code).toBe(0)
    expect((await berth('config', 'test', '--config', config(stdout))).code).toBe(0)
  })
})

describe('the command line', () => {
  test.each([
    [['bogus']],
    [['config', 'bogus']],
    [['cache', 'purge', '--bogus']],
    [['config', 'test', '--config']],
    [['cache', 'purge']],
    [['cache', 'purge', '--all', '--tag', 'x']],
    [['cache', 'purge', '--path', '/x']],
  ])('%j is wrong: exit code 2, nothing on standard output', async (args) => {
    const { code, stdout, stderr } = await berth(...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).not.toBe('')
  })

  test.each([['serve'], ['config', 'test'], ['cache', 'purge']])(
    'the help of %j %s names the options that every command takes',
    async (...args) => {
      const { code, stdout } = await berth(...args, '--help')
      expect(code).toBe(0)
      expect(stdout).toMatch(/--config <file>[^]*--json/)
    },
  )

  test('npx berth from the checkout, and an installed link', async () => {
    const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
      version: string
    }
    const viaNpx = await run('npx', ['--no-install', 'berth', '--version'])
    expect(viaNpx.stdout.trim()).toBe(version)
    const prefix = join(dir, 'prefix')
    mkdirSync(join(prefix, 'lib'), { recursive: true })
    const linked = await run('npm', ['link', '--no-audit', '--no-fund'], {
      npm_config_prefix: prefix,
    })
    expect(linked.code, linked.stderr).toBe(0)
    const { code, stdout } = await run(join(prefix, 'bin/berth'), ['--version'])
    expect([code, stdout.trim()]).toEqual([0, version])
  })

  test('a pipe that closes early is no error', async () => {
    const child = spawn(process.execPath, [shim, 'config', 'show-default'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.destroy()
    const [code] = (await once(child, 'exit')) as [number]
    expect(code).toBe(0)
  })
})

test('cache: without a running web server it says what to do', async () => {
  const file = config('[paths]\nrun_dir = "run"\nstate_dir = "state"\n')
  const { code, stderr } = await berth('cache', 'stats', '--config', file)
  expect(code).toBe(1)
  expect(stderr).toContain('Start it with npm start')
})

describe('cache, with a running instance', () => {
  let instance: Instance
  let site: string
  beforeAll(async () => {
    site = temporaryDirectory('bcli-site-')
    mkdirSync(join(site, 'public'))
    writeFileSync(join(site, 'public/index.html'), '<!doctype html><title>a</title>')
    writeFileSync(join(site, 'public/b.html'), '<!doctype html><title>b</title>')
    await run('chmod', ['-R', 'a+rX', site])
    instance = await startInstance({
      append: ['a.test', 'b.test']
        .map(
          (domain) =>
            `[[virtualhost]]\ndomain = "${domain}"\nroot = "${site}/public"\n[virtualhost.php]\nenable = false\n`,
        )
        .join('\n'),
    })
  })
  afterAll(async () => {
    await instance?.stop()
  })

  const cached = async (host: string, path: string): Promise<string> =>
    (await instance.site(host, path)).headers['x-cache'] ?? 'none'
  const fill = async (): Promise<void> => {
    for (const [host, path] of [
      ['a.test', '/'],
      ['a.test', '/b.html'],
      ['b.test', '/'],
    ] as const) {
      await cached(host, path)
      expect(await cached(host, path)).toBe('HIT')
    }
  }
  const command = (...args: string[]): Promise<Outcome> =>
    berth('cache', ...args, '--config', instance.config.file)

  test('stats', async () => {
    await fill()
    const { code, stdout, stderr } = await command('stats')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/DOMAIN\s+HITS[^]*a\.test\s+[1-9]/)
    const json = await command('stats', '--json')
    expect(JSON.parse(json.stdout)).toBeTypeOf('object')
  })

  test('purge --domain reaches that site alone', async () => {
    await fill()
    expect(await command('purge', '--domain', 'a.test')).toEqual({
      code: 0,
      stdout: 'Purged: a.test.\n',
      stderr: '',
    })
    expect([await cached('b.test', '/'), await cached('a.test', '/')]).toEqual(['HIT', 'MISS'])
  })

  test('purge --domain --path reaches that page alone', async () => {
    await fill()
    expect((await command('purge', '--domain', 'a.test', '--path', '/b.html')).code).toBe(0)
    expect([await cached('a.test', '/'), await cached('a.test', '/b.html')]).toEqual([
      'HIT',
      'MISS',
    ])
  })

  test('purge --domain of a name that no site has says so', async () => {
    const { code, stdout, stderr } = await command('purge', '--domain', 'unknown.test')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('"unknown.test" is no name of a virtual host')
  })

  test('purge --all', async () => {
    await fill()
    expect((await command('purge', '--all')).stdout).toBe('Purged: everything.\n')
    expect([await cached('a.test', '/'), await cached('b.test', '/')]).toEqual(['MISS', 'MISS'])
  })

  test('purge --tag with a tag that nothing has', async () => {
    await fill()
    expect((await command('purge', '--tag', 'nothing')).code).toBe(0)
    expect(await cached('a.test', '/')).toBe('HIT')
  })

  test('with another instance at the address it says so', async () => {
    const run_dir = join(dir, 'other-run')
    mkdirSync(run_dir)
    writeFileSync(join(run_dir, 'management.token'), 'not-the-token\n')
    const file = config(
      `[paths]\nrun_dir = "${run_dir}"\nstate_dir = "s"\n[api]\nlisten = "${instance.config.api.listen[0]}"\n`,
    )
    const { code, stderr } = await berth('cache', 'stats', '--config', file)
    expect(code).toBe(1)
    expect(stderr).toContain('does not accept')
  })
})

test('serve runs in the foreground and stops on SIGTERM', async () => {
  const instance = await startInstance()
  const file = instance.config.file
  try {
    await instance.stop({ keep: true })
    const child = spawn(process.execPath, [shim, 'serve', '--config', file], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    await new Promise<void>((done, failed) => {
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString()
        if (output.includes('Berth is running')) done()
      })
      child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
      child.on('exit', () => failed(new Error(output)))
    })
    expect((await fetch(`${instance.panelUrl}/api/auth/me`)).status).toBe(401)
    child.kill('SIGTERM')
    const [code] = (await once(child, 'exit')) as [number]
    expect(code).toBe(0)
    await expect(fetch(`${instance.panelUrl}/api/auth/me`)).rejects.toThrow()
  } finally {
    await instance.stop()
  }
})

describe('failures that nobody foresaw', () => {
  test('are told without a stack, and with one when it is wanted', async () => {
    symlinkSync('/nonexistent/place', join(dir, 'berth'))
    const broken = { XDG_CONFIG_HOME: dir }
    const args = [shim, 'profile', 'use', 'local']
    const plain = await run(process.execPath, args, broken)
    expect([plain.code, plain.stderr]).toEqual([
      1,
      expect.stringMatching(/^berth could not go on: .*\n.*BERTH_DEBUG=1 for details\.\n$/),
    ])
    const wanted = await run(process.execPath, args, { ...broken, BERTH_DEBUG: '1' })
    expect(wanted.stderr).toMatch(/\n {4}at /)
  })

  test('control characters of others are written out', async () => {
    const { code, stderr } = await berth('profile', 'use', 'a\u001b[31mb')
    expect([code, stderr]).toEqual([1, expect.stringContaining('a\\u{1b}[31mb')])
  })

  test('serve with a wrong configuration is a configuration error', async () => {
    const { code, stderr } = await berth('serve', '--config', '/nonexistent.toml')
    expect([code, stderr]).toEqual([2, expect.stringMatching(/nothing was started/)])
  })

  test('other commands do not load what converts', async () => {
    const program = `import { registerHooks } from 'node:module'
      registerHooks({ load: (url, context, next) => {
        if (url.endsWith('/run-convert.ts')) throw new Error('it was loaded')
        return next(url, context)
      } })
      await import(${JSON.stringify(join(checkout, 'cli/program.ts'))})
      await import(${JSON.stringify(join(checkout, 'cli/convert/run-convert.ts'))}).catch(console.log)`
    const { code, stdout } = await run(process.execPath, ['--input-type=module', '-e', program])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Error: it was loaded/)])
  })
})
