import type { Example } from '../example.ts'
import { drupal, mediawiki, typo3, wordpress } from './content-systems.ts'
import { laravel, symfony } from './frameworks.ts'
import { nextcloud } from './nextcloud.ts'
import { staticExport } from './static-export.ts'

/** Every page of `docs/examples`. */
export const EXAMPLES: readonly Example[] = [
  wordpress,
  nextcloud,
  mediawiki,
  drupal,
  laravel,
  symfony,
  typo3,
  staticExport,
]
