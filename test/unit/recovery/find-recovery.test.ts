import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  heldFile,
  kitFile,
  lastExportFile,
  readRecoveryFacts,
} from '#adapters/node/layout/recovery-files.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { findRecovery } from '#handlers/services/doctor/find-recovery.ts'

/** A configuration whose files lie below `directory`. */
const configOf = (directory: string) =>
  ({
    file: join(directory, 'berth.toml'),
    include: join(directory, 'conf.d', '*.toml'),
    hooks: { directory: join(directory, 'hooks') },
    paths: { state_dir: directory, vhosts_dir: join(directory, 'vhosts') },
  }) as ServerConfig

test('the doctor warns of a kit that nobody made or verified, and of a machine that is held', () => {
  const state_dir = mkdtempSync(join(tmpdir(), 'berth-facts-'))
  const told = (): string[] =>
    findRecovery(readRecoveryFacts(configOf(state_dir)), 0).map(
      ({ subject, what }) => `${subject} ${what}`,
    )
  const kit = { fingerprint: 'a', made_at: '2026-11-23 10:00:00' }
  try {
    expect(told()).toEqual(['the recovery kit was never made'])
    writeFileSync(kitFile({ state_dir }), 'broken')
    expect(told()).toEqual(['the recovery kit was never made'])
    writeFileSync(kitFile({ state_dir }), JSON.stringify({ ...kit, verified_at: null }))
    expect(told()).toEqual(['the recovery kit made at 2026-11-23 10:00:00 was never verified'])
    writeFileSync(kitFile({ state_dir }), JSON.stringify({ ...kit, verified_at: kit.made_at }))
    expect(told()).toEqual([])
    writeFileSync(heldFile({ state_dir }), '{}')
    expect(told()).toEqual(['this machine was brought back and is not said to be the live one'])
  } finally {
    rmSync(state_dir, { recursive: true, force: true })
  }
})

test('the panel tells its last export, and what came switched off with an import', () => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-facts-'))
  const config = configOf(directory)
  const told = () => {
    const { exportedAt, hooksWaiting, hostsWaiting } = readRecoveryFacts(config)
    return [exportedAt, hooksWaiting, hostsWaiting]
  }
  try {
    writeFileSync(config.file, '')
    expect(told()).toEqual([null, 0, 0])
    writeFileSync(lastExportFile(config.paths), '{"made_at":"2026-11-23 10:00:00"}')
    mkdirSync(join(directory, 'hooks.off', 'account.created'), { recursive: true })
    writeFileSync(join(directory, 'hooks.off', 'account.created', 'mail'), '')
    mkdirSync(join(directory, 'conf.d'))
    writeFileSync(join(directory, 'conf.d', 'own.toml'), '#off# [[virtualhost]]\n'.repeat(2))
    expect(told()).toEqual(['2026-11-23 10:00:00', 1, 2])
    // What cannot be read is not known.
    rmSync(config.file)
    writeFileSync(lastExportFile(config.paths), 'broken')
    expect(told()).toEqual([null, 0, 0])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
