import { invalid } from '../../errors.ts'
import { parseHomePath } from '../files/home-path.ts'

/**
 * A directory for challenge files: absolute, inside the home, normalised.
 * `home` is null where nothing has one. Symbolic links are the host's business.
 * Throws 400 naming `webroot`.
 */
export const parseWebroot = (input: string, home: string | null): string => {
  if (home === null)
    throw invalid('webroot', 'webroot is for sites; the name of the panel has no home directory.')
  if (!`${input}/`.startsWith(`${home}/`))
    throw invalid(
      'webroot',
      `webroot must be an absolute path inside the account's home directory ${home}, for example ${home}/public_html.`,
    )
  const relative = parseHomePath(input.slice(home.length).replace(/^\/+/, ''), 'webroot')
  return relative === '' ? home : `${home}/${relative}`
}
