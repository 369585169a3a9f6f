// First of all: closes what was inherited, before anything else opens files.
import '../supervisor/close-inherited.ts'
import { install } from '../install/install.ts'
import { parseInstallOptions } from '../install/install-options.ts'
import { uninstall } from '../install/uninstall.ts'

/** Entry of the installer; scripts/install.mjs starts it on the pinned Node, as root. */
const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}
process.umask(0o022)
let uninstalls = false
try {
  const options = parseInstallOptions(process.argv.slice(2))
  uninstalls = options.uninstall
  await (uninstalls ? uninstall : install)({ options, print })
} catch (error) {
  const what = uninstalls ? 'Berth was not uninstalled' : 'Berth was not installed'
  process.stderr.write(`${what}: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
