import { invalid } from '../../errors.ts'
import { parseHomePath } from '../files/home-path.ts'

/** Folders of a home that hold sessions, temporary files and logs: never to be served. */
const PRIVATE_FOLDERS = new Set(['tmp', 'sessions', 'logs', 'mail'])

/**
 * A document root as `{absolute, relative}` to `home`. It must be an absolute
 * path strictly inside the home and outside its private folders and dotfiles.
 * Symbolic links are the host's business. Throws 400 naming `document_root`.
 */
export const parseDocumentRoot = (
  input: string,
  home: string,
): { absolute: string; relative: string } => {
  const refuse = (why: string) => invalid('document_root', `document_root ${why}`)
  if (!input.startsWith('/')) {
    throw refuse(`must be an absolute path, for example ${home}/public_html.`)
  }
  if (!`${input}/`.startsWith(`${home}/`)) {
    throw refuse(`must lie inside the account's home directory ${home}.`)
  }
  const relative = parseHomePath(input.slice(home.length).replace(/^\/+/, ''), 'document_root')
  const [first = ''] = relative.split('/')
  if (relative === '') throw refuse('must be a folder inside the home, not the home itself.')
  if (PRIVATE_FOLDERS.has(first) || first.startsWith('.')) {
    throw refuse(`must not lie in "${first}", which holds private data of the account.`)
  }
  return { absolute: `${home}/${relative}`, relative }
}
