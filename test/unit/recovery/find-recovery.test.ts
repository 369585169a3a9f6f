import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { heldFile, kitFile, readRecoveryFacts } from '#adapters/node/layout/recovery-files.ts'
import { findRecovery } from '#handlers/services/doctor/find-recovery.ts'

test('the doctor warns of a kit that nobody made or verified, and of a machine that is held', () => {
  const state_dir = mkdtempSync(join(tmpdir(), 'berth-facts-'))
  const told = (): string[] =>
    findRecovery(readRecoveryFacts({ state_dir }), 0).map(
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
