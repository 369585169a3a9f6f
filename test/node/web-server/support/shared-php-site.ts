import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { startPhpSite, type PhpSite } from './php-site.ts'

// What the hooks of `sharePhpSite` start for one test file. Vitest loads this module anew for each.
export let php: PhpSite
/** Where it lies; the site itself in `site`. */
export let directory: string

/** Starts php-fpm with a site for all tests of a file, in a directory that goes with it. */
export const sharePhpSite = (): void => {
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'berth-phpsite-'))
    php = await startPhpSite(directory)
  })
  afterAll(async () => {
    await php?.stop()
    rmSync(directory, { recursive: true, force: true })
  })
}
