import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { RegisteredAccount } from '#adapters/node/agent/registry/types.ts'
import type { PhpConfig } from '#handlers/domain/config/config-types.ts'
import { parseServerConfig } from '#handlers/domain/config/server-config.ts'
import type { PhpMode } from '#handlers/ports/store/records.ts'
import { putFile } from '../agent-php/host-fixture.ts'
import { createModeFixture, greatestOverlap, until } from '../agent-php/mode-fixture.ts'
import type { ModeFixture } from '../agent-php/mode-fixture.ts'
import { runScript, scriptBody } from '../agent-php/run-script.ts'

/** The section `[php]` of a file with these lines. */
const configOf = (lines: string): PhpConfig => {
  const parsed = parseServerConfig({
    file: '/etc/berth/berth.toml',
    text: `[php]\n${lines}\n`,
    root: true,
  })
  if (parsed.problems.length > 0) throw new Error(JSON.stringify(parsed.problems))
  return parsed.config.php
}

let fixture: ModeFixture
let account: RegisteredAccount

beforeAll(async () => {
  fixture = await createModeFixture()
  account = await fixture.host.createAccount()
})
afterEach(() => fixture.stopServices())
afterAll(() => fixture?.dispose())

const MODES: readonly PhpMode[] = ['fpm', 'cgi']

it('default_version is what hosts and accounts without a choice run', async () => {
  // Another version by name, so that two seem to be installed.
  const places = { sbinDirectory: join(fixture.host.directory, 'sbin'), binDirectory: '/nowhere' }
  await mkdir(places.sbinDirectory)
  for (const version of ['7.1', fixture.version])
    await symlink(
      `/usr/sbin/php-fpm${fixture.version}`,
      join(places.sbinDirectory, `php-fpm${version}`),
    )
  const preferred = async (lines: string): Promise<string | undefined> => {
    const service = await fixture.service({ config: configOf(lines), places })
    return (await service.versions()).find((one) => one.default)?.version
  }
  expect(await preferred('')).toBe(fixture.version)
  expect(await preferred('default_version = "7.1"')).toBe('7.1')
  expect(await preferred('default_version = "5.6"')).toBe(fixture.version)
})

describe.each(MODES)('keys of [php], mode %s', (mode) => {
  const domain = `${mode}.example.com`
  const start = async (lines: string, more: { minIdleMs?: number } = {}) => {
    fixture.addHost(account, domain, mode)
    const service = await fixture.service({ config: configOf(lines), ...more })
    return { service, ...(await service.ensure(domain)) }
  }

  it('max_children limits the requests at a time', async () => {
    for (const count of [1, 3]) {
      const { socket } = await start(`max_children = ${count}`)
      expect(await greatestOverlap(account, socket, 4)).toBe(count)
      await fixture.stopServices()
    }
  })

  it('memory_limit is what scripts may use', async () => {
    const file = await putFile(
      account,
      'memory.php',
      '<?php echo ini_get("memory_limit"), " "; $x = str_repeat("x", 40 << 20); echo "had it";',
    )
    for (const [limit, enough] of [
      ['24M', false],
      ['64M', true],
    ] as const) {
      const { socket } = await start(`memory_limit = "${limit}"`)
      const text = await runScript(socket, file)
      expect([limit, text.includes('had it')]).toEqual([limit, enough])
      expect(text).toMatch(enough ? `${limit} ` : /Allowed memory size of 25165824 bytes/)
      await fixture.stopServices()
    }
  })

  it('idle_timeout ends what nobody uses', async () => {
    await start('idle_timeout = 1', { minIdleMs: 1 })
    await until('it stopped', () => fixture.mastersOf(account).length === 0)
    await fixture.stopServices()
    await start('idle_timeout = 3600', { minIdleMs: 1 })
    // Twice the time after which the other one is gone.
    const sweeps = performance.now() + 4000
    await until('time passed', () => performance.now() > sweeps)
    expect(fixture.mastersOf(account)).toHaveLength(1)
  })

  it('request_timeout ends scripts that take longer', async () => {
    const file = await putFile(account, 'long.php', '<?php sleep(6); echo "finished";')
    const short = await start('request_timeout = 1')
    expect(await runScript(short.socket, file).catch(String)).not.toContain('finished')
    await fixture.stopServices()
    const long = await start('request_timeout = 30')
    expect(await scriptBody(long.socket, file)).toBe('finished')
  })
})
