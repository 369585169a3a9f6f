import { isAppError } from '#handlers/errors.ts'
import type { FilesPort } from '#handlers/ports/host/files.ts'

const MAX_BYTES = 512 * 1024

/**
 * What a file of the account says; null where there is none that can be read as a file, empty
 * where it is no text or larger than 512 KiB: there all the same.
 */
export const textOf = async (
  files: Pick<FilesPort, 'read'>,
  file: { username: string; path: string },
): Promise<string | null> => {
  try {
    const { content, encoding } = await files.read({ ...file, maxBytes: MAX_BYTES })
    return encoding === 'utf8' ? content : ''
  } catch (error) {
    if (isAppError(error) && [403, 404, 409].includes(error.status)) return null
    if (isAppError(error) && error.status === 413) return ''
    throw error
  }
}
