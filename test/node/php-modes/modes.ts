import type { InstanceOptions } from '#test/support/instance-directory.ts'
import { buildLsphp, NO_LSPHP } from '#test/support/lsphp/build-lsphp.ts'
import { testLicense } from '#test/support/test-license.ts'

/** A way to run PHP, with what an instance needs for it. */
export interface ModeCase {
  mode: 'fpm' | 'cgi' | 'lsapi'
  /** Why it cannot be tried here. */
  missing?: string
  /** More of the instance's configuration. */
  settings?: NonNullable<InstanceOptions['settings']>
}

/** The mode takes a licence and an lsphp. */
const lsapiCase = async (): Promise<ModeCase[]> => {
  const lsphp = await buildLsphp()
  if (!lsphp) return [{ mode: 'lsapi', missing: NO_LSPHP }]
  const license = await testLicense('pro')
  process.once('exit', () => license.remove())
  return [
    {
      mode: 'lsapi',
      settings: {
        panel: license.settings,
        php: `lsphp_directory = ${JSON.stringify(lsphp.directory)}`,
      },
    },
  ]
}

/** Every mode that the same scripts must give the same answers in. */
export const MODES: readonly ModeCase[] = [{ mode: 'fpm' }, { mode: 'cgi' }, ...(await lsapiCase())]
