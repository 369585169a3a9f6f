import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  memoryDirectories,
  memoryDirectory,
} from '#adapters/node/web-server/cache/disk/memory-directory.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'

const NOBODY = 65_534

describe('the place of pages in memory', () => {
  let inMemory: string
  let onDisk: string
  let fallback: string
  beforeEach(() => {
    inMemory = mkdtempSync('/dev/shm/berth-test-')
    onDisk = mkdtempSync(join(tmpdir(), 'berth-places-'))
    fallback = join(onDisk, 'cache')
  })
  afterEach(() => {
    for (const runDir of [inMemory, onDisk])
      for (const place of memoryDirectories({ run_dir: runDir }))
        rmSync(place, { recursive: true, force: true })
    for (const place of [inMemory, onDisk]) rmSync(place, { recursive: true })
  })
  const chosen = (runDir: string, bytes = 2 ** 20): { place: string; warnings: number } => {
    const log = createRecordingLog()
    const place = memoryDirectory({ run_dir: runDir }, bytes, fallback, log)
    return { place, warnings: log.lines.length }
  }

  it('is below run_dir where that is in memory, and for the web server alone', () => {
    mkdirSync(join(inMemory, 'pages'), { mode: 0o755 })
    expect(chosen(inMemory)).toEqual({ place: join(inMemory, 'pages'), warnings: 0 })
    expect(statSync(join(inMemory, 'pages')).mode & 0o7777).toBe(0o700)
  })

  it("is no link and nobody else's, wherever somebody put it in advance", () => {
    symlinkSync(onDisk, join(inMemory, 'pages'))
    const [, second = ''] = memoryDirectories({ run_dir: inMemory })
    expect(chosen(inMemory)).toEqual({ place: second, warnings: 0 })
    chownSync(second, NOBODY, NOBODY)
    expect(chosen(inMemory)).toEqual({ place: fallback, warnings: 1 })
    expect(statSync(second).uid).toBe(NOBODY)
    expect(statSync(fallback).mode & 0o7777).toBe(0o700)
  })

  it('is on the disk where memory has no room, and the log says so', () => {
    expect(chosen(inMemory, 2 ** 50)).toEqual({ place: fallback, warnings: 1 })
    for (const place of memoryDirectories({ run_dir: inMemory }))
      expect(existsSync(place)).toBe(false)
  })
})
