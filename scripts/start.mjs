// `npm start`: from a fresh clone to a running Berth. Runs on any Node 20+ and
// without node_modules; everything after the bootstrap runs on the pinned Node.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensureBuild } from './build.mjs'
import { ensureDebianPackages, HOSTING_PACKAGES } from './debian-packages.mjs'
import { ensurePackages, pinnedNode } from './packages.mjs'
import { runForwarding } from './run-forwarding.mjs'

const USAGE = `npm start [-- OPTIONS]
  --config FILE   the configuration (default: /etc/berth/berth.toml as root, else var/berth.toml)
  --no-packages   install no Debian packages`

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const isRoot = process.getuid?.() === 0

const readArguments = () => {
  try {
    const { values } = parseArgs({
      options: {
        config: { type: 'string' },
        'no-packages': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    return values
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`)
    process.exit(2)
  }
}

/** Writes the commented defaults where there is no configuration yet. @param {string} file */
const ensureConfig = (file) => {
  if (existsSync(file)) return
  const cli = [join(root, 'cli/main.ts'), 'config', 'show-default']
  const { status, stdout, stderr } = spawnSync(pinnedNode(root), cli, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The default configuration could not be made:\n${stderr}`)
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
  writeFileSync(file, stdout, { mode: 0o640, flag: 'wx' })
  console.log(`Wrote ${file} with the defaults.`)
}

const options = readArguments()
if (options.help) {
  console.log(USAGE)
  process.exit(0)
}
if (process.platform !== 'linux') {
  console.error('Berth runs on Linux (Debian or Ubuntu).')
  process.exit(1)
}
const file = resolve(
  options.config ?? (isRoot ? '/etc/berth/berth.toml' : join(root, 'var/berth.toml')),
)
try {
  ensurePackages(root)
  ensureBuild(root)
  if (!options['no-packages'] && !ensureDebianPackages(HOSTING_PACKAGES))
    console.log('Going on without them; what needs them will say so.')
  ensureConfig(file)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
// Compiled sources are kept: starting takes half the time with them.
process.env.NODE_COMPILE_CACHE ??= join(root, '.cache/compile')
process.exit(
  await runForwarding(pinnedNode(root), [
    join(root, 'adapters/node/bin/supervisor.ts'),
    '--config',
    file,
  ]),
)
