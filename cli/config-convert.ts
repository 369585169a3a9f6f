import type { Command } from 'commander'
import type { ConvertOptions } from './convert/run-convert.ts'
import { withExamples } from './examples.ts'

/** `berth config convert-legacy`. */
export const addConvertCommand = (config: Command): void => {
  withExamples(
    config
      .command('convert-legacy')
      .description("convert another web server's configuration (Apache httpd, nginx)")
      .requiredOption('--input <path>', 'its main file, its directory, or files of sites')
      .option('--output <path>', 'file to write; without it the result is printed')
      .option('--vhosts-only', 'only virtual hosts, added to the end of an existing file')
      .option('--default-domain <name>', 'name of a host that has none', undefined)
      .option('--strict', 'exit code 1, and nothing written, when anything is lost')
      .option('--force', 'replace --output when it exists')
      // Loaded when it is wanted: it is large, and no other command needs it.
      .action(async (options: ConvertOptions, command: Command) => {
        const { runConvert } = await import('./convert/run-convert.ts')
        await runConvert(options, command)
      }),
    [
      'berth config convert-legacy --input /etc/apache2',
      'berth config convert-legacy --input /etc/nginx --output ./berth.toml --strict',
      'berth config convert-legacy --input /etc/nginx/sites-enabled/shop --vhosts-only --output /etc/berth/berth.toml',
    ],
    'Every directive that is not carried over is named with its file, line and the reason.',
  )
}
