import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '#adapters/node/config/load-config.ts'
import { renderService } from '#adapters/node/service/install-service.ts'
import { installService, uninstallService } from '#adapters/node/service/install-service.ts'
import { renderUnit } from '#adapters/node/service/render-unit.ts'
import { serviceFiles } from '#adapters/node/service/service-files.ts'
import { ServiceManager } from '#adapters/node/service/service-manager.ts'
import { createSystemctl, isSystemdRunning } from '#adapters/node/service/systemctl.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { renderDefaultConfig } from '#handlers/domain/config/template.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

const CHECKOUT = resolve(import.meta.dirname, '../../..')

let dir: string
beforeEach(() => {
  dir = temporaryDirectory('bu-')
  chmodSync(dir, 0o755)
})

const load = async (name: string, text: string): Promise<ServerConfig> => {
  const file = join(dir, name)
  writeFileSync(file, text)
  const loaded = await loadConfig(file)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  return loaded.config
}

const verify = (unit: string): { status: number | null; said: string } => {
  const file = join(dir, 'berth.service')
  writeFileSync(file, unit)
  const { status, stdout, stderr } = spawnSync('/usr/bin/systemd-analyze', [
    'verify',
    '--man=no',
    file,
  ])
  return { status, said: `${stdout.toString()}${stderr.toString()}` }
}

describe('the unit', () => {
  test.each([
    [false, true],
    [true, true],
    [true, false],
  ])(
    'is one that systemd takes without a word (quotas: %s, slices: %s)',
    async (quotas, slices) => {
      const config = await load('berth.toml', renderDefaultConfig({ root: true }))
      const unit = renderUnit({
        config,
        node: process.execPath,
        productDir: CHECKOUT,
        quotas,
        slices,
      })
      expect(verify(unit)).toEqual({ status: 0, said: '' })
      expect(unit.includes('quotactl')).toBe(quotas)
      expect(unit.includes('PrivateDevices=yes')).toBe(!quotas)
      expect(unit.includes('ProtectControlGroups=yes')).toBe(slices)
      expect(unit.includes('Delegate=yes')).toBe(!slices)
    },
  )

  test('waits for the file systems of homes and records, and for their quotas', async () => {
    const text = '[paths]\nhome_base = "/srv/homes"\n'
    const { unit } = renderService(await load('berth.toml', text), CHECKOUT)
    expect(unit).toMatch(/^RequiresMountsFor=(?:.* )?\/srv\/homes(?: |$)/m)
    expect(unit).toMatch(/^After=.* quotaon\.service$/m)
  })

  test('gives a start more time where the configuration says that the machine is slow', async () => {
    const unitOf = async (text: string): Promise<string> =>
      renderService(await load('berth.toml', text), CHECKOUT).unit
    expect(await unitOf('')).toContain('\nTimeoutStartSec=300\n')
    const slow = await unitOf('[server]\nworker_start_secs = 600\n')
    expect(slow).toContain('\nTimeoutStartSec=3000\n')
  })

  test('a mistake in it would be found', async () => {
    const config = await load('berth.toml', renderDefaultConfig({ root: true }))
    const { unit } = renderService(config, CHECKOUT)
    const { said } = verify(unit.replace('ProtectClock=yes', 'ProtectClok=yes'))
    expect(said).toContain('ProtectClok')
  })

  test('paths with blanks, quotes, percent and dollar signs stay themselves', async () => {
    const home = join(dir, 'a "b" %n $HOME')
    mkdirSync(home)
    mkdirSync(join(dir, 'etc'))
    const config = await load('etc/berth.toml', `[paths]\nhome_base = ${JSON.stringify(home)}\n`)
    const { unit } = renderService(config, CHECKOUT)
    expect(verify(unit)).toEqual({ status: 0, said: '' })
    expect(unit).toMatch(/^RequiresMountsFor=.*"[^"]*a \\"b\\" %%n \$HOME"/m)
    const quoted = home.replaceAll('"', '\\"').replaceAll('%', '%%')
    expect(unit).toContain(`"-${quoted}"`)
    expect(unit).toContain(`"${quoted.replaceAll('$', '$$$$')}"`)
  })

  test('is exposed no more than docs/service.md says', async () => {
    const config = await load('berth.toml', renderDefaultConfig({ root: true }))
    const file = join(dir, 'berth.service')
    writeFileSync(
      file,
      renderUnit({
        config,
        node: process.execPath,
        productDir: CHECKOUT,
        quotas: false,
        slices: true,
      }),
    )
    const report = execFileSync(
      '/usr/bin/systemd-analyze',
      ['security', '--offline=true', '--no-pager', file],
      { encoding: 'utf8' },
    )
    const level = /Overall exposure level for berth.service: ([\d.]+)/.exec(report)?.[1]
    const documented = readFileSync(join(CHECKOUT, 'docs/service.md'), 'utf8')
    expect(documented).toContain(`exposure level ${level}`)
    expect(Number(level)).toBeLessThan(5)
  })
})

describe('with systemd', () => {
  /** Stands in for systemctl: notes its arguments, and fails where a file says so. */
  const standIn = (): { program: string; calls: () => string[] } => {
    const program = join(dir, 'systemctl')
    const notes = join(dir, 'calls')
    writeFileSync(notes, '')
    writeFileSync(
      program,
      `#!/bin/sh\nprintf '%s\\n' "$*" >> ${notes}\nif [ -e ${dir}/fails ]; then echo 'Job failed.' >&2; exit 1; fi\n`,
      { mode: 0o755 },
    )
    const prefix = '--no-ask-password --no-pager '
    return {
      program,
      calls: () =>
        readFileSync(notes, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => line.replace(prefix, '')),
    }
  }

  test('every order goes to the unit of this configuration, and to no other', async () => {
    const { program, calls } = standIn()
    const systemctl = createSystemctl(program)
    const paths = '[paths]\nrun_dir = "run"\nlog_dir = "log"\nstate_dir = "state"\n'
    const config = await load('berth.toml', paths)
    const other = await load('other.toml', paths)
    const files = serviceFiles(join(dir, 'root'))
    const texts = renderService(config, CHECKOUT)
    await installService(texts, files, systemctl)
    expect(readFileSync(files.unit, 'utf8')).toBe(texts.unit)

    const manager = new ServiceManager({ config, productDir: CHECKOUT, files, systemctl })
    expect(manager.kind).toBe('systemd')
    await manager.start()
    await manager.stop()
    await manager.enable()
    expect(await manager.isEnabled()).toBe(true)
    await manager.disable()
    const foreign = new ServiceManager({ config: other, productDir: CHECKOUT, files, systemctl })
    expect(foreign.kind).toBe('pid-file')
    await expect(foreign.enable()).rejects.toThrow('berth service install')
    expect(await uninstallService(files, systemctl)).toEqual([files.unit, files.logrotate])
    expect(calls()).toEqual([
      'daemon-reload',
      'start berth.service',
      'stop berth.service',
      'enable berth.service',
      'is-enabled --quiet berth.service',
      'disable berth.service',
      'disable --now berth.service',
      'daemon-reload',
    ])
  })

  test('what systemctl says about a failure reaches the person', async () => {
    const { program } = standIn()
    writeFileSync(join(dir, 'fails'), '')
    const config = await load('berth.toml', '[paths]\nrun_dir = "run"\n')
    const files = serviceFiles(join(dir, 'root'))
    await installService(renderService(config, CHECKOUT), files, null)
    const systemctl = createSystemctl(program)
    const manager = new ServiceManager({ config, productDir: CHECKOUT, files, systemctl })
    await expect(manager.start()).rejects.toThrow('Job failed.')
    expect(await manager.isEnabled()).toBe(false)
  })
})

test('without systemd cron starts it with the machine, where there is cron', async () => {
  const config = await load('berth.toml', '[paths]\nrun_dir = "run"\n')
  const files = serviceFiles(join(dir, 'root'))
  const parts = { config, productDir: CHECKOUT, files, systemctl: null }
  const manager = new ServiceManager(parts)
  await expect(manager.enable()).rejects.toThrow('neither systemd nor cron')
  mkdirSync(join(dir, 'root/etc/cron.d'), { recursive: true })
  await manager.enable()
  expect(await manager.isEnabled()).toBe(true)
  expect(readFileSync(files.cron, 'utf8')).toMatch(
    new RegExp(`\\n@reboot root \\S+ \\S+/cli/main\\.ts --config ${config.file} service start\\n$`),
  )
  await manager.disable()
  expect(await manager.isEnabled()).toBe(false)
  const odd = { ...config, file: join(dir, 'a;reboot.toml') }
  await expect(new ServiceManager({ ...parts, config: odd }).enable()).rejects.toThrow('cron')
})

test('systemd is recognised by its directory', () => {
  expect(isSystemdRunning(dir)).toBe(true)
  expect(isSystemdRunning(join(dir, 'none'))).toBe(false)
})
