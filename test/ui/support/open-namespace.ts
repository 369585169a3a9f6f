import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BROWSER } from './open-browser.ts'

/** A network of its own on this machine, with one address that is not the loopback one. */
export interface Namespace {
  /** From the range for documentation (RFC 5737). */
  address: string
  /** What runs a program in there. */
  within: readonly string[]
  /** Chromium in there. */
  browserPath: string
  close(): void
}

const IP = '/sbin/ip'

/** Needs root. Nothing of the machine's own network is touched. */
export const openNamespace = (): Namespace => {
  const name = `bt-${randomBytes(4).toString('hex')}`
  const address = '192.0.2.10'
  const dir = mkdtempSync(join(tmpdir(), 'berth-namespace-'))
  const run = (...args: string[]) => execFileSync(IP, args, { stdio: 'pipe' })
  const close = () => {
    rmSync(dir, { recursive: true, force: true })
    run('netns', 'delete', name)
  }
  run('netns', 'add', name)
  try {
    run('-n', name, 'link', 'set', 'lo', 'up')
    run('-n', name, 'address', 'add', `${address}/32`, 'dev', 'lo')
    const browserPath = join(dir, 'chromium')
    const program = `#!/bin/sh\nexec nsenter --net=/run/netns/${name} -- ${BROWSER} "$@"\n`
    writeFileSync(browserPath, program)
    chmodSync(browserPath, 0o755)
    return { address, within: ['nsenter', `--net=/run/netns/${name}`, '--'], browserPath, close }
  } catch (error) {
    close()
    throw error
  }
}
