import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { defaultPhpVersion, detectPhp } from '#adapters/node/machine/find-php.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

let root = ''
const places = () => ({
  sbinDirectory: `${root}/sbin`,
  binDirectory: `${root}/bin`,
  lswsDirectory: `${root}/lsws`,
})
const install = async (file: string, mode = 0o755): Promise<void> => {
  await mkdir(path.dirname(`${root}/${file}`), { recursive: true })
  await writeFile(`${root}/${file}`, '')
  await chmod(`${root}/${file}`, mode)
}

beforeAll(async () => {
  root = temporaryDirectory('bh-')
  const files = ['sbin/php-fpm8.2', 'sbin/php-fpm8.10', 'sbin/phpquery', 'bin/php8.2', 'bin/php']
  for (const file of [...files, 'bin/php-cgi8.2', 'bin/php7.4', 'lsws/lsphp83/bin/lsphp'])
    await install(file)
  await install('sbin/php-fpm8.4', 0o644)
})

describe('detectPhp', () => {
  it('finds versions newest first, with the binary of each way to run them', async () => {
    expect(await detectPhp(places())).toEqual([
      { version: '8.10', binaries: { fpm: `${root}/sbin/php-fpm8.10` } },
      { version: '8.3', binaries: { lsapi: `${root}/lsws/lsphp83/bin/lsphp` } },
      {
        version: '8.2',
        binaries: {
          fpm: `${root}/sbin/php-fpm8.2`,
          cgi: `${root}/bin/php-cgi8.2`,
          cli: `${root}/bin/php8.2`,
        },
      },
      { version: '7.4', binaries: { cli: `${root}/bin/php7.4` } },
    ])
  })

  it('finds nothing where there is nothing', async () => {
    const nowhere = `${root}/nowhere`
    expect(
      await detectPhp({ sbinDirectory: nowhere, binDirectory: nowhere, lswsDirectory: nowhere }),
    ).toEqual([])
  })

  it('prefers the configured version, else the newest that FPM can run', async () => {
    const installed = await detectPhp(places())
    expect(defaultPhpVersion(installed, '8.2')).toBe('8.2')
    expect(defaultPhpVersion(installed, '7.4')).toBe('8.10')
    expect(defaultPhpVersion(installed, null)).toBe('8.10')
    expect(defaultPhpVersion([], '8.2')).toBeNull()
  })
})
