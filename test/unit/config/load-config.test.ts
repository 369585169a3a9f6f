import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { createConfigLoader } from '#adapters/node/config/config-loader.ts'
import { loadConfig } from '#adapters/node/config/load-config.ts'
import { renderVirtualHost } from '#handlers/domain/domains/vhost-config.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { siteSpec } from '#test/support/setups/virtual-hosts.ts'

vi.mock('smol-toml', { spy: true })

let dir: string
let file: string
beforeEach(() => {
  dir = temporaryDirectory('bcfg-')
  file = join(dir, 'berth.toml')
  mkdirSync(join(dir, 'state/vhosts.d'), { recursive: true })
  writeFileSync(file, '[paths]\nstate_dir = "state"\n')
})

const generated = (domain: string, exclude: string[] = []): void => {
  const path = join(dir, 'state/vhosts.d', `${domain}.toml`)
  writeFileSync(
    `${path}.new`,
    renderVirtualHost({
      ...siteSpec(domain, 'alice', {
        php: { version: '8.2', mode: 'fpm' },
        cache: { enable: true, ttl: null, exclude },
      }),
      uid: 1001,
      home: '/home/alice',
    }),
  )
  renameSync(`${path}.new`, path)
}
const domainsOf = async (load: () => ReturnType<typeof loadConfig>): Promise<string[]> => {
  const loaded = await load()
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  return loaded.config.virtualhost.map(({ domain }) => domain)
}

describe('loadConfig', () => {
  test('takes the generated hosts in, and those of include, in order', async () => {
    mkdirSync(join(dir, 'sites'))
    writeFileSync(
      file,
      `include = "sites/*.toml"\n[paths]\nstate_dir = "state"\n[[virtualhost]]\ndomain = "m.test"\nroot = "."\n`,
    )
    writeFileSync(join(dir, 'sites/x.toml'), '[[virtualhost]]\ndomain = "x.test"\nroot = "."\n')
    writeFileSync(join(dir, 'sites/.half.toml'), 'nonsense')
    generated('b.test')
    generated('a.test')
    expect(await domainsOf(() => loadConfig(file))).toEqual([
      'm.test',
      'a.test',
      'b.test',
      'x.test',
    ])
  })

  test('says which file is missing', async () => {
    const nowhere = join(dir, 'none.toml')
    expect(await loadConfig(nowhere)).toEqual({
      ok: false,
      problems: [
        {
          file: nowhere,
          line: 0,
          key: '',
          message: `the file does not exist. Name another with --config.`,
        },
      ],
    })
  })

  test('a broken included file is a problem of that file; all files are looked at', async () => {
    generated('a.test')
    writeFileSync(
      join(dir, 'state/vhosts.d/bad.toml'),
      '[[virtualhost]]\ndomain = "a.test"\nroot = 1\n',
    )
    writeFileSync(join(dir, 'state/vhosts.d/worse.toml'), 'x =\n')
    const loaded = await loadConfig(file)
    expect(
      loaded.ok ? [] : loaded.problems.map(({ file: at, line, key }) => [at, line, key]),
    ).toEqual([
      [join(dir, 'state/vhosts.d/bad.toml'), 3, 'virtualhost[0].root'],
      [join(dir, 'state/vhosts.d/worse.toml'), 1, ''],
    ])
  })

  test('files that a person named must exist; those of generated hosts may be gone', async () => {
    generated('a.test')
    writeFileSync(
      file,
      `[paths]\nstate_dir = "state"\n[panel]\nlicense_file = "no.json"\n[[virtualhost]]\ndomain = "m.test"\nroot = "gone"\nssl_certificate = "c.pem"\nssl_certificate_key = "k.pem"\n`,
    )
    const loaded = await loadConfig(file)
    expect(loaded.ok ? [] : loaded.problems.map(({ line, key }) => `${line} ${key}`)).toEqual([
      '4 panel.license_file',
      '7 virtualhost[0].root',
      '8 virtualhost[0].ssl_certificate',
      '9 virtualhost[0].ssl_certificate_key',
    ])
  })
})

describe('the incremental loader', () => {
  test('sees changed, new and removed files', async () => {
    const loader = createConfigLoader(file)
    const load = (): ReturnType<typeof loadConfig> => loader.load()
    generated('a.test')
    generated('b.test')
    expect(await domainsOf(load)).toEqual(['a.test', 'b.test'])
    generated('b.test', ['/x'])
    generated('c.test')
    rmSync(join(dir, 'state/vhosts.d/a.test.toml'))
    const loaded = await loader.load()
    expect(
      loaded.ok && loaded.config.virtualhost.map(({ domain, cache }) => [domain, cache.exclude]),
    ).toEqual([
      ['b.test', ['/x']],
      ['c.test', []],
    ])
  })

  test('parses again only what changed, of two thousand hosts', async () => {
    for (let n = 0; n < 2000; n++)
      writeFileSync(
        join(dir, 'state/vhosts.d', `s${n}.test.toml`),
        `[[virtualhost]]\ndomain = "s${n}.test"\nroot = "/home/a/public_html"\nusername = "a"\n`,
      )
    const loader = createConfigLoader(file)
    const first = await loader.load()
    generated('s5.test')
    vi.mocked(parse).mockClear()
    const second = await loader.load()
    // The main file and the one that changed.
    expect(parse).toHaveBeenCalledTimes(2)
    expect(first.ok && first.config.virtualhost.length).toBe(2000)
    expect(
      second.ok && second.config.virtualhost.find(({ domain }) => domain === 's5.test')?.uid,
    ).toBe(1001)
  }, 60_000)
})
