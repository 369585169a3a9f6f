import type { PhpMode, PhpVersion } from '$lib/api/types'
import { texts } from '$lib/texts'

const MODES: readonly PhpMode[] = ['fpm', 'cgi', 'lsapi']

/** The modes of one version to choose from; what cannot be chosen says why in its label. */
export const modeChoices = (version: PhpVersion | undefined, lsapiAllowed: boolean) =>
  MODES.map((value) => {
    const name = texts.php.modes[value]
    const installed = version?.sapis.includes(value) ?? false
    if (value === 'lsapi' && !lsapiAllowed)
      return { value, label: texts.php.lsapiLicense, disabled: true }
    return installed
      ? { value, label: name }
      : { value, label: texts.php.notInstalled(name), disabled: true }
  })
