import type { Command } from 'commander'
import {
  installService,
  renderService,
  uninstallService,
} from '#adapters/node/service/install-service.ts'
import { serviceFiles } from '#adapters/node/service/service-files.ts'
import { CliError } from '../cli-error.ts'
import { withExamples } from '../examples.ts'
import { PRODUCT_DIR } from '../options.ts'
import { withService } from './service-parts.ts'

interface InstallOptions {
  destdir?: string
  print?: boolean
}

const requireRoot = (destdir: string | undefined): void => {
  if (process.getuid?.() === 0 || destdir !== undefined) return
  throw new CliError(
    'Only root can install a service. Without root, start Berth with: berth service start',
  )
}

/** A tree of files that is not this machine has no systemd to tell. */
const DESTDIR = ['--destdir <directory>', 'put this before every path, to build an image'] as const

/** `berth service install | uninstall`. */
export const addServiceInstall = (service: Command): void => {
  withExamples(
    service
      .command('install')
      .description("install systemd's unit and the rotation of logs, or write them anew")
      .option(...DESTDIR)
      .option('--print', 'print the files instead')
      .action((options: InstallOptions, command: Command) =>
        withService(command, async ({ config, systemctl, print }) => {
          const texts = renderService(config, PRODUCT_DIR)
          const files = serviceFiles(options.destdir)
          if (options.print) {
            const shown = `# ${files.unit}\n${texts.unit}\n# ${files.logrotate}\n${texts.logrotate}`
            print({ unit: texts.unit, logrotate: texts.logrotate }, shown.trimEnd())
            return
          }
          requireRoot(options.destdir)
          const written = await installService(
            texts,
            files,
            options.destdir === undefined ? systemctl : null,
          )
          print(
            { written },
            `Written: ${written.join(', ')}\nNext: berth service enable, then berth service start`,
          )
        }),
      ),
    [
      'berth service install',
      'berth service install --print',
      'berth service install --destdir /tmp/image --config /etc/berth/berth.toml',
    ],
    'The paths of the configuration stand in the unit: install again when [paths] changes.',
  )
  withExamples(
    service
      .command('uninstall')
      .description('stop the service and remove what install and enable wrote')
      .option(...DESTDIR)
      .action((options: InstallOptions, command: Command) =>
        withService(command, async ({ manager, systemctl, print }) => {
          requireRoot(options.destdir)
          const here = options.destdir === undefined
          if (here) await manager.stop()
          const files = serviceFiles(options.destdir)
          const removed = await uninstallService(files, here ? systemctl : null)
          print(
            { removed },
            removed.length === 0
              ? 'There was nothing to remove.'
              : `Removed: ${removed.join(', ')}`,
          )
        }),
      ),
    ['berth service uninstall'],
    'Settings, data and logs stay.',
  )
}
