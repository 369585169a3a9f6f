import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  ensureDebianPackages,
  ensurePackageLists,
  HOSTING_PACKAGES,
  MACHINE_PACKAGES,
  TEST_PACKAGES,
} from '../debian-packages.mjs'

const SELF = fileURLToPath(import.meta.url)

/**
 * Installs what the tests need of Debian in a process of its own, beside npm's packages and what
 * reads the code, which need none of it: on a machine that has nothing it takes minutes.
 *
 * @param {string} kept directory for what it prints
 * @param {{ machine: boolean }} options machine: also what virtual machines need
 * @returns {() => Promise<void>} resolves when it has ended, having printed what it said
 */
export const debianPackagesBeside = (kept, { machine }) => {
  const begunMs = Date.now()
  const file = join(kept, 'debian-packages.log')
  // A pipe would fill up: nobody reads while npm runs.
  const log = openSync(file, 'w')
  const child = spawn(process.execPath, [SELF, ...(machine ? ['--machine'] : [])], {
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => {
    child.on('error', () => resolve())
    child.on('exit', (code) => {
      // What lacks is told; the tests that need it fail by themselves.
      if (code !== 0) console.log(readFileSync(file, 'utf8'))
      console.log(`Debian packages looked at: ${((Date.now() - begunMs) / 1000).toFixed(1)} s`)
      resolve()
    })
  })
  return () => ended
}

if (process.argv[1] === SELF) {
  ensurePackageLists() // tests unpack WordPress from its package
  const wanted = [...HOSTING_PACKAGES, ...TEST_PACKAGES]
  if (process.argv[2] === '--machine') wanted.push(...MACHINE_PACKAGES)
  if (!ensureDebianPackages(wanted, { unsafeIo: true })) process.exitCode = 1
}
