import { conflict } from '#handlers/errors.ts'
import type { PhpTest } from '#handlers/ports/host/php.ts'
import type { PhpMode } from '#handlers/ports/store/records.ts'
import type { RegisteredAccount } from '../registry/types.ts'
import type { InstalledPhp } from '../../machine/find-php.ts'
import { timed, withScratchMaster, type ScratchDeps } from './scratch-master.ts'

const SCRIPT = `<?php
header('Content-Type: application/json');
$uid = function_exists('posix_geteuid') ? posix_geteuid() : null;
echo json_encode(['version' => PHP_VERSION, 'sapi' => PHP_SAPI, 'uid' => $uid]);
`

/** What the script answered; throws when it is something else. */
const readResponse = (text: string): Pick<PhpTest, 'phpVersion' | 'sapi' | 'uid'> => {
  let answer: unknown = null
  try {
    answer = JSON.parse(text)
  } catch {
    // Judged below.
  }
  if (typeof answer !== 'object' || answer === null || !('version' in answer && 'sapi' in answer))
    throw new Error(`PHP answered ${JSON.stringify(text.slice(0, 200))}`)
  const uid = 'uid' in answer && typeof answer.uid === 'number' ? answer.uid : null
  return { phpVersion: String(answer.version), sapi: String(answer.sapi), uid }
}

const reasonOf = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error)
  return error instanceof Error && error.cause instanceof Error
    ? `${text}: ${error.cause.message}`
    : text
}

/** Runs a script of ours twice in a master of its own, one test at a time (409). See `withScratchMaster`. */
export const createPhpTest = (deps: ScratchDeps) => {
  let busy = false

  const run = async (
    account: RegisteredAccount | null,
    php: InstalledPhp,
    mode: PhpMode,
  ): Promise<PhpTest> => {
    const result: PhpTest = {
      version: php.version,
      mode,
      startMs: null,
      firstMs: null,
      againMs: null,
      phpVersion: null,
      sapi: null,
      uid: null,
      error: null,
    }
    try {
      await withScratchMaster(deps, { account, php, mode, script: SCRIPT }, async (master) => {
        result.startMs = master.startMs
        const first = await timed(master.request)
        result.firstMs = first.ms
        Object.assign(result, readResponse(first.value))
        result.againMs = (await timed(master.request)).ms
      })
    } catch (error) {
      result.error = reasonOf(error)
    }
    return result
  }

  return async (input: {
    account: RegisteredAccount | null
    php: InstalledPhp
    mode: PhpMode
  }): Promise<PhpTest> => {
    if (busy) throw conflict('PHP is being tested. Try again when that is done.')
    busy = true
    try {
      return await run(input.account, input.php, input.mode)
    } finally {
      busy = false
    }
  }
}
