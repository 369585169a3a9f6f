import { z } from 'zod'
import { hasControlCharacters } from '../../text/control-characters.ts'
import { passedPath } from '../passed-path.ts'

/** Folders of a site. */
export const MAX_FOLDERS = 50

/** What is wrong with a folder of the home that visitors are to see; null: nothing. */
export const siteFolderProblem = (folder: string): string | null => {
  if (folder === '' || folder.startsWith('/'))
    return 'must be written relative to the home, as in shared/media.'
  if (hasControlCharacters(folder) || folder.includes('\\') || !folder.isWellFormed())
    return 'must hold no control characters and no backslash.'
  const names = folder.split('/')
  if (names.some((name) => name === '' || name.startsWith('.')))
    return 'must hold no empty name, and none that begins with a dot.'
  return null
}

/** A folder elsewhere in the home, with the path below which it is reached. */
export const siteFolder = z.strictObject({
  path: passedPath('path')
    .refine((path) => path !== '/', 'path must be below "/", which is the document root.')
    .describe('Path, decoded, e.g. /media.'),
  folder: z
    .string({ error: 'folder must be a text.' })
    .max(1024, 'folder must be at most 1024 characters.')
    .superRefine((folder, context) => {
      const problem = siteFolderProblem(folder)
      if (problem !== null) context.addIssue({ code: 'custom', message: `folder ${problem}` })
    })
    .describe('Relative to the home, e.g. shared/media.'),
})
