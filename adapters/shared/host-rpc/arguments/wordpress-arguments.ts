import { z } from 'zod'
import { nothing, username } from '../argument-shapes.ts'
import {
  WORDPRESS_CARE,
  WORDPRESS_COPY,
  WORDPRESS_EXTENSIONS,
  WORDPRESS_INSTALL,
  WORDPRESS_LOGIN,
  WORDPRESS_UPDATE,
} from '../wordpress-shapes.ts'
import type { ArgumentTable } from './argument-table.ts'

/** Shapes of the arguments of methods about WordPress, by port and method. */
export const WORDPRESS_ARGUMENTS: Pick<
  ArgumentTable,
  | 'wordpress'
  | 'wordpressInstall'
  | 'wordpressLogin'
  | 'wordpressCare'
  | 'wordpressUpdate'
  | 'wordpressCopy'
  | 'wordpressExtensions'
> = {
  wordpress: { find: z.object({ username }), sources: nothing },
  wordpressInstall: WORDPRESS_INSTALL,
  wordpressLogin: WORDPRESS_LOGIN,
  wordpressCare: WORDPRESS_CARE,
  wordpressUpdate: WORDPRESS_UPDATE,
  wordpressCopy: WORDPRESS_COPY,
  wordpressExtensions: WORDPRESS_EXTENSIONS,
}
