import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keptBackups, removeAllBut } from '#adapters/node/install/remove-all-but.ts'

let state: string
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'berth-purge-'))
  for (const name of [
    ...['backups/a.tar.gz', 'snapshots/alice/config', 'agent/archive-keys/own.key'],
    ...['agent/snapshot-keys/own.key', 'agent/acme/x', 'panel/p', 'snapshot-cache/x'],
  ]) {
    mkdirSync(dirname(join(state, name)), { recursive: true })
    writeFileSync(join(state, name), '')
  }
})
afterEach(() => {
  rmSync(state, { recursive: true, force: true })
})

test('a purge leaves archives and snapshots with the keys that open them, and nothing else', () => {
  removeAllBut(state, keptBackups(state))
  expect(readdirSync(state).sort()).toEqual(['agent', 'backups', 'snapshots'])
  expect(readdirSync(join(state, 'agent'))).toEqual(['archive-keys', 'snapshot-keys'])
  expect(existsSync(join(state, 'backups/a.tar.gz'))).toBe(true)
})

test('with nothing to keep everything goes', () => {
  removeAllBut(state, [])
  expect(existsSync(state)).toBe(false)
  removeAllBut(state, keptBackups(state))
})

test('empty directories of backups are not kept', () => {
  rmSync(join(state, 'backups/a.tar.gz'))
  rmSync(join(state, 'snapshots/alice'), { recursive: true })
  for (const keys of ['archive-keys', 'snapshot-keys']) rmSync(join(state, `agent/${keys}/own.key`))
  expect(keptBackups(state)).toEqual([])
})
