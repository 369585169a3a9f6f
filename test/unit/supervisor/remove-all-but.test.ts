import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keptBackups, removeAllBut } from '#adapters/node/install/remove-all-but.ts'

let state: string
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'berth-purge-'))
  for (const name of ['backups', 'agent/archive-keys', 'agent/acme', 'panel'])
    mkdirSync(join(state, name), { recursive: true })
  for (const name of ['backups/a.tar.gz', 'agent/archive-keys/own.key', 'agent/acme/x', 'panel/p'])
    writeFileSync(join(state, name), '')
})
afterEach(() => {
  rmSync(state, { recursive: true, force: true })
})

test('a purge leaves the archives and the key that opens them, and nothing else', () => {
  removeAllBut(state, keptBackups(state))
  expect(readdirSync(state).sort()).toEqual(['agent', 'backups'])
  expect(readdirSync(join(state, 'agent'))).toEqual(['archive-keys'])
  expect(existsSync(join(state, 'backups/a.tar.gz'))).toBe(true)
})

test('with nothing to keep everything goes', () => {
  removeAllBut(state, [])
  expect(existsSync(state)).toBe(false)
  removeAllBut(state, keptBackups(state))
})

test('empty directories of backups are not kept', () => {
  rmSync(join(state, 'backups/a.tar.gz'))
  rmSync(join(state, 'agent/archive-keys/own.key'))
  expect(keptBackups(state)).toEqual([])
})
