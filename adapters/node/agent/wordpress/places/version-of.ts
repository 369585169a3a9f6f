import {
  readLocalPackage,
  readWordpressVersion,
} from '#handlers/domain/wordpress/wordpress-version.ts'
import type { FilesPort } from '#handlers/ports/host/files.ts'
import { textOf } from './text-of.ts'

/** What the files of a site tell: its version, null where they tell none, and the language that they are given out for. */
export const versionOf = async (
  files: Pick<FilesPort, 'read'>,
  { username, path }: { username: string; path: string },
): Promise<{ version: string | null; localised: string | null }> => {
  const text = (await textOf(files, { username, path: `${path}/wp-includes/version.php` })) ?? ''
  return { version: readWordpressVersion(text), localised: readLocalPackage(text) }
}
