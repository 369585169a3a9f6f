import { placeholderPage } from '../../domain/domains/placeholder-page.ts'
import { isAppError } from '../../errors.ts'
import type { FilesPort } from '../../ports/host/files.ts'

/** Document roots of new sites. */
export interface SiteFolders {
  /** Whether the folder is empty; it is made when missing. As anything but a directory it cannot be a document root. */
  make(username: string, path: string): Promise<boolean>
  /** An empty site shows the page that a new account's does; no reason to fail where it does not fit. */
  makeSite(username: string, path: string, name: string): Promise<void>
}

/** Paths are relative to the home. */
export const createSiteFolders = (files: FilesPort): SiteFolders => {
  const make: SiteFolders['make'] = async (username, path) => {
    try {
      await files.mkdir({ username, path })
      return true
    } catch (error) {
      if (!isAppError(error) || error.status !== 409) throw error
      return (await files.list({ username, path })).length === 0
    }
  }
  return {
    make,
    async makeSite(username, path, name) {
      if (!(await make(username, path))) return
      const content = placeholderPage(name, path)
      try {
        await files.write({ username, path: `${path}/index.html`, content, encoding: 'utf8' })
      } catch (error) {
        if (!isAppError(error)) throw error
      }
    },
  }
}
