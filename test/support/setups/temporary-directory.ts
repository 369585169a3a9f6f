import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const made: string[] = []

// Registered by the import, before all hooks of the file that imports it: it runs after them.
afterAll(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true })
})

/**
 * A new directory whose name starts with `prefix`. It goes, with all that is in it, after the
 * tests of the file, so ask for it in a hook or a test: what is only listed runs neither.
 */
export const temporaryDirectory = (prefix = 'bt-'): string => {
  const directory = mkdtempSync(join(tmpdir(), prefix))
  made.push(directory)
  return directory
}

/** The one of `makeDirectory`. Vitest loads this module anew for each test file. */
export let directory: string

/** Makes `directory`, once for a file (`beforeAll(makeDirectory)`) or anew for each of its tests. */
export const makeDirectory = (): void => {
  directory = temporaryDirectory()
}
