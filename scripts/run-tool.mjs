import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pinnedNode } from './packages.mjs'

/** A hung run must end some time. */
const TIMEOUT_MS = 10 * 60 * 1000

/**
 * Runs a tool of node_modules on the pinned Node.
 *
 * @param {string} root
 * @param {string} script relative to node_modules
 * @param {string[]} args
 * @returns {Promise<{ ok: boolean, output: string }>} never rejects
 */
export const runTool = (root, script, args) =>
  new Promise((resolve) => {
    const bin = join(root, 'node_modules/.bin')
    const child = spawn(pinnedNode(root), [join(root, 'node_modules', script), ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PATH: `${bin}:${process.env.PATH}`,
        CI: '1',
        // A check tells nobody that it runs.
        WRANGLER_SEND_METRICS: 'false',
      },
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output += chunk))
    child.on('error', (error) => resolve({ ok: false, output: `${error}` }))
    child.on('close', (code, signal) =>
      resolve({
        ok: code === 0,
        output: signal === null ? output : `${output}\nended by ${signal}`,
      }),
    )
  })
