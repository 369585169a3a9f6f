import { text } from '../frame/fields.ts'

const PART = '[A-Za-z0-9_][A-Za-z0-9._-]{0,62}'

/** Names a WordPress of the account. */
export const wordpressFolder = () =>
  text('path', 4095).describe('Its folder, as the list shows it.')

/** Where below a document root a WordPress comes. */
export const wordpressDirectory = () =>
  text('directory', 127)
    .regex(new RegExp(`^(?:${PART}(?:/${PART})?)?$`), {
      error:
        'directory must be a folder below the document root: a-z, 0-9, ".", "_", "-", at most two deep.',
    })
    .default('')
    .describe('Below the document root. Default: the document root itself.')
