import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '#adapters/node/process/run-command.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

// `npm run edge`, and what it says can be tried.
const directory = mkdtempSync(join(tmpdir(), 'edge-documented-'))
let printed = ''
let stop = (): Promise<void> => Promise.resolve()

beforeAll(async () => {
  const ports = ['--port', '0', '--panel-port', '0', '--directory', directory]
  const scripts = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const [, , ...words] = (scripts.scripts['edge'] ?? '').split(' ') // exec node …
  const child = spawn(process.execPath, [...words, ...ports], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  stop = async () => {
    if (child.exitCode !== null) return
    const ended = once(child, 'exit')
    process.kill(-(child.pid ?? 0), 'SIGINT')
    await ended
  }
  let wrong = ''
  child.stderr.on('data', (chunk: Buffer) => (wrong += chunk.toString()))
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    printed += chunk.toString()
    if (printed.includes('Ctrl+C ends all of it.')) return
  }
  throw new Error(`it ended: ${printed}${wrong}`)
}, 300_000)
afterAll(async () => {
  await stop()
  rmSync(directory, { recursive: true, force: true })
})

/** A printed command, as it is pasted into a shell; what stands after it on the line is a remark. */
const typed = async (has: string): Promise<string> => {
  const lines = printed.replaceAll('\\\n', ' ').split('\n')
  const command = lines.find((line) => /^ *curl /.test(line) && line.includes(has)) ?? ''
  const [words = ''] = command.trim().split(/ {4,}(?=MISS|each|static)/)
  const { code, stdout, stderr } = await runCommand('/bin/sh', ['-c', words], { cwd: ROOT })
  expect([words, code, stderr]).toEqual([words, 0, ''])
  return stdout
}

test('pages are made once, those of each visitor each time, and files are there', async () => {
  expect(await typed('/          MISS')).toMatch(/^x-cache: MISS\r$/im)
  expect(await typed('/          MISS')).toMatch(/^x-cache: HIT\r$/im)
  for (const _ of [1, 2]) expect(await typed('/basket')).not.toMatch(/^x-cache: HIT\r$/im)
  expect(await typed('static files')).toMatch(/^HTTP\/1\.1 200 /)
})

test('the management API answers', async () => {
  expect(JSON.parse(await typed('/cache/stats'))).toHaveProperty('hits')
  expect(JSON.parse(await typed('/cache/purge'))).toMatchObject({ purged: true, path: '/' })
  expect(await typed('/          MISS')).toMatch(/^x-cache: MISS\r$/im)
  expect(JSON.parse(await typed('/cache/warm'))).toMatchObject({ queued: 1 })
})

test('the panel is set up', async () => {
  expect(JSON.parse(await typed('/api/auth/setup'))).toMatchObject({ ok: true })
})
