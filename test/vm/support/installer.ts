import { join } from 'node:path'
import { expect } from 'vitest'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** Emulated, a start of everything takes its time. */
export const START_MS = 45 * 60_000
/** What an emulated machine takes for a single thing; only what never happens takes all of it. */
export const PATIENCE_MS = 5 * 60_000

/** What the service and its processes said last. */
const journal = async (): Promise<string> => {
  const args = ['--unit=berth.service', '--no-pager', '--lines=80', '--output=cat']
  return (await runCommand('/usr/bin/journalctl', args)).stdout
}

/** Runs install.sh of this checkout; answers what it printed. Where it fails, that and the journal are shown. */
export const installer = async (...args: string[]): Promise<string> => {
  // The build is there; what says of which sources it is stayed outside.
  const mark = `import(${JSON.stringify(join(ROOT, 'scripts/build.mjs'))}).then((b) => b.markBuilt(${JSON.stringify(ROOT)}))`
  await mustRun(process.execPath, ['-e', mark], { timeoutMs: PATIENCE_MS })
  const { code, stdout, stderr } = await runCommand(
    '/bin/sh',
    [join(ROOT, 'install.sh'), ...args],
    { timeoutMs: START_MS },
  )
  expect(code, code === 0 ? '' : `${stdout}${stderr}${await journal()}`).toBe(0)
  return stdout
}
