import { createHash } from 'node:crypto'
import { cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { madeOnce } from '#test/support/test-cache.ts'
import { trees } from './base-tree.ts'
import { startMachine } from './machine.ts'

const LIST = new URL('../../../scripts/debian-packages.mjs', import.meta.url).pathname
const APT_MS = 900_000

/** The oldest Node that the README names, as built for every Linux, and an npm of its time. */
const NODE = ['node-linux-' + process.arch + '@20.20.2', 'npm@10.9.4'] as const

/** npm of whoever runs the tests, with its settings. */
const npm = async (args: readonly string[]): Promise<void> => {
  const script = process.env['npm_execpath']
  const [program, ...first] = script?.endsWith('.js') ? [process.execPath, script] : ['npm']
  const env = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || /^npm_/i.test(name) ? [] : [[name, value] as const],
  )
  await mustRun(program ?? 'npm', [...first, ...args], {
    env: Object.fromEntries(env),
    timeoutMs: 300_000,
  })
}

/** Files that give a machine Node and npm, and nothing else. */
export const nodeLayer = (): Promise<string> =>
  madeOnce(join(trees(), NODE.join('+')), async (layer) => {
    const fetched = join(layer, 'fetched')
    await npm(['install', '--prefix', fetched, '--ignore-scripts', '--no-audit', ...NODE])
    const local = join(layer, 'usr/local')
    await mkdir(join(local, 'lib/node_modules'), { recursive: true })
    await mkdir(join(local, 'bin'))
    const modules = join(fetched, 'node_modules')
    await cp(join(modules, `node-linux-${process.arch}/bin/node`), join(local, 'bin/node'))
    await rename(join(modules, 'npm'), join(local, 'lib/node_modules/npm'))
    for (const name of ['npm', 'npx'])
      await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name))
    await rm(fetched, { recursive: true })
  })

/**
 * What installing the Debian packages that hosting needs leaves on a bare machine: made
 * by the function that `npm start` and install.sh call, anew whenever its file changes.
 */
export const hostingLayer = async (suite: string): Promise<string> => {
  const hash = createHash('sha256').update(await readFile(LIST))
  const name = `${suite}-hosting-${hash.digest('hex').slice(0, 12)}`
  const made = await madeOnce(join(trees(), name), async (work) => {
    const machine = await startMachine(suite, [await nodeLayer()])
    try {
      await cp(LIST, machine.path('/tmp/list.mjs'))
      const script = `import('/tmp/list.mjs').then((list) => {
        if (!list.ensureDebianPackages(list.HOSTING_PACKAGES, { unsafeIo: true })) process.exit(1) })`
      const { code, stdout, stderr } = await machine.run('node', ['-e', script], APT_MS)
      if (code !== 0) throw new Error(`no packages for hosting: ${(stdout + stderr).slice(-4000)}`)
      await rm(machine.path('/tmp/list.mjs'))
    } catch (error) {
      await machine.destroy()
      throw error
    }
    await machine.destroy(join(work, 'files'))
  })
  return join(made, 'files')
}
