import { readFileSync, writeFileSync } from 'node:fs'
import { mustRun } from '#adapters/node/process/run-command.ts'

/** `scripts/lanes/machine/in-machine.mjs` looks for it. */
const ASKED = '/var/lib/berth-test-start-anew'
const KEPT = '/var/lib/berth-test-kept.json'

/** 1 in the first start of the virtual machine, 2 when a file has had it started anew. */
export const MACHINE_START = Number(process.env['BERTH_TEST_START'] ?? 1)

/**
 * Has the machine end and start, as `reboot` does; the file is then run again from its beginning, with
 * another `MACHINE_START`. `kept` is what it is to know then, also of what failed: the report is that of the
 * second run alone. Never resolves.
 */
export const startMachineAnew = async (kept: unknown): Promise<never> => {
  writeFileSync(KEPT, JSON.stringify(kept))
  writeFileSync(ASKED, '')
  await mustRun('/usr/bin/systemctl', ['reboot', '--no-block'])
  return new Promise<never>(() => undefined)
}

/** What was handed to `startMachineAnew`. */
export const keptOverStart = <T>(): T => JSON.parse(readFileSync(KEPT, 'utf8')) as T
