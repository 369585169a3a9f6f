import {
  installService,
  renderService,
  uninstallService,
} from '#adapters/node/service/install-service.ts'
import { serviceFiles } from '#adapters/node/service/service-files.ts'
import { CliError } from '../cli-error.ts'
import { PRODUCT_DIR } from '../options.ts'
import { serviceCommand } from './service-parts.ts'

const requireRoot = (destdir: string | undefined): void => {
  if (process.getuid?.() === 0 || destdir !== undefined) return
  throw new CliError(
    'Only root can install a service. Without root, start Berth with: berth service start',
  )
}

/** A tree of files that is not this machine has no systemd to tell. */
const DESTDIR = ['--destdir <directory>', 'put this before every path, to build an image'] as const

/** `berth service install`. */
export const install = serviceCommand({
  summary: "install systemd's unit and the rotation of logs, or write them anew",
  note: 'The paths of the configuration stand in the unit: install again when [paths] changes.',
  options: [DESTDIR, ['--print', 'print the files instead']],
  examples: [
    'berth service install',
    'berth service install --print',
    'berth service install --destdir /tmp/image --config /etc/berth/berth.toml',
  ],
  async act({ config, systemctl, options, print }) {
    const destdir = options.text('destdir')
    const texts = renderService(config, PRODUCT_DIR)
    const files = serviceFiles(destdir)
    if (options.isOn('print')) {
      const shown = `# ${files.unit}\n${texts.unit}\n# ${files.logrotate}\n${texts.logrotate}`
      return print({ unit: texts.unit, logrotate: texts.logrotate }, shown.trimEnd())
    }
    requireRoot(destdir)
    const written = await installService(texts, files, destdir === undefined ? systemctl : null)
    print(
      { written },
      `Written: ${written.join(', ')}\nNext: berth service enable, then berth service start`,
    )
  },
})

/** `berth service uninstall`. */
export const uninstall = serviceCommand({
  summary: 'stop the service and remove what install and enable wrote',
  note: 'Settings, data and logs stay.',
  options: [DESTDIR],
  examples: ['berth service uninstall'],
  async act({ manager, systemctl, options, print }) {
    const destdir = options.text('destdir')
    requireRoot(destdir)
    const here = destdir === undefined
    if (here) await manager.stop()
    const removed = await uninstallService(serviceFiles(destdir), here ? systemctl : null)
    print(
      { removed },
      removed.length === 0 ? 'There was nothing to remove.' : `Removed: ${removed.join(', ')}`,
    )
  },
})
