import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pinnedNode } from './packages.mjs'

/** A hung run must end some time. */
const TIMEOUT_MS = 45 * 60 * 1000

/**
 * Runs a tool of node_modules on the pinned Node, its output straight to the terminal.
 *
 * @param {string} root
 * @param {string} script path below node_modules
 * @param {string[]} args
 * @returns {Promise<boolean>} whether it succeeded
 */
export const runTool = (root, script, args) =>
  new Promise((resolve) => {
    const bin = join(root, 'node_modules/.bin')
    const child = spawn(pinnedNode(root), [join(root, 'node_modules', script), ...args], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        PATH: `${bin}:${process.env.PATH}`,
        CI: '1',
        WRANGLER_SEND_METRICS: 'false',
      },
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
    child.on('error', () => resolve(false))
    child.on('exit', (code) => resolve(code === 0))
  })
