import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { LogBuffer } from '#adapters/node/web-server/log/log-buffer.ts'
import { createPhpErrorLog } from '#adapters/node/web-server/log/php-error-log.ts'
import { openChildLog } from '#adapters/node/process/child-log.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'

beforeEach(makeDirectory)

it('puts a log aside by size while it is written, also for another process that writes it', async () => {
  const file = join(directory, 'error.log')
  const errors: Error[] = []
  const open = () =>
    new LogBuffer(file, (error) => errors.push(error), { flushMs: 20, maxBytes: 10_000 })
  const logs = [open(), open()]
  const line = (name: string) => `${name.padEnd(999, '.')}\n`
  for (let n = 0; n < 20; n++) logs[n % 2]?.append(line(`first${n}`))
  await waitFor(() => expect(statSync(file).size).toBe(20_000))
  await waitFor(
    () => {
      for (const log of logs) log.append(line('later'))
      expect(statSync(`${file}.1`).size).toBeGreaterThanOrEqual(20_000)
      expect(readFileSync(file, 'utf8').split('\n').length).toBeGreaterThan(4)
    },
    { timeout: 15_000 },
  )
  for (const log of logs) await log.close()
  expect(errors).toEqual([])
})

it('limits what one domain may write, and says what is missing', async () => {
  const file = join(directory, 'php_error.log')
  const buffer = new LogBuffer(file, () => undefined, { flushMs: 20 })
  let nowMs = Date.UTC(2026, 0, 1)
  const log = createPhpErrorLog(buffer, () => nowMs)
  for (let n = 0; n < 500; n++) log.write('loud.test', 'PHP Warning: a\nforged [error] line\u0007')
  log.write('calm.test', 'PHP Notice: b')
  nowMs += 1000
  log.write('loud.test', 'again')
  await buffer.close()
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(lines.filter((line) => line.includes(' loud.test: PHP Warning'))).toHaveLength(20)
  expect(lines).toContain('2026-01-01T00:00:00.000Z calm.test: PHP Notice: b')
  expect(lines).toContain('2026-01-01T00:00:01.000Z loud.test: 480 more suppressed')
  expect(lines.at(-1)).toBe('2026-01-01T00:00:01.000Z loud.test: again')
  for (const line of lines) expect(line).toMatch(/^2026-01-01T[0-9:.]+Z (loud|calm)\.test: /)
})

it("puts a child's log aside while the child runs", () => {
  const log = openChildLog(directory, 'agent', () => undefined)
  const megabyte = Buffer.from(`${'x'.repeat(2 ** 20 - 1)}\n`)
  for (let n = 0; n < 20; n++) log.write(megabyte)
  log.close()
  expect(statSync(join(directory, 'agent.log.1')).size).toBe(17 * 2 ** 20)
  expect(statSync(join(directory, 'agent.log')).size).toBe(3 * 2 ** 20)
})
