import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { mustRun } from '#adapters/node/process/run-command.ts'

const MODULE = fileURLToPath(
  new URL('../../../adapters/node/supervisor/close-inherited.ts', import.meta.url),
)
/** Names its own descriptors and those of a child. */
const SCRIPT = `
  const { execFileSync } = await import('node:child_process')
  const open = () => execFileSync('/bin/ls', ['-l', '/proc/self/fd']).toString()
  const before = open()
  await import(process.argv[1])
  console.log(JSON.stringify({ before, after: open() }))`

test('descriptors of whoever started us reach no child', async () => {
  // Node itself marks the lowest ones only, so a high one with a gap below it.
  const { stdout } = await mustRun('/bin/bash', [
    '-c',
    'exec 9</etc/hostname 200</etc/hostname; exec "$@"',
    'bash',
    process.execPath,
    '--input-type=module',
    '-e',
    SCRIPT,
    '--',
    MODULE,
  ])
  const { before, after } = JSON.parse(stdout) as { before: string; after: string }
  expect(before).toContain('/etc/hostname')
  expect(after).not.toContain('/etc/hostname')
})
